// The only seam to BLAS and LAPACK. OpenBLAS runs with one thread: mdgp parallelises above it, over
// chunks of rows and over processes, where it pays.
#pragma once

#include "mdgp/linalg/matrix.h"

namespace mdgp {

enum class Op { none, transpose };

// C = alpha op(A) op(B) + beta C.
void gemm(Op op_a, Op op_b, double alpha, const ConstView& a, const ConstView& b, double beta,
          View c);

// B = B op(L), L lower triangular.
void multiply_lower_right(const ConstView& lower, Op op, View b);
// B = op(L) B, L lower triangular.
void multiply_lower_left(const ConstView& lower, Op op, View b);

// The lower Cholesky factor, in place; the strict upper triangle is left as it was. False where the
// matrix is not positive definite.
[[nodiscard]] bool cholesky_in_place(View a);
// The inverse of a lower triangular matrix, in place.
void invert_lower_in_place(View lower);

// Products with P lower triangles at once. `panels` [M, M * P] holds column j of L_p in its column
// j * P + p (the layout of q_sqrt), so that a few columns j of all P triangles are one dense block
// without the zeros above row j; most of the work that a dense product would do on zeros is saved
// while BLAS still sees matrices large enough to be fast.
//
//   out [n, M * P]:  out(:, j P + p) = A L_p(:, j)
void multiply_panels(const ConstView& a, const ConstView& panels, View out);
//   out [n, M] += sum_p C_p L_pᵀ,  C_p(:, j) = c(:, j P + p)
void add_panels_transposed(const ConstView& c, const ConstView& panels, View out);
//   panels += the lower triangles of Aᵀ C_p. Entries above the diagonal are left undefined.
void add_panel_products(const ConstView& a, const ConstView& c, View panels);

}  // namespace mdgp
