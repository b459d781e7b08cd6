#include "mdgp/baselines/grow_tree.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mdgp/random/normal.h"

namespace mdgp {
namespace {

Matrix random_rows(Index n, Index d, std::uint32_t step) {
  Matrix x(n, d);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < d; ++j) {
      x(i, j) = normal({1, Purpose::data, step}, static_cast<std::uint64_t>(i),
                       static_cast<std::uint32_t>(j));
    }
  }
  return x;
}

Vector some_target(const Matrix& x) {
  return (2.0 * x.col(0).array()).sin() + x.col(1).array() * x.col(2).array();
}

std::vector<float> floats(const Matrix& x, Index i) {
  std::vector<float> row;
  for (Index j = 0; j < x.cols(); ++j) row.push_back(tree_feature(x(i, j)));
  return row;
}

// 0, 1, 2, 0, 1, 2, …
std::vector<float> some_weights(Index n) {
  std::vector<float> w;
  for (Index i = 0; i < n; ++i) w.push_back(static_cast<float>(i % 3));
  return w;
}

// The split of all rows that takes most off the weighted sum of squares, by trying every one.
struct Split {
  int feature = -1;
  double threshold = 0.0, gain = 0.0;
};

Split best_split(const Matrix& x, const Vector& y, const std::vector<float>& weight) {
  const auto squares = [&](auto in) {
    double w = 0.0, sum = 0.0, sum2 = 0.0;
    for (Index i = 0; i < x.rows(); ++i) {
      if (!in(i)) continue;
      const double v = static_cast<double>(weight[static_cast<std::size_t>(i)]);
      w += v, sum += v * y[i], sum2 += v * y[i] * y[i];
    }
    return w > 0.0 ? sum2 - sum * sum / w : 0.0;
  };
  const double all = squares([](Index) { return true; });
  Split best;
  for (Index j = 0; j < x.cols(); ++j) {
    std::vector<double> values;
    for (Index i = 0; i < x.rows(); ++i) {
      if (weight[static_cast<std::size_t>(i)] > 0.0F) values.push_back(x(i, j));
    }
    std::sort(values.begin(), values.end());
    for (std::size_t k = 1; k < values.size(); ++k) {
      const double at = 0.5 * (values[k - 1] + values[k]);
      const double gain = all - squares([&](Index i) { return x(i, j) < at; }) -
                          squares([&](Index i) { return x(i, j) >= at; });
      if (gain > best.gain) best = {static_cast<int>(j), at, gain};
    }
  }
  return best;
}

TEST(GrowTree, AnswersAsXgboostDoes) {
  const Matrix x = random_rows(300, 4, 0), at = random_rows(500, 4, 1);
  Vector own;
  const Tree tree =
      TreeGrower(x).grow(some_target(x), some_weights(300), {.features = 2, .seed = 5}, &at, &own);
  ASSERT_EQ(own.size(), 500);
  EXPECT_GT(tree.value.size(), 200U);
  for (Index i = 0; i < at.rows(); ++i) {
    EXPECT_NEAR(tree.value[leaf_of(tree, floats(at, i))], own[i], 1e-6);
  }
}

TEST(GrowTree, FirstSplitIsTheBestOfAll) {
  const Matrix x = random_rows(80, 3, 2);
  const std::vector<float> weight = some_weights(80);
  const Tree tree = TreeGrower(x).grow(some_target(x), weight, {.features = 3, .seed = 1});
  const Split split = best_split(x, some_target(x), weight);
  EXPECT_EQ(tree.feature[0], split.feature);
  EXPECT_NEAR(tree.value[0], split.threshold, 1e-6);
}

TEST(GrowTree, GoesOnToSingleRows) {
  const Matrix x = random_rows(100, 3, 3);
  const Vector y = some_target(x);
  const std::vector<float> weight = some_weights(100);
  const Tree tree = TreeGrower(x).grow(y, weight, {.features = 3, .seed = 1});
  for (Index i = 0; i < 100; ++i) {
    if (weight[static_cast<std::size_t>(i)] == 0.0F) continue;
    // A gain below 1e-6 is none to XGBoost.
    EXPECT_NEAR(tree.value[leaf_of(tree, floats(x, i))], y[i], 2e-3);
  }
}

// The row at 2 has no weight, so that the middle of 1 and 5 is where the classes part.
TEST(GrowTree, SplitsInTheMiddleOfRowsThatCount) {
  Matrix x(4, 1);
  x << 0.0, 1.0, 2.0, 5.0;
  const Tree tree =
      TreeGrower(x).grow(Eigen::Vector4d(0.0, 0.0, 1.0, 1.0), {1.0F, 1.0F, 0.0F, 1.0F}, {});
  ASSERT_EQ(tree.value.size(), 3U);
  EXPECT_EQ(tree.value[0], 3.0);
  EXPECT_EQ(tree.left[0], 1);
  EXPECT_NEAR(tree.value[1], 0.0, 1e-7);
  EXPECT_NEAR(tree.value[2], 1.0, 1e-7);
}

TEST(GrowTree, HugeInputsAreStillNumbers) {
  Matrix x(4, 1);
  x << -1e300, -1.0, 1.0, 1e300;
  const Tree tree = TreeGrower(x).grow(Eigen::Vector4d(1.0, 2.0, 3.0, 4.0), {1, 1, 1, 1}, {});
  for (const double value : tree.value) EXPECT_TRUE(std::isfinite(value));
  EXPECT_NEAR(tree.value[leaf_of(tree, {tree_feature(1e300)})], 4.0, 1e-6);
}

TEST(GrowTree, RefusesWhatDoesNotFit) {
  TreeGrower grower(random_rows(5, 2, 0));
  EXPECT_THROW(grower.grow(Vector::Zero(4), std::vector<float>(5, 1.0F), {}),
               std::invalid_argument);
  EXPECT_THROW(grower.grow(Vector::Zero(5), std::vector<float>(4, 1.0F), {}),
               std::invalid_argument);
}

}  // namespace
}  // namespace mdgp
