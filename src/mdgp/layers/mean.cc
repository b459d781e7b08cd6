#include "mdgp/layers/mean.h"

#include <Eigen/Eigenvalues>

#include "mdgp/linalg/check.h"

namespace mdgp {

Matrix identity_mean(Index inputs, Index width) { return Matrix::Identity(inputs, width); }

Matrix pca_mean(const Matrix& rows, Index width) {
  if (width >= rows.cols()) return identity_mean(rows.cols(), width);
  check_finite("pca_mean", "rows", view_of(rows));
  if (rows.rows() < 2)
    refuse("pca_mean", "number of rows", std::to_string(rows.rows()), "at least 2");
  const Matrix centred = rows.rowwise() - rows.colwise().mean();
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(centred.transpose() * centred);
  Matrix W = solver.eigenvectors().rowwise().reverse().leftCols(width);  // ascending in Eigen
  for (Index p = 0; p < width; ++p) {
    Index largest = 0;
    W.col(p).cwiseAbs().maxCoeff(&largest);
    if (W(largest, p) < 0.0) W.col(p) = -W.col(p);
  }
  return W;
}

}  // namespace mdgp
