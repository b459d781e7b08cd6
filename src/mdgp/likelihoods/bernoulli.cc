// Two classes through the probit link: p(y = 1 | f) = Φ(f), hence p(y | f) = Φ(±f) with the sign of
// the label. The probability is not kept away from 0 and 1 (GPflow mixes in 1e-3; the reference
// cases do not): log Φ is stable, so that nothing needs protection.
//   E[log Φ(±f)]: 20-point quadrature
//   E[Φ(f)] = Φ(m / sqrt(1 + v)): with independent e ~ N(0, 1), Φ(f) = P(e < f | f), and
//             e - f ~ N(-m, 1 + v).
#include "mdgp/likelihoods/quadrature.h"
#include "mdgp/likelihoods/types.h"

namespace mdgp::likelihoods {
namespace {

double sign_of(double y) { return y > 0.5 ? 1.0 : -1.0; }

double expected_log_density(const Likelihood&, const Leaves& leaves, const double* y,
                            const ConstView& mean, const ConstView& variance, double scale,
                            View mean_adjoint, View variance_adjoint) {
  return integrate_log_density(y, mean, variance, scale, leaves.recording(), mean_adjoint,
                               variance_adjoint, [](double label, double f, double) {
                                 const double sign = sign_of(label);
                                 const Differentiated l = log_normal_cdf(sign * f);
                                 return Differentiated{l.value, sign * l.derivative};
                               });
}

void predictive_moments(const Likelihood&, const Leaves&, const ConstView& mean,
                        const ConstView& variance, View y_mean, View y_variance) {
  for (Index i = 0; i < mean.rows(); ++i) {
    const double x = mean(i, 0) / std::sqrt(1.0 + variance(i, 0));
    y_mean(i, 0) = normal_cdf(x);
    y_variance(i, 0) = normal_cdf(x) * normal_cdf(-x);
  }
}

void predictive_log_density(const Likelihood&, const Leaves&, const double* y,
                            const ConstView& mean, const ConstView& variance, double* log_density) {
  for (Index i = 0; i < mean.rows(); ++i) {
    const double x = mean(i, 0) / std::sqrt(1.0 + variance(i, 0));
    log_density[i] = log_normal_cdf(sign_of(y[i]) * x).value;
  }
}

bool accepts(const Likelihood&, double y) { return y == 0.0 || y == 1.0; }

}  // namespace

const LikelihoodType& bernoulli() {
  static const LikelihoodType type = {
      .name = "bernoulli",
      .parameters = {},
      .multiclass = false,
      .expected_log_density = expected_log_density,
      .predictive_moments = predictive_moments,
      .predictive_log_density = predictive_log_density,
      .accepts = accepts,
      .target = "0 or 1",
  };
  return type;
}

}  // namespace mdgp::likelihoods
