// y = f + s e, e of Student's t with ν degrees of freedom: a regression that forgives outliers.
// With r = y - f and u = r^2 / (ν s^2),
//   log p     = lnΓ((ν+1)/2) - lnΓ(ν/2) - log(πν)/2 - log s - (ν+1)/2 log(1 + u)
//   d/df      = (ν+1) r / (ν s^2 + r^2) = (ν+1) r / (ν s^2 (1 + u))
//   d/ds      = (-1 + (ν+1) u / (1 + u)) / s                        from du/ds = -2u/s
//   d/dν      = (ψ((ν+1)/2) - ψ(ν/2) - 1/ν - log(1 + u) + (ν+1)/ν u / (1 + u)) / 2
//                                                                   from du/dν = -u/ν
// The integrals over f are by 20-point quadrature. Its nodes are about sqrt(v)/2 apart: where s is
// much smaller than that, the likelihood falls between them, the expectation of log p is good to a
// few digits only and the predictive density has ripples. The gradient stays that of the value.
#include <limits>

#include "mdgp/likelihoods/quadrature.h"
#include "mdgp/likelihoods/types.h"

namespace mdgp::likelihoods {
namespace {

// ψ(x) for x > 0: ψ(x) = ψ(x + 1) - 1/x up to x >= 10, then the asymptotic series
//   ψ(x) ~ log x - 1/2x - 1/12x^2 + 1/120x^4 - 1/252x^6 + 1/240x^8 - 1/132x^10 + ...
double digamma(double x) {
  double below = 0.0;
  for (; x < 10.0; x += 1.0) below -= 1.0 / x;
  const double q = 1.0 / (x * x);
  const double series =
      q *
      (1.0 / 12 -
       q * (1.0 / 120 - q * (1.0 / 252 - q * (1.0 / 240 - q * (1.0 / 132 - q * (691.0 / 32760))))));
  return below + std::log(x) - 0.5 / x - series;
}

struct StudentT {
  double scale, nu;
  double log_normaliser;

  StudentT(const Likelihood& likelihood, const Leaves& leaves)
      : scale(leaves.value(likelihood.parameters[0])(0, 0)),
        nu(leaves.value(likelihood.parameters[1])(0, 0)),
        log_normaliser(log_gamma(0.5 * (nu + 1.0)) - log_gamma(0.5 * nu) -
                       0.5 * std::log(std::numbers::pi * nu) - std::log(scale)) {}

  double u(double residual) const { return residual * residual / (nu * scale * scale); }

  Differentiated log_density(double residual) const {
    const double u1 = 1.0 + u(residual);
    return {log_normaliser - 0.5 * (nu + 1.0) * std::log1p(u(residual)),
            (nu + 1.0) * residual / (nu * scale * scale * u1)};
  }
};

double expected_log_density(const Likelihood& likelihood, const Leaves& leaves, const double* y,
                            const ConstView& mean, const ConstView& variance, double scale,
                            View mean_adjoint, View variance_adjoint) {
  const StudentT t(likelihood, leaves);
  const bool recording = leaves.recording();
  double weights = 0.0, ratios = 0.0, logs = 0.0;  // sums of weight * {1, u / (1 + u), log(1 + u)}
  const double value =
      integrate_log_density(y, mean, variance, scale, recording, mean_adjoint, variance_adjoint,
                            [&](double target, double f, double weight) {
                              if (recording) {
                                const double u = t.u(target - f);
                                weights += weight;
                                ratios += weight * u / (1.0 + u);
                                logs += weight * std::log1p(u);
                              }
                              return t.log_density(target - f);
                            });
  if (recording) {
    const double by_normaliser = digamma(0.5 * (t.nu + 1.0)) - digamma(0.5 * t.nu) - 1.0 / t.nu;
    leaves.adjoint(likelihood.parameters[0])(0, 0) += ((t.nu + 1.0) * ratios - weights) / t.scale;
    leaves.adjoint(likelihood.parameters[1])(0, 0) +=
        0.5 * (weights * by_normaliser - logs + (t.nu + 1.0) / t.nu * ratios);
  }
  return value;
}

// The mean is m (for ν <= 1 it does not exist and m is the median); the variance of e is ν / (ν -
// 2), infinite for ν <= 2.
void predictive_moments(const Likelihood& likelihood, const Leaves& leaves, const ConstView& mean,
                        const ConstView& variance, View y_mean, View y_variance) {
  const StudentT t(likelihood, leaves);
  const double noise = t.nu > 2.0 ? t.scale * t.scale * t.nu / (t.nu - 2.0)
                                  : std::numeric_limits<double>::infinity();
  y_mean = mean;
  y_variance.array() = variance.array() + noise;
}

void predictive_log_density(const Likelihood& likelihood, const Leaves& leaves, const double* y,
                            const ConstView& mean, const ConstView& variance, double* log_density) {
  const StudentT t(likelihood, leaves);
  integrate_density(y, mean, variance, log_density,
                    [&](double target, double f, double) { return t.log_density(target - f); });
}

}  // namespace

const LikelihoodType& student_t() {
  static const LikelihoodType type = {
      .name = "student_t",
      .parameters = {{"scale", 0.3, true}, {"degrees_of_freedom", 4.0, false}},
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
