#include "mdgp/inference/adam.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mdgp {
namespace {

// With a constant gradient the bias corrections cancel the averages: every step is the learning
// rate.
TEST(Adam, StepsByTheLearningRateUnderAConstantGradient) {
  AdamState state;
  Vector x = Vector::Zero(2);
  const Vector gradient = Vector{{3.0, -0.01}};
  for (int i = 1; i <= 5; ++i) {
    adam_step({.learning_rate = 0.1, .epsilon = 0.0}, 1.0, gradient, state, x);
    EXPECT_NEAR(x[0], 0.1 * i, 1e-12);
    EXPECT_NEAR(x[1], -0.1 * i, 1e-12);
  }
}

TEST(Adam, FollowsThePublishedRecursion) {
  const double b1 = 0.8, b2 = 0.95, rate = 0.2, epsilon = 1e-3;
  AdamState state;
  Vector x = Vector::Constant(1, 1.0);
  double m = 0.0, v = 0.0, theta = 1.0;
  for (int t = 1; t <= 4; ++t) {
    const double g = std::cos(static_cast<double>(t)) * 2.0;
    m = b1 * m + (1 - b1) * g;
    v = b2 * v + (1 - b2) * g * g;
    theta += rate * (m / (1 - std::pow(b1, t))) / (std::sqrt(v / (1 - std::pow(b2, t))) + epsilon);
    adam_step({rate, b1, b2, epsilon}, 1.0, Vector::Constant(1, g), state, x);
    EXPECT_NEAR(x[0], theta, 1e-12);
  }
}

TEST(Adam, ClipsLongGradientsWithoutTurningThem) {
  AdamState clipped, scaled;
  Vector a = Vector::Zero(2), b = Vector::Zero(2);
  const Vector g = Vector{{30.0, 40.0}};
  adam_step({.epsilon = 1.0, .clip_norm = 5.0}, 1.0, g, clipped, a);
  adam_step({.epsilon = 1.0}, 1.0, g / 10.0, scaled, b);
  EXPECT_LT((a - b).norm(), 1e-14);
}

TEST(Adam, FindsTheTopOfAQuadratic) {
  AdamState state;
  Vector x = Vector{{3.0, -2.0}};
  for (int i = 0; i < 2000; ++i) {
    const Vector gradient = -Vector{{x[0] - 1.0, 10.0 * x[1]}};
    adam_step({.learning_rate = 0.1}, cosine_factor(i, 2000), gradient, state, x);
  }
  EXPECT_LT((x - Vector{{1.0, 0.0}}).norm(), 1e-3);
}

TEST(Schedule, CosineGoesFromOneToZero) {
  EXPECT_EQ(cosine_factor(0, 100), 1.0);
  EXPECT_NEAR(cosine_factor(50, 100), 0.5, 1e-12);
  EXPECT_NEAR(cosine_factor(100, 100), 0.0, 1e-12);
  EXPECT_NEAR(cosine_factor(200, 100), 0.0, 1e-12);
}

TEST(Schedule, PlateauHalvesWhereNothingImproves) {
  PlateauState state;
  for (int i = 0; i < 50; ++i) EXPECT_EQ(plateau_factor(state, i, 10), 1.0);
  double factor = 1.0;
  for (int i = 0; i < 25; ++i) factor = plateau_factor(state, -100.0, 10);
  EXPECT_EQ(factor, 0.25);
}

}  // namespace
}  // namespace mdgp
