// Products and decompositions for the tests: plain loops and Eigen's, as the library has its own or
// LAPACK's. All in one file because compiling one of them takes seconds, wherever it is used, and
// because this one is optimised under the sanitizers too.
#pragma once

#include "mdgp/linalg/matrix.h"

namespace mdgp::fixture {

// A B by three loops.
Matrix naive_product(const Matrix& a, const Matrix& b);

// The lower factor L of A = L Lᵀ. Throws std::domain_error where A is not positive definite.
Matrix cholesky(const Matrix& a);

Matrix inverse(const Matrix& a);
// A⁻¹ B of a positive definite A.
Matrix solve(const Matrix& a, const Matrix& b);
// log |det A|
double log_determinant(const Matrix& a);

// Of a symmetric matrix, ascending.
Vector eigenvalues(const Matrix& a);

// A = U diag(values) Vᵀ, thin, values descending.
struct Svd {
  Matrix U;
  Vector values;
  Matrix V;
};
Svd svd(const Matrix& a);

// Orthonormal columns that span those of A [n, K], n >= K.
Matrix orthonormal(const Matrix& a);

}  // namespace mdgp::fixture
