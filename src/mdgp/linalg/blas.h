// The only seam to BLAS and LAPACK. OpenBLAS runs with one thread: mdgp parallelises above it, over
// chunks of rows and over processes, where it pays.
#pragma once

#include <algorithm>

#include "mdgp/linalg/matrix.h"

namespace mdgp {

enum class Op { none, transpose };

// C = alpha op(A) op(B) + beta C.
void gemm(Op op_a, Op op_b, double alpha, const ConstView& a, const ConstView& b, double beta,
          View c);

// The inverse of the lower Cholesky factor, in place of a, of which only the lower triangle is
// read; zero above the diagonal. scratch is as large as a. False where the matrix is not positive
// definite.
[[nodiscard]] bool inverse_cholesky_in_place(View a, View scratch);

// The lower Cholesky factor in place of a's lower triangle, which is all that is read; what is
// above the diagonal stays. False where the matrix is not positive definite.
[[nodiscard]] bool cholesky_in_place(View a);

// The inverse of a positive definite matrix of which only the lower triangle is read, in place of
// it, both triangles; and the logarithm of its determinant. False where it is not positive
// definite.
[[nodiscard]] bool invert_positive_in_place(View a, double& log_determinant);

// The largest eigenvalues of a symmetric matrix, in descending order, as many as `values` has, and
// their eigenvectors as columns. Only the lower triangle of a is read; a is destroyed. Throws
// NumericalError where LAPACK gives up.
void largest_eigenpairs(View a, Vector& values, View vectors);

// C += Aᵀ A, both triangles.
void add_gram(const ConstView& a, View c);
// The lower triangle of c = alpha a aᵀ.
void lower_gram(double alpha, const ConstView& a, View c);
// Puts the lower triangle above the diagonal too.
void mirror(View a);

// The inverse of a lower triangular matrix with no zero on its diagonal, in place of it; zero above
// the diagonal, whatever was there.
void invert_lower_in_place(View lower, View scratch);

// OpenBLAS multiplies without copying its arguments first where the three sizes of a product
// multiply to at most this.
inline constexpr Index kUncopied = 1'000'000;

// Products with P lower triangles at once. `panels` [M, M * P] holds column j of L_p in its column
// j * P + p (the layout of q_sqrt), so that a few columns j of all P triangles are one dense block
// without the zeros above row j; most of the work that a dense product would do on zeros is saved
// while BLAS still sees matrices large enough to be fast. f(j, w) is called for columns [j, j + w)
// of the triangles, in order; the three products are of such a panel, with A [n, M].
template <class F>
void for_panels(Index n, Index m, Index p, F f) {
  // Narrow panels waste less on zeros and are not copied; multiples of 8 keep columns on cache
  // lines (docs/performance.md has the measurements). Large triangles need wide panels: BLAS copies
  // the whole of A for each of them.
  const Index width = 16 * n * m * p <= kUncopied ? 16
                      : m * p < 256               ? 8
                                                  : std::clamp<Index>(m / (8 * p) / 8 * 8, 8, 64);
  for (Index j = 0; j < m; j += width) f(j, std::min(width, m - j));
}
// out [n, w * P] = A L_p(:, j … j + w - 1) for all p
void multiply_panel(const ConstView& a, const ConstView& panels, Index j, Index w, View out);
// out [n, M] = beta out + sum_p C_p L_p(:, j … j + w - 1)ᵀ, where c [n, w * P] is the panel's part
// of C. Columns before j are not touched.
void add_panel_transposed(const ConstView& c, const ConstView& panels, Index j, Index w,
                          double beta, View out);
// The panel of `panels` = beta times itself + the lower triangles of Aᵀ C_p, given Aᵀ [M, n].
// Elements above the diagonal are left undefined.
void panel_product(const ConstView& a_transposed, const ConstView& c, Index j, Index w, double beta,
                   View panels);

// With one triangle L (P = 1): out = A L and out = A Lᵀ. L is zero above the diagonal, as are all
// panels.
void multiply_lower(const ConstView& a, const ConstView& lower, View out);
void multiply_lower_transposed(const ConstView& a, const ConstView& lower, View out);
// The product of two lower triangles, both zero above the diagonal.
void multiply_lower_by_lower(const ConstView& a, const ConstView& b, View out);

}  // namespace mdgp
