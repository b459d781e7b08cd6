// Compiled with -O3 -fopenmp-simd -fno-math-errno -fno-trapping-math: vectorised, and still exact
// about NaN and infinity.
#include "mdgp/linalg/elementwise.h"

namespace mdgp {
namespace {

MDGP_VECTORISED
void add_square(Index n, double weight, const double* __restrict b, double* __restrict out) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) out[i] += weight * (b[i] * b[i]);
}

MDGP_VECTORISED
void scale(Index n, const double* __restrict factor, double* __restrict b) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) b[i] *= factor[i];
}

MDGP_VECTORISED
void subtract_product(Index n, const double* __restrict factor, const double* __restrict b,
                      double* __restrict out) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) out[i] -= factor[i] * b[i];
}

// A cache line of each output column at a time.
MDGP_VECTORISED
void transpose_lines(Index n, Index m, const double* __restrict a, Index a_stride,
                     double* __restrict out, Index out_stride) {
  constexpr Index kLine = 8;
  const Index whole = m / kLine * kLine;
  for (Index j = 0; j < whole; j += kLine) {
    for (Index i = 0; i < n; ++i) {
      const double* from = a + i + j * a_stride;
      double* to = out + j + i * out_stride;
      for (Index k = 0; k < kLine; ++k) to[k] = from[k * a_stride];
    }
  }
  for (Index j = whole; j < m; ++j) {
    for (Index i = 0; i < n; ++i) out[j + i * out_stride] = a[i + j * a_stride];
  }
}

}  // namespace

MDGP_VECTORISED
bool add_norms(Index n, const double* __restrict x_norms, double z_norm, double* __restrict r2) {
  int doubtful = 0;
#pragma omp simd reduction(| : doubtful)
  for (Index i = 0; i < n; ++i) {
    const double norms = x_norms[i] + z_norm;
    const double sum = r2[i] + norms;
    const double far =
        sum < kFarSquared ? sum : kFarSquared;  // also where the sum overflowed to NaN
    r2[i] = far > 0.0 ? far : 0.0;
    doubtful |= sum < 1e-6 * norms ? 1 : 0;
  }
  return doubtful != 0;
}

MDGP_VECTORISED
ProfileSums multiply_profile(Index n, const double* __restrict adjoint, const double* __restrict k,
                             double* __restrict dk, double* __restrict row_sums) {
  double w_sum = 0.0, k_sum = 0.0;
#pragma omp simd reduction(+ : w_sum, k_sum)
  for (Index i = 0; i < n; ++i) {
    const double wi = adjoint[i] * dk[i];
    dk[i] = wi;
    row_sums[i] += wi;
    w_sum += wi;
    k_sum += adjoint[i] * k[i];
  }
  return {w_sum, k_sum};
}

void add_squares(const ConstView& b, double weight, View out) {
  const Index panel = out.cols();
  for (Index j = 0; j < b.cols(); ++j) {
    add_square(b.rows(), weight, column(b, j), column(out, j % panel));
  }
}

void scale_columns(const ConstView& factor, View b) {
  const Index panel = factor.cols();
  for (Index j = 0; j < b.cols(); ++j) scale(b.rows(), column(factor, j % panel), column(b, j));
}

void subtract_scaled_rows(const ConstView& b, const double* factor, View out) {
  for (Index j = 0; j < b.cols(); ++j) {
    subtract_product(b.rows(), factor, column(b, j), column(out, j));
  }
}

void transpose(const ConstView& a, View out) {
  transpose_lines(a.rows(), a.cols(), a.data(), a.outerStride(), out.data(), out.outerStride());
}

MDGP_VECTORISED
void add_scaled(Index n, double a, const double* __restrict x, double* __restrict y) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) y[i] += a * x[i];
}

MDGP_VECTORISED
double sum_of_squares(Index n, const double* __restrict x) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (Index i = 0; i < n; ++i) sum += x[i] * x[i];
  return sum;
}

MDGP_VECTORISED
double dot(Index n, const double* __restrict x, const double* __restrict y) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (Index i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

MDGP_VECTORISED
double weighted_squares(Index n, const double* __restrict w, const double* __restrict x) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (Index i = 0; i < n; ++i) sum += w[i] * x[i] * x[i];
  return sum;
}

MDGP_VECTORISED
void scale_column(Index n, double centre, double scale, const double* __restrict from,
                  double* __restrict to, double* __restrict norms) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) {
    to[i] = (from[i] - centre) * scale;
    norms[i] += to[i] * to[i];
  }
}

MDGP_VECTORISED
void add_pull(Index n, double a, const double* __restrict x, const double* __restrict w,
              const double* __restrict u, double* __restrict out) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) out[i] += a * (x[i] * w[i] - u[i]);
}

}  // namespace mdgp
