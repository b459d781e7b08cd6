#include "mdgp/linalg/blas.h"

#include <cblas.h>

#include <algorithm>

#include "mdgp/linalg/check.h"

extern "C" {
void openblas_set_num_threads(int);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dtrtri_(const char* uplo, const char* diag, const int* n, double* a, const int* lda,
             int* info);
}

namespace mdgp {
namespace {

// Runs before main, so before anything can call BLAS.
const int kOneBlasThread = (openblas_set_num_threads(1), 1);

// Columns of each triangle that make one panel. Narrow panels waste less on zeros, wide ones make
// better products; measured in docs/performance.md.
constexpr Index kPanel = 10;

CBLAS_TRANSPOSE flag(Op op) { return op == Op::none ? CblasNoTrans : CblasTrans; }
int as_int(Index i) { return static_cast<int>(i); }

// f(first column, columns) for each panel of a triangle with m columns.
template <class F>
void for_panels(Index m, F f) {
  for (Index j = 0; j < m; j += kPanel) f(j, std::min(kPanel, m - j));
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

void multiply_lower_right(const ConstView& lower, Op op, View b) {
  cblas_dtrmm(CblasColMajor, CblasRight, CblasLower, flag(op), CblasNonUnit, as_int(b.rows()),
              as_int(b.cols()), 1.0, lower.data(), as_int(lower.outerStride()), b.data(),
              as_int(b.outerStride()));
}

void multiply_lower_left(const ConstView& lower, Op op, View b) {
  cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, flag(op), CblasNonUnit, as_int(b.rows()),
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
  const int n = as_int(lower.rows());
  const int lda = as_int(lower.outerStride());
  int info = 0;
  dtrtri_("L", "N", &n, lower.data(), &lda, &info);
  if (info != 0) throw NumericalError("invert_lower_in_place: a diagonal element is zero");
}

void multiply_panels(const ConstView& a, const ConstView& panels, View out) {
  const Index m = a.cols();
  const Index p = panels.cols() / m;
  for_panels(m, [&](Index j, Index w) {
    gemm(Op::none, Op::none, 1.0, block(a, 0, j, a.rows(), m - j),
         block(panels, j, j * p, m - j, w * p), 0.0, block(out, 0, j * p, a.rows(), w * p));
  });
}

void add_panels_transposed(const ConstView& c, const ConstView& panels, View out) {
  const Index m = out.cols();
  const Index p = panels.cols() / m;
  for_panels(m, [&](Index j, Index w) {
    gemm(Op::none, Op::transpose, 1.0, block(c, 0, j * p, c.rows(), w * p),
         block(panels, j, j * p, m - j, w * p), 1.0, block(out, 0, j, c.rows(), m - j));
  });
}

void add_panel_products(const ConstView& a, const ConstView& c, View panels) {
  const Index m = a.cols();
  const Index p = panels.cols() / m;
  for_panels(m, [&](Index j, Index w) {
    gemm(Op::transpose, Op::none, 1.0, block(a, 0, j, a.rows(), m - j),
         block(c, 0, j * p, c.rows(), w * p), 1.0, block(panels, j, j * p, m - j, w * p));
  });
}

}  // namespace mdgp
