// The matrix vocabulary. Column-major doubles throughout; a point is a row, so that a task's points
// are a range of rows and a layer's outputs are columns side by side.
#pragma once

#include <Eigen/Core>
#include <cstddef>

namespace mdgp {

using Index = Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// An index as the standard library's containers want it.
inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Windows on memory that somebody else owns (a parameter vector, a tape's arena, another matrix).
using View = Eigen::Map<Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;
using ConstView = Eigen::Map<const Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;

inline View make_view(double* data, Index rows, Index cols) {
  return {data, rows, cols, Eigen::OuterStride<>(rows)};
}
inline ConstView make_view(const double* data, Index rows, Index cols) {
  return {data, rows, cols, Eigen::OuterStride<>(rows)};
}
inline View view_of(Matrix& m) { return make_view(m.data(), m.rows(), m.cols()); }
inline ConstView view_of(const Matrix& m) { return make_view(m.data(), m.rows(), m.cols()); }
inline ConstView as_const(const View& v) {
  return {v.data(), v.rows(), v.cols(), Eigen::OuterStride<>(v.outerStride())};
}

inline View block(const View& v, Index row, Index col, Index rows, Index cols) {
  return {const_cast<double*>(v.data()) + row + col * v.outerStride(), rows, cols,
          Eigen::OuterStride<>(v.outerStride())};
}
inline ConstView block(const ConstView& v, Index row, Index col, Index rows, Index cols) {
  return {v.data() + row + col * v.outerStride(), rows, cols,
          Eigen::OuterStride<>(v.outerStride())};
}

inline double* column(const View& v, Index j) {
  return const_cast<double*>(v.data()) + j * v.outerStride();
}
inline const double* column(const ConstView& v, Index j) { return v.data() + j * v.outerStride(); }

}  // namespace mdgp
