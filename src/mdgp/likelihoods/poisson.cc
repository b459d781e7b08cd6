// Counts with the rate c exp(f), c the rate at f = 0. With f' = f + log c,
//   log p(y | f) = y f' - exp(f') - log y!
// E[exp(f')] = exp(m' + v/2) where f' ~ N(m', v), hence
//   E[log p]     = y m' - exp(m' + v/2) - log y!,   d/dc = (y - exp(m' + v/2)) / c
//   mean of y    = r = exp(m' + v/2)
//   variance     = E[rate] + var(rate) = r + r^2 (exp(v) - 1)
// and the predictive density by 20-point quadrature, which is poor where sqrt(v) is well above the
// width 1 / sqrt(y) of the likelihood in f.
#include "mdgp/likelihoods/quadrature.h"
#include "mdgp/likelihoods/types.h"

namespace mdgp::likelihoods {
namespace {

// The rate of an untrained model may overflow. Above this exponent exp goes on along its tangent:
// still convex, the gradient still points back, and the square of a gradient (Adam) is finite.
constexpr double largest_exponent = 150.0;

Differentiated guarded_exp(double x) {
  const double e = std::exp(std::min(x, largest_exponent));
  return {e * (1.0 + std::max(0.0, x - largest_exponent)), e};
}

double expected_log_density(const Likelihood& likelihood, const Leaves& leaves, const double* y,
                            const ConstView& mean, const ConstView& variance, double scale,
                            View mean_adjoint, View variance_adjoint) {
  const double log_c = log_count_rate(likelihood, leaves);
  double total = 0.0, by_log_c = 0.0;
  for (Index i = 0; i < mean.rows(); ++i) {
    const double m = mean(i, 0) + log_c;
    const Differentiated rate = guarded_exp(m + 0.5 * variance(i, 0));
    total += y[i] * m - rate.value - log_gamma(y[i] + 1.0);
    if (leaves.recording()) {
      mean_adjoint(i, 0) += scale * (y[i] - rate.derivative);
      variance_adjoint(i, 0) -= scale * 0.5 * rate.derivative;
      by_log_c += scale * (y[i] - rate.derivative);
    }
  }
  if (leaves.recording()) {
    leaves.adjoint(likelihood.parameters[0])(0, 0) += by_log_c / std::exp(log_c);
  }
  return scale * total;
}

void predictive_moments(const Likelihood& likelihood, const Leaves& leaves, const ConstView& mean,
                        const ConstView& variance, View y_mean, View y_variance) {
  const double log_c = log_count_rate(likelihood, leaves);
  for (Index i = 0; i < mean.rows(); ++i) {
    const double v = variance(i, 0);
    const double rate = guarded_exp(mean(i, 0) + log_c + 0.5 * v).value;
    y_mean(i, 0) = rate;
    y_variance(i, 0) = rate + rate * rate * std::expm1(std::min(v, largest_exponent));
  }
}

void predictive_log_density(const Likelihood& likelihood, const Leaves& leaves, const double* y,
                            const ConstView& mean, const ConstView& variance, double* log_density) {
  const double log_c = log_count_rate(likelihood, leaves);
  integrate_density(y, mean, variance, log_density, [log_c](double count, double f, double) {
    const Differentiated rate = guarded_exp(f + log_c);
    return Differentiated{count * (f + log_c) - rate.value - log_gamma(count + 1.0),
                          count - rate.derivative};
  });
}

bool accepts(const Likelihood&, double y) {
  return std::isfinite(y) && y >= 0.0 && y == std::floor(y);
}

}  // namespace

const LikelihoodType& poisson() {
  static const LikelihoodType type = {
      .name = "poisson",
      .parameters = {{"rate", 1.0, false}},
      .multiclass = false,
      .expected_log_density = expected_log_density,
      .predictive_moments = predictive_moments,
      .predictive_log_density = predictive_log_density,
      .accepts = accepts,
      .target = "a count",
  };
  return type;
}

}  // namespace mdgp::likelihoods

namespace mdgp {

double log_count_rate(const Likelihood& likelihood, const Leaves& leaves) {
  return std::log(leaves.value(likelihood.parameters[0])(0, 0));
}

}  // namespace mdgp
