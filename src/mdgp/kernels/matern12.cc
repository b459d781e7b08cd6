// g(r²) = exp(-r), continuous but rough. dg/dr² = -exp(-r) / 2r has a pole at r = 0, where k has a
// kink in x: the derivative is taken as 0 there, the mean of its values on both sides.
#include <cmath>

#include "mdgp/kernels/stationary.h"
#include "mdgp/kernels/types.h"
#include "mdgp/linalg/elementwise.h"
#include "mdgp/linalg/exp.h"

namespace mdgp::kernels {
namespace {

MDGP_VECTORISED
void profile(Index n, double variance, const double* r2, double* k, double* dk) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) {
    const double r = std::sqrt(r2[i]);
    const double e = variance * exp_negative(-r);
    k[i] = e;
    dk[i] = r > 1e-10 ? -0.5 * e / r : 0.0;
  }
}

}  // namespace

const KernelType matern12 = stationary<profile>("matern12");

}  // namespace mdgp::kernels
