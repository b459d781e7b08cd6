// g(r²) = (1 + s + s²/3) exp(-s), s = √5 r; twice differentiable, the paper's kernel.
// dg/dr² = -5/6 (1 + s) exp(-s).
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
    const double s = std::sqrt(5.0 * r2[i]);
    const double e = variance * exp_negative(-s);
    k[i] = (1.0 + s + s * s / 3.0) * e;
    dk[i] = -5.0 / 6.0 * (1.0 + s) * e;
  }
}

}  // namespace

const KernelType matern52 = stationary<profile>("matern52");

}  // namespace mdgp::kernels
