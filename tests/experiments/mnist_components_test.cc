#include <gtest/gtest.h>

#include <cmath>

#include "mnist/mnist_data.h"
#include "testing/dense.h"

namespace mdgp::experiments {
namespace {

const MnistDraw& some_draw() {
  static const MnistDraw d = draw(draw_mnist(), 30, 0, 1);
  return d;
}

TEST(MnistComponents, AreThoseOfTheSingularValueDecomposition) {
  MnistDraw d = some_draw();
  const fixture::Svd svd = fixture::svd(d.train.x);
  use_components(d, 12, 0.0);
  ASSERT_EQ(d.train.x.cols(), 12);
  const Matrix expected = some_draw().train.x * svd.V.leftCols(12);
  const double common =
      std::sqrt(svd.values.head(12).squaredNorm() / static_cast<double>(expected.size()));
  for (Index k = 0; k < 12; ++k) {  // up to their sign
    const double sign = d.train.x.col(k).dot(expected.col(k)) < 0.0 ? -1.0 : 1.0;
    EXPECT_LT((d.train.x.col(k) - sign / common * expected.col(k)).cwiseAbs().maxCoeff(), 1e-8);
  }
}

TEST(MnistComponents, WhiteningEvensTheirDeviationsOut) {
  const auto ratio = [](double whitening) {  // of the first and the last deviation
    MnistDraw d = some_draw();
    use_components(d, 10, whitening);
    EXPECT_NEAR(d.train.x.squaredNorm() / static_cast<double>(d.train.x.size()), 1.0, 1e-9);
    return d.train.x.col(0).norm() / d.train.x.col(9).norm();
  };
  const double whole = ratio(0.0);
  EXPECT_GT(whole, 1.5);
  EXPECT_NEAR(ratio(0.5), std::sqrt(whole), 1e-8);
  EXPECT_NEAR(ratio(1.0), 1.0, 1e-8);
}

TEST(MnistComponents, AllOfThemGiveTheImagesBack) {
  for (const double whitening : {0.0, 0.5}) {
    MnistDraw d = some_draw();
    use_components(d, 89, whitening);  // 90 rows, centred
    for (const Index row : {0, 40, 80}) {
      const Vector found = to_pixels(d, d.train.x.row(row));
      const Vector expected = to_pixels(some_draw(), some_draw().train.x.row(row));
      EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-7);
    }
  }
}

TEST(MnistComponents, TestImagesGoThroughTheSameMap) {
  MnistDraw d = some_draw();
  d.test_x[1] = d.train.x;
  use_components(d, 7, 0.3);
  EXPECT_LT((d.test_x[1] - d.train.x).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(d.test_x[0].cols(), 7);
  EXPECT_EQ(d.schema.input_width(), 7);
}

TEST(MnistComponents, RefuseMoreThanThereAre) {
  MnistDraw d = some_draw();
  EXPECT_THROW(use_components(d, 91, 0.0), std::invalid_argument);
  EXPECT_THROW(use_components(d, 0, 0.0), std::invalid_argument);
}

}  // namespace
}  // namespace mdgp::experiments
