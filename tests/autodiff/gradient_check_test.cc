#include "mdgp/autodiff/gradient_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "testing/not_finite.h"

namespace mdgp {
namespace {

// f(x) = x0 sin(x1) + exp(x2), whose gradient is plain.
double f(const Vector& x) { return x[0] * std::sin(x[1]) + std::exp(x[2]); }
Vector point() { return Vector{{1.3, 0.4, -0.7}}; }
Vector gradient() { return Vector{{std::sin(0.4), 1.3 * std::cos(0.4), std::exp(-0.7)}}; }

TEST(GradientCheck, PassesARightGradient) {
  EXPECT_LT(check_gradient(f, point(), gradient()).worst_error, 1e-10);
}

TEST(GradientCheck, FindsAWrongElement) {
  for (Index wrong = 0; wrong < 3; ++wrong) {
    Vector g = gradient();
    g[wrong] += 1e-4;
    const GradientCheck check = check_gradient(f, point(), g);
    EXPECT_EQ(check.worst_index, wrong);
    EXPECT_EQ(check.analytic, g[wrong]);
    EXPECT_NEAR(check.numeric, gradient()[wrong], 1e-9);
  }
}

TEST(GradientCheck, MeasuresTheErrorAgainstTheLargestDerivative) {
  const auto steep = [](const Vector& x) { return 1000.0 * x[0] + x[1]; };
  const Vector g{{1000.0, 3.0}};
  EXPECT_NEAR(check_gradient(steep, Vector::Zero(2), g).worst_error, 2.0 / 1000.0, 1e-9);
}

TEST(GradientCheck, MeasuresTheErrorOfSmallDerivativesAgainstOne) {
  const auto flat = [](const Vector& x) { return 1e-3 * x[0]; };
  EXPECT_NEAR(check_gradient(flat, Vector::Zero(1), Vector{{2e-3}}).worst_error, 1e-3, 1e-9);
}

TEST(GradientCheck, StepsInProportionToLargeCoordinates) {
  const auto square = [](const Vector& x) { return 1e-6 * x[0] * x[0]; };
  EXPECT_LT(check_gradient(square, Vector{{1e6}}, Vector{{2.0}}).worst_error, 1e-9);
}

TEST(GradientCheck, IsOfFourthOrder) {
  const auto quartic = [](const Vector& x) { return std::pow(x[0], 4); };
  EXPECT_LT(check_gradient(quartic, Vector{{1.0}}, Vector{{4.0}}, 0.1).worst_error, 1e-12);
}

TEST(GradientCheck, NaNInTheGradientIsAnErrorWhereverItStands) {
  for (Index bad = 0; bad < 3; ++bad) {
    Vector g = gradient();
    g[bad] = kNaN;
    const GradientCheck check = check_gradient(f, point(), g);
    EXPECT_FALSE(check.worst_error < 1.0) << bad;
    EXPECT_EQ(check.worst_index, bad);
  }
}

TEST(GradientCheck, NaNOfTheFunctionIsAnErrorWhereverItStands) {
  for (Index bad = 0; bad < 3; ++bad) {
    const auto broken = [=](const Vector& x) { return x[bad] != point()[bad] ? kNaN : f(x); };
    EXPECT_FALSE(check_gradient(broken, point(), gradient()).worst_error < 1.0) << bad;
  }
}

TEST(GradientCheck, InfinityIsAnError) {
  Vector g = gradient();
  g[0] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(check_gradient(f, point(), g).worst_error < 1.0);
}

TEST(GradientCheck, RefusesAGradientOfAnotherSize) {
  try {
    check_gradient(f, point(), Vector::Zero(2));
    FAIL() << "nothing thrown";
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "check_gradient: size of gradient is 2, but must be 3");
  }
}

TEST(GradientCheck, OfNothingFindsNothing) {
  const auto constant = [](const Vector&) { return 1.0; };
  EXPECT_EQ(check_gradient(constant, Vector(0), Vector(0)).worst_error, 0.0);
}

}  // namespace
}  // namespace mdgp
