// y = f + noise, noise ~ N(0, s), s the parameter "variance". All in closed form:
//   E[log N(y; f, s)] = -(log 2πs) / 2 - ((y - m)^2 + v) / 2s
//   E[N(y; f, s)]     = N(y; m, v + s)
#include "mdgp/likelihoods/quadrature.h"
#include "mdgp/likelihoods/types.h"

namespace mdgp::likelihoods {
namespace {

double noise_variance(const Likelihood& likelihood, const Leaves& leaves) {
  return leaves.value(likelihood.parameters[0])(0, 0);
}

double expected_log_density(const Likelihood& likelihood, const Leaves& leaves, const double* y,
                            const ConstView& mean, const ConstView& variance, double scale,
                            View mean_adjoint, View variance_adjoint) {
  const double s = noise_variance(likelihood, leaves);
  const Index n = mean.rows();
  double squares = 0.0;  // sum_i E[(y_i - f_i)^2]
  for (Index i = 0; i < n; ++i) {
    const double residual = y[i] - mean(i, 0);
    squares += residual * residual + variance(i, 0);
    if (leaves.recording()) {
      mean_adjoint(i, 0) += scale * residual / s;
      variance_adjoint(i, 0) -= scale * 0.5 / s;
    }
  }
  const double rows = static_cast<double>(n);
  if (leaves.recording()) {
    leaves.adjoint(likelihood.parameters[0])(0, 0) += scale * 0.5 * (squares / s - rows) / s;
  }
  return -0.5 * scale * (rows * (log_two_pi + std::log(s)) + squares / s);
}

void predictive_moments(const Likelihood& likelihood, const Leaves& leaves, const ConstView& mean,
                        const ConstView& variance, View y_mean, View y_variance) {
  y_mean = mean;
  y_variance.array() = variance.array() + noise_variance(likelihood, leaves);
}

void predictive_log_density(const Likelihood& likelihood, const Leaves& leaves, const double* y,
                            const ConstView& mean, const ConstView& variance, double* log_density) {
  const double s = noise_variance(likelihood, leaves);
  for (Index i = 0; i < mean.rows(); ++i) {
    const double residual = y[i] - mean(i, 0);
    const double total = variance(i, 0) + s;
    log_density[i] = -0.5 * (log_two_pi + std::log(total) + residual * residual / total);
  }
}

}  // namespace

const LikelihoodType& gaussian() {
  static const LikelihoodType type = {
      .name = "gaussian",
      .parameters = {{"variance", 0.1, true}},
      .multiclass = false,
      .expected_log_density = expected_log_density,
      .predictive_moments = predictive_moments,
      .predictive_log_density = predictive_log_density,
      .accepts = is_finite,
      .target = "finite",
  };
  return type;
}

}  // namespace mdgp::likelihoods
