// g(r²) = exp(-r²/2), infinitely smooth.
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
    const double e = variance * exp_negative(-0.5 * r2[i]);
    k[i] = e;
    dk[i] = -0.5 * e;
  }
}

}  // namespace

const KernelType rbf = stationary<profile>("rbf");

}  // namespace mdgp::kernels
