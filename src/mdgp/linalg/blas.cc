#include "mdgp/linalg/blas.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mdgp/linalg/check.h"

extern "C" {
void openblas_set_num_threads(int);
// LAPACK, which OpenBLAS has too.
void dpotrf_(const char* triangle, const int* n, double* a, const int* stride, int* info);
void dpotri_(const char* triangle, const int* n, double* a, const int* stride, int* info);
void dsyevr_(const char* vectors, const char* range, const char* triangle, const int* n, double* a,
             const int* stride, const double* low, const double* high, const int* first,
             const int* last, const double* tolerance, int* found, double* values, double* z,
             const int* z_stride, int* support, double* work, const int* work_size, int* iwork,
             const int* iwork_size, int* info);
}

namespace mdgp {
namespace {

// Runs before main, so before anything can call BLAS.
const int kOneBlasThread = (openblas_set_num_threads(1), 1);

CBLAS_TRANSPOSE flag(Op op) { return op == Op::none ? CblasNoTrans : CblasTrans; }
int as_int(Index i) { return static_cast<int>(i); }

// Below this size the loops are faster than calls.
constexpr Index kCholeskyBase = 16;

void invert_small(View lower) {
  const Index m = lower.rows();
  for (Index j = 0; j < m; ++j) {  // L x = e_j; columns after j still hold L
    double* x = column(lower, j);
    x[j] = 1.0 / x[j];
    for (Index i = j + 1; i < m; ++i) x[i] *= -x[j];
    for (Index k = j + 1; k < m; ++k) {
      const double* l = column(lower, k);
      x[k] /= l[k];
      for (Index i = k + 1; i < m; ++i) x[i] -= l[i] * x[k];
    }
    std::fill_n(x, j, 0.0);
  }
}

// J21 = -J22 L21 J11, given J11, J22 and L21; J21 goes where J is.
void place_inverse_corner(const ConstView& J11, const ConstView& J22, View L21, View J21) {
  gemm(Op::none, Op::none, -1.0, as_const(L21), J11, 0.0, J21);
  L21 = J21;
  gemm(Op::none, Op::none, 1.0, J22, as_const(L21), 0.0, J21);
}

// Where a matrix is cut in two: near the middle, at a cache line.
Index cut(Index m) { return (m / 2 + 7) / 8 * 8; }

// Cuts the `columns` of a panel into groups, f(first, count), whose products with the other two
// sizes are small enough for OpenBLAS to multiply without copying (for_panels()). Where that would
// leave slivers, copying is the better way.
template <class F>
void for_groups(Index columns, Index others, F f) {
  constexpr Index kSliver = 24;
  const Index most = kUncopied / std::max<Index>(others, 1) / 4 * 4;
  const Index width = most < kSliver ? columns : most;
  for (Index c = 0; c < columns; c += width) f(c, std::min(width, columns - c));
}

bool inverse_cholesky_small(View a) {
  const Index m = a.rows();
  for (Index j = 0; j < m; ++j) {  // L, by columns
    double* l = column(a, j);
    if (!(l[j] > 0.0)) return false;  // also for NaN
    const double pivot = std::sqrt(l[j]), inverse = 1.0 / pivot;
    l[j] = pivot;
    for (Index i = j + 1; i < m; ++i) l[i] *= inverse;
    for (Index k = j + 1; k < m; ++k) {
      double* other = column(a, k);
      for (Index i = k; i < m; ++i) other[i] -= l[i] * l[k];
    }
  }
  invert_small(a);
  return true;
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

// With A = [A11 ·; A21 A22] and J for the inverse factors:
//   J11 from A11,  L21 = A21 J11ᵀ,  J22 from A22 - L21 L21ᵀ,  J21 = -J22 L21 J11.
bool inverse_cholesky_in_place(View a, View scratch) {
  const Index m = a.rows();
  if (m <= kCholeskyBase) return inverse_cholesky_small(a);
  const Index half = cut(m), rest = m - half;
  View a11 = block(a, 0, 0, half, half), a21 = block(a, half, 0, rest, half),
       a22 = block(a, half, half, rest, rest), L21 = block(scratch, half, 0, rest, half);
  if (!inverse_cholesky_in_place(a11, scratch)) return false;
  gemm(Op::none, Op::transpose, 1.0, as_const(a21), as_const(a11), 0.0, L21);
  gemm(Op::none, Op::transpose, -1.0, as_const(L21), as_const(L21), 1.0, a22);
  if (!inverse_cholesky_in_place(a22, block(scratch, half, half, rest, rest))) return false;
  place_inverse_corner(as_const(a11), as_const(a22), L21, a21);
  for (Index j = half; j < m; ++j) std::fill_n(column(a, j), half, 0.0);
  return true;
}

bool cholesky_in_place(View a) {
  const int n = as_int(a.rows()), stride = as_int(a.outerStride());
  int info = 0;
  dpotrf_("L", &n, a.data(), &stride, &info);
  return info == 0;
}

bool invert_positive_in_place(View a, double& log_determinant) {
  const int n = as_int(a.rows()), stride = as_int(a.outerStride());
  int info = 0;
  if (!cholesky_in_place(a)) return false;
  log_determinant = 2.0 * a.diagonal().array().log().sum();
  dpotri_("L", &n, a.data(), &stride, &info);
  mirror(a);
  return info == 0 && std::isfinite(log_determinant);
}

void largest_eigenpairs(View a, Vector& values, View vectors) {
  const int n = as_int(a.rows()), stride = as_int(a.outerStride());
  const int count = as_int(values.size()), first = n - count + 1;
  check_shape("largest_eigenpairs", "vectors", as_const(vectors), a.rows(), values.size());
  const double unused = 0.0;
  Vector all(n);
  Matrix z(n, count);
  std::vector<int> support(2 * static_cast<std::size_t>(count)), iwork(1);
  std::vector<double> work(1);
  int found = 0, info = 0, work_size = -1, iwork_size = -1;  // which asks for the sizes
  const auto call = [&] {
    dsyevr_("V", "I", "L", &n, a.data(), &stride, &unused, &unused, &first, &n, &unused, &found,
            all.data(), z.data(), &n, support.data(), work.data(), &work_size, iwork.data(),
            &iwork_size, &info);
  };
  call();
  work_size = static_cast<int>(work[0]), iwork_size = iwork[0];
  work.resize(static_cast<std::size_t>(work_size));
  iwork.resize(static_cast<std::size_t>(iwork_size));
  call();
  if (info != 0 || found != count) {
    throw NumericalError("largest_eigenpairs: LAPACK found no eigenvalues");
  }
  values = all.head(count).reverse();  // ascending in LAPACK
  vectors = z.rowwise().reverse();
}

void mirror(View a) {
  for (Index j = 0; j < a.cols(); ++j) {
    for (Index i = j + 1; i < a.rows(); ++i) a(j, i) = a(i, j);
  }
}

// OpenBLAS complains of a stride of 0.
void lower_gram(double alpha, const ConstView& a, View c) {
  if (c.rows() == 0) return;
  cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, as_int(c.rows()), as_int(a.cols()), alpha,
              a.data(), as_int(a.outerStride()), 0.0, c.data(), as_int(c.outerStride()));
}

void add_gram(const ConstView& a, View c) {
  if (a.rows() == 0) return;
  cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, as_int(c.rows()), as_int(a.rows()), 1.0,
              a.data(), as_int(a.outerStride()), 1.0, c.data(), as_int(c.outerStride()));
  mirror(c);
}

void invert_lower_in_place(View lower, View scratch) {
  const Index m = lower.rows();
  if (m <= kCholeskyBase) return invert_small(lower);
  const Index half = cut(m), rest = m - half;
  View l11 = block(lower, 0, 0, half, half), l21 = block(lower, half, 0, rest, half),
       l22 = block(lower, half, half, rest, rest), copy = block(scratch, half, 0, rest, half);
  invert_lower_in_place(l11, scratch);
  invert_lower_in_place(l22, block(scratch, half, half, rest, rest));
  copy = l21;
  place_inverse_corner(as_const(l11), as_const(l22), copy, l21);
  for (Index j = half; j < m; ++j) std::fill_n(column(lower, j), half, 0.0);
}

void multiply_panel(const ConstView& a, const ConstView& panels, Index j, Index w, View out) {
  const Index m = a.cols(), p = panels.cols() / m, n = a.rows();
  for_groups(w * p, n * (m - j), [&](Index c, Index count) {
    gemm(Op::none, Op::none, 1.0, block(a, 0, j, n, m - j),
         block(panels, j, j * p + c, m - j, count), 0.0, block(out, 0, c, n, count));
  });
}

void add_panel_transposed(const ConstView& c, const ConstView& panels, Index j, Index w,
                          double beta, View out) {
  const Index m = out.cols(), p = panels.cols() / m, n = out.rows();
  for_groups(w * p, n * (m - j), [&](Index k, Index count) {
    gemm(Op::none, Op::transpose, 1.0, block(c, 0, k, n, count),
         block(panels, j, j * p + k, m - j, count), k == 0 ? beta : 1.0,
         block(out, 0, j, n, m - j));
  });
}

void panel_product(const ConstView& a_transposed, const ConstView& c, Index j, Index w, double beta,
                   View panels) {
  const Index m = a_transposed.rows(), p = panels.cols() / m, n = c.rows();
  for_groups(w * p, n * (m - j), [&](Index k, Index count) {
    gemm(Op::none, Op::none, 1.0, block(a_transposed, j, 0, m - j, n), block(c, 0, k, n, count),
         beta, block(panels, j, j * p + k, m - j, count));
  });
}

void multiply_lower(const ConstView& a, const ConstView& lower, View out) {
  for_panels(a.rows(), a.cols(), 1, [&](Index j, Index w) {
    multiply_panel(a, lower, j, w, block(out, 0, j, out.rows(), w));
  });
}

void multiply_lower_by_lower(const ConstView& a, const ConstView& b, View out) {
  const Index m = a.rows();
  for_panels(m, m, 1, [&](Index j, Index w) {
    for (Index c = j; c < j + w; ++c) std::fill_n(column(out, c), j, 0.0);
    gemm(Op::none, Op::none, 1.0, block(a, j, j, m - j, m - j), block(b, j, j, m - j, w), 0.0,
         block(out, j, j, m - j, w));
  });
}

void multiply_lower_transposed(const ConstView& a, const ConstView& lower, View out) {
  for_panels(a.rows(), a.cols(), 1, [&](Index j, Index w) {
    add_panel_transposed(block(a, 0, j, a.rows(), w), lower, j, w, j == 0 ? 0.0 : 1.0, out);
  });
}

}  // namespace mdgp
