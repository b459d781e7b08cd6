// Trained as a Gaussian, judged as Student's t: the one likelihood that is held to a contract of
// its own (likelihood_test.cc has that of the others).
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mdgp/likelihoods/likelihood.h"

namespace mdgp {
namespace {

struct HeavyTailed : testing::Test {
  Parameters parameters, gaussian_parameters;
  Likelihood likelihood = make_likelihood("heavy_tailed", "l", parameters);
  Likelihood gaussian = make_likelihood("gaussian", "l", gaussian_parameters);
  Matrix mean = (Matrix(3, 1) << -0.4, 0.3, 1.1).finished();
  Matrix variance = (Matrix(3, 1) << 0.2, 0.05, 0.6).finished();

  HeavyTailed() {
    parameters.values << 0.3, 5.0;
    gaussian_parameters.values << 0.3;
  }
  double log_density(const Likelihood& l, const Parameters& p, double y, Index row) const {
    double out = 0.0;
    l.type->predictive_log_density(l, {&p, nullptr, 0}, &y, make_view(&mean(row, 0), 1, 1),
                                   make_view(&variance(row, 0), 1, 1), &out);
    return out;
  }
};

TEST_F(HeavyTailed, IsTheGaussianInTheBound) {
  const Vector y = (Vector(3) << 0.1, -2.0, 7.0).finished();
  const auto value_and_gradient = [&](const Likelihood& l, const Parameters& p) {
    Matrix mean_adjoint = Matrix::Zero(3, 1), variance_adjoint = mean_adjoint;
    Vector gradient = Vector::Zero(2);
    const double value = l.type->expected_log_density(
        l, {&p, gradient.data(), 0}, y.data(), view_of(std::as_const(mean)),
        view_of(std::as_const(variance)), 1.7, view_of(mean_adjoint), view_of(variance_adjoint));
    Vector all(9);
    all << value, mean_adjoint, variance_adjoint, gradient;
    return all;
  };
  EXPECT_EQ(value_and_gradient(likelihood, parameters),
            value_and_gradient(gaussian, gaussian_parameters));
  EXPECT_EQ(value_and_gradient(likelihood, parameters)[8], 0.0) << "the tails are not trained";
}

TEST_F(HeavyTailed, PredictsStudentsTWithTheVarianceOfTheGaussian) {
  for (Index i = 0; i < 3; ++i) {
    const double total = variance(i, 0) + 0.3, scale = std::sqrt(total * 3.0 / 5.0);
    double mass = 0.0, first = 0.0, second = 0.0;
    for (double t = -14.0; t <= 14.0; t += 1e-3) {  // far into the tails
      const double r = std::sinh(t),
                   p = 1e-3 * std::cosh(t) *
                       std::exp(log_density(likelihood, parameters, mean(i, 0) + r, i));
      mass += p, first += p * r, second += p * r * r;
      const double textbook = std::tgamma(3.0) /
                              (std::tgamma(2.5) * std::sqrt(5.0 * std::numbers::pi)) / scale *
                              std::pow(1.0 + r * r / (5.0 * scale * scale), -3.0);
      ASSERT_NEAR(p, 1e-3 * std::cosh(t) * textbook, 1e-14);
    }
    EXPECT_NEAR(mass, 1.0, 1e-8);
    EXPECT_NEAR(first, 0.0, 1e-8);
    EXPECT_NEAR(second, total, 1e-5);
  }
  Matrix y_mean(3, 1), y_variance(3, 1);
  likelihood.type->predictive_moments(
      likelihood, {&parameters, nullptr, 0}, view_of(std::as_const(mean)),
      view_of(std::as_const(variance)), view_of(y_mean), view_of(y_variance));
  EXPECT_EQ(y_mean, mean);
  EXPECT_EQ(y_variance, (variance.array() + 0.3).matrix());
}

TEST_F(HeavyTailed, IsTheGaussianWithManyDegreesOfFreedom) {
  parameters.values[1] = 1e7;
  for (const double y : {-3.0, 0.2, 4.0}) {
    EXPECT_NEAR(log_density(likelihood, parameters, y, 1),
                log_density(gaussian, gaussian_parameters, y, 1), 2e-5 * (1.0 + y * y * y * y));
  }
}

TEST_F(HeavyTailed, HasAVarianceWhateverAFileSays) {
  parameters.values[1] = 0.5;
  EXPECT_EQ(tail_degrees(likelihood, {&parameters, nullptr, 0}), kFewestDegrees);
  EXPECT_TRUE(std::isfinite(log_density(likelihood, parameters, 3.0, 0)));
}

}  // namespace
}  // namespace mdgp
