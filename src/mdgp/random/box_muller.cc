// Compiled with -ffast-math, which lets the loop call the vector functions of the C library; all
// values are finite.
#include "mdgp/random/box_muller.h"

#include <cmath>
#include <numbers>

#include "mdgp/linalg/elementwise.h"

namespace mdgp {

MDGP_VECTORISED
void box_muller(std::ptrdiff_t n, double* __restrict a, double* __restrict b) {
#pragma omp simd
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const double radius = std::sqrt(-2.0 * std::log(a[i]));
    const double angle = 2.0 * std::numbers::pi * b[i];
    a[i] = radius * std::cos(angle);
    // The sine, in a form that the compiler does not merge with the cosine into a call without a
    // vector version.
    b[i] = radius * std::cos(angle - 0.5 * std::numbers::pi);
  }
}

}  // namespace mdgp
