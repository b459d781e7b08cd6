// Gaussian noise in the bound, Student's t in predictions. What a Gaussian model leaves unexplained
// is some rows' large errors and most rows' small ones: with the variance v + s that it predicts,
// y has the t distribution of that variance with ν degrees of freedom,
//   y ~ m + c t_ν,   c^2 = (v + s) (ν - 2) / ν,   ν > 2,
// as if v and s were known up to a factor of each row's own. The bound and its optimum stay those
// of the Gaussian, in closed form; ν is found afterwards (inference/tails.h). It is the one
// likelihood whose predictive density is not E_q[p(y | f)].
#include "mdgp/likelihoods/quadrature.h"
#include "mdgp/likelihoods/types.h"

namespace mdgp::likelihoods {
namespace {

void predictive_log_density(const Likelihood& likelihood, const Leaves& leaves, const double* y,
                            const ConstView& mean, const ConstView& variance, double* log_density) {
  const double s = leaves.value(likelihood.parameters[0])(0, 0);
  const double nu = tail_degrees(likelihood, leaves);
  const double constant = log_gamma(0.5 * (nu + 1.0)) - log_gamma(0.5 * nu) -
                          0.5 * std::log(std::numbers::pi * (nu - 2.0));
  for (Index i = 0; i < mean.rows(); ++i) {
    const double residual = y[i] - mean(i, 0);
    const double total = variance(i, 0) + s;
    log_density[i] = constant - 0.5 * std::log(total) -
                     0.5 * (nu + 1.0) * std::log1p(residual * residual / (total * (nu - 2.0)));
  }
}

}  // namespace

const LikelihoodType& heavy_tailed() {
  static const LikelihoodType type = {
      .name = "heavy_tailed",
      .parameters = {{"variance", 0.1, true}, {"degrees_of_freedom", 30.0, false}},
      .multiclass = false,
      .expected_log_density = gaussian().expected_log_density,
      .predictive_moments = gaussian().predictive_moments,
      .predictive_log_density = predictive_log_density,
      .accepts = is_finite,
      .target = "finite",
  };
  return type;
}

}  // namespace mdgp::likelihoods
