#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "mdgp/data/reduce.h"
#include "mnist_data.h"

namespace mdgp::experiments {
void use_components(MnistDraw& draw, Index components, double whitening) {
  Matrix& x = draw.train.x;  // [n, 784], centred
  const Matrix directions = pca_projection(view_of(std::as_const(x)), components);  // [784, K]
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
