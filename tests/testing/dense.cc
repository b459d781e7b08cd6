#include "testing/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <stdexcept>

namespace mdgp::fixture {

Matrix naive_product(const Matrix& a, const Matrix& b) {
  Matrix c = Matrix::Zero(a.rows(), b.cols());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < b.cols(); ++j) {
      for (Index k = 0; k < a.cols(); ++k) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

Matrix cholesky(const Matrix& a) {
  const Eigen::LLT<Matrix> factor(a);
  if (factor.info() != Eigen::Success) throw std::domain_error("not positive definite");
  return factor.matrixL();
}

Matrix inverse(const Matrix& a) { return a.inverse(); }

Matrix solve(const Matrix& a, const Matrix& b) { return a.llt().solve(b); }

double log_determinant(const Matrix& a) {
  return a.partialPivLu().matrixLU().diagonal().array().abs().log().sum();
}

Vector eigenvalues(const Matrix& a) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(a, Eigen::EigenvaluesOnly).eigenvalues();
}

Svd svd(const Matrix& a) {
  const Eigen::JacobiSVD<Matrix> found(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {found.matrixU(), found.singularValues(), found.matrixV()};
}

Matrix orthonormal(const Matrix& a) {
  return a.householderQr().householderQ() * Matrix::Identity(a.rows(), a.cols());
}

}  // namespace mdgp::fixture
