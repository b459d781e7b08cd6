#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <stdexcept>

#include "mnist_data.h"

namespace mdgp::experiments {
namespace {

// Orthonormal, of the largest variance first, [D, K]; the largest entry of each is positive.
Matrix principal_directions(const Matrix& x, Index components) {
  if (components < 1 || components > std::min(x.rows(), x.cols())) {
    throw std::invalid_argument(
        fmt::format("use_components: components is {}, but must be from 1 "
                    "to {}",
                    components, std::min(x.rows(), x.cols())));
  }
  const Matrix square = x.transpose() * x;
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(square);
  Matrix directions = solver.eigenvectors().rightCols(components).rowwise().reverse();
  for (Index k = 0; k < components; ++k) {
    Index largest = 0;
    directions.col(k).cwiseAbs().maxCoeff(&largest);
    if (directions(largest, k) < 0.0) directions.col(k) *= -1.0;
  }
  return directions;
}

}  // namespace

void use_components(MnistDraw& draw, Index components, double whitening) {
  Matrix& x = draw.train.x;                                       // [n, 784], centred
  const Matrix directions = principal_directions(x, components);  // [784, K], orthonormal
  Matrix z = x * directions;
  Vector scale = (z.colwise().squaredNorm() / static_cast<double>(z.rows())).cwiseSqrt();
  for (double& s : scale) s = s > 0.0 ? std::pow(s, whitening) : 1.0;
  z.array().rowwise() /= scale.transpose().array();
  const double common = std::sqrt(z.squaredNorm() / static_cast<double>(z.size()));
  if (common > 0.0) scale *= common;

  const Matrix projection = directions * scale.cwiseInverse().asDiagonal();
  draw.back = scale.asDiagonal() * directions.transpose();
  x = x * projection;
  for (Matrix& test : draw.test_x) test = test * projection;
  draw.schema.inputs.clear();
  for (Index k = 0; k < components; ++k) {
    InputColumn input;
    input.name = fmt::format("pc{}", k);
    draw.schema.inputs.push_back(input);
  }
}

}  // namespace mdgp::experiments
