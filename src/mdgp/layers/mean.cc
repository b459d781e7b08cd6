#include "mdgp/layers/mean.h"

#include "mdgp/linalg/blas.h"
#include "mdgp/linalg/check.h"

namespace mdgp {

Matrix identity_mean(Index inputs, Index width) { return Matrix::Identity(inputs, width); }

Matrix pca_mean(const Matrix& rows, Index width) {
  if (width >= rows.cols()) return identity_mean(rows.cols(), width);
  check_finite("pca_mean", "rows", view_of(rows));
  if (rows.rows() < 2)
    refuse("pca_mean", "number of rows", std::to_string(rows.rows()), "at least 2");
  const Matrix centred = rows.rowwise() - rows.colwise().mean();
  Matrix gram = Matrix::Zero(rows.cols(), rows.cols());
  add_gram(view_of(centred), view_of(gram));
  Vector variances(width);
  Matrix W(rows.cols(), width);
  largest_eigenpairs(view_of(gram), variances, view_of(W));
  for (Index p = 0; p < width; ++p) {
    Index largest = 0;
    W.col(p).cwiseAbs().maxCoeff(&largest);
    if (W(largest, p) < 0.0) W.col(p) = -W.col(p);
  }
  return W;
}

}  // namespace mdgp
