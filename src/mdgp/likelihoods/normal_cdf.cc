#include <cmath>
#include <numbers>

#include "mdgp/likelihoods/quadrature.h"
#include "mdgp/linalg/elementwise.h"
#include "mdgp/linalg/exp.h"

namespace mdgp::likelihoods {

// Φ(-t) = exp(-t²/2) P(t) / Q(t) for t >= 0: Hart et al., Computer Approximations (1968), as given
// by West, Better approximations to cumulative normal functions (2005). Plain arithmetic, which
// becomes vector code, as erfc does not. Beyond 40 both results are 0 or 1 anyway, and t^7 must not
// overflow.
MDGP_VECTORISED
void normal_cdf_and_pdf(Index n, const double* __restrict x, double* __restrict cdf,
                        double* __restrict pdf) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) {
    const double size = std::abs(x[i]);
    const double t = size < 40.0 ? size : 40.0;
    const double e = exp_negative(-0.5 * t * t);
    // clang-format off
    const double p = ((((((0.0352624965998911
        * t + 0.700383064443688) * t + 6.37396220353165) * t + 33.912866078383)
        * t + 112.079291497871) * t + 221.213596169931) * t + 220.206867912376);
    const double q = (((((((0.0883883476483184
        * t + 1.75566716318264) * t + 16.064177579207) * t + 86.7807322029461)
        * t + 296.564248779674) * t + 637.333633378831) * t + 793.826512519948)
        * t + 440.413735824752);
    // clang-format on
    const double upper = e * p / q;
    cdf[i] = x[i] > 0.0 ? 1.0 - upper : upper;
    pdf[i] = e * (0.5 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi);
  }
}

}  // namespace mdgp::likelihoods
