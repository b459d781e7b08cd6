#include "mdgp/linalg/blas.h"

#include <cblas.h>

extern "C" {
void openblas_set_num_threads(int);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
}

namespace mdgp {
namespace {

// Runs before main, so before anything can call BLAS.
const int kOneBlasThread = (openblas_set_num_threads(1), 1);

CBLAS_TRANSPOSE flag(Op op) { return op == Op::none ? CblasNoTrans : CblasTrans; }
int as_int(Index i) { return static_cast<int>(i); }

// Below this size a triangle is inverted by substitution.
constexpr Index kInverseBase = 16;

void invert_small(View lower) {
  const Index m = lower.rows();
  for (Index j = 0; j < m; ++j) {
    double* x = column(lower, j);
    x[j] = 1.0 / x[j];
    for (Index i = j + 1; i < m; ++i) x[i] *= -x[j];  // right-hand side of L x = e_j, below j
    for (Index k = j + 1; k < m; ++k) {
      const double* l = column(lower, k);  // columns after j still hold L
      x[k] /= l[k];
      for (Index i = k + 1; i < m; ++i) x[i] -= l[i] * x[k];
    }
  }
}

// [L11 0; L21 L22]⁻¹ = [L11⁻¹ 0; -L22⁻¹ L21 L11⁻¹, L22⁻¹]
void invert_recursively(View lower) {
  const Index m = lower.rows();
  if (m <= kInverseBase) return invert_small(lower);
  const Index half = m / 2;
  View L11 = block(lower, 0, 0, half, half), L21 = block(lower, half, 0, m - half, half),
       L22 = block(lower, half, half, m - half, m - half);
  invert_recursively(L11);
  invert_recursively(L22);
  multiply_lower_left(as_const(L22), Op::none, L21);
  multiply_lower_right(as_const(L11), L21);
  for (Index j = 0; j < half; ++j) {
    for (Index i = 0; i < m - half; ++i) L21(i, j) = -L21(i, j);
  }
}

}  // namespace

void gemm(Op op_a, Op op_b, double alpha, const ConstView& a, const ConstView& b, double beta,
          View c) {
  const Index inner = op_a == Op::none ? a.cols() : a.rows();
  if (c.size() == 0) return;
  cblas_dgemm(CblasColMajor, flag(op_a), flag(op_b), as_int(c.rows()), as_int(c.cols()),
              as_int(inner), alpha, a.data(), as_int(a.outerStride()), b.data(),
              as_int(b.outerStride()), beta, c.data(), as_int(c.outerStride()));
}

void multiply_lower_left(const ConstView& lower, Op op, View b) {
  cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, flag(op), CblasNonUnit, as_int(b.rows()),
              as_int(b.cols()), 1.0, lower.data(), as_int(lower.outerStride()), b.data(),
              as_int(b.outerStride()));
}

void multiply_lower_right(const ConstView& lower, View b) {
  cblas_dtrmm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, as_int(b.rows()),
              as_int(b.cols()), 1.0, lower.data(), as_int(lower.outerStride()), b.data(),
              as_int(b.outerStride()));
}

bool cholesky_in_place(View a) {
  const int n = as_int(a.rows());
  const int lda = as_int(a.outerStride());
  int info = 0;
  dpotrf_("L", &n, a.data(), &lda, &info);
  return info == 0;
}

void invert_lower_in_place(View lower) {
  invert_recursively(lower);
  for (Index j = 0; j < lower.cols(); ++j) std::fill_n(column(lower, j), j, 0.0);
}

void multiply_panel(const ConstView& a, const ConstView& panels, Index j, Index w, View out) {
  const Index m = a.cols(), p = panels.cols() / m;
  gemm(Op::none, Op::none, 1.0, block(a, 0, j, a.rows(), m - j),
       block(panels, j, j * p, m - j, w * p), 0.0, out);
}

void add_panel_transposed(const ConstView& c, const ConstView& panels, Index j, Index w, double beta,
                          View out) {
  const Index m = out.cols(), p = panels.cols() / m;
  gemm(Op::none, Op::transpose, 1.0, c, block(panels, j, j * p, m - j, w * p), beta,
       block(out, 0, j, out.rows(), m - j));
}

void panel_product(const ConstView& a_transposed, const ConstView& c, Index j, Index w, double beta,
                   View panels) {
  const Index m = a_transposed.rows(), p = panels.cols() / m;
  gemm(Op::none, Op::none, 1.0, block(a_transposed, j, 0, m - j, a_transposed.cols()), c, beta,
       block(panels, j, j * p, m - j, w * p));
}

void multiply_lower(const ConstView& a, const ConstView& lower, View out) {
  for_panels(a.rows(), a.cols(), 1, [&](Index j, Index w) {
    multiply_panel(a, lower, j, w, block(out, 0, j, out.rows(), w));
  });
}

void multiply_lower_transposed(const ConstView& a, const ConstView& lower, View out) {
  for_panels(a.rows(), a.cols(), 1, [&](Index j, Index w) {
    add_panel_transposed(block(a, 0, j, a.rows(), w), lower, j, w, j == 0 ? 0.0 : 1.0, out);
  });
}

}  // namespace mdgp
