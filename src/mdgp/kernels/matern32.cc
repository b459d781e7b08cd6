// g(r²) = (1 + s) exp(-s), s = √3 r; once differentiable. dg/dr² = -3/2 exp(-s).
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
    const double s = std::sqrt(3.0 * r2[i]);
    const double e = variance * exp_negative(-s);
    k[i] = (1.0 + s) * e;
    dk[i] = -1.5 * e;
  }
}

}  // namespace

const KernelType matern32 = stationary<profile>("matern32");

}  // namespace mdgp::kernels
