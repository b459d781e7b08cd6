#include "mdgp/posterior/distribution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace mdgp {
namespace {

// Closed forms: Cauchy for one degree of freedom, algebraic for two; the normal in the limit.
TEST(StudentT, HasTheDistributionFunctionOfTheTextbooks) {
  for (const double t : {-30.0, -2.0, -0.1, 0.0, 0.7, 5.0}) {
    EXPECT_NEAR(student_t_cdf(t, 1.0), 0.5 + std::atan(t) / std::numbers::pi, 1e-13);
    EXPECT_NEAR(student_t_cdf(t, 2.0), 0.5 + t / (2.0 * std::sqrt(2.0 + t * t)), 1e-13);
    EXPECT_NEAR(student_t_cdf(t, 1e8), 0.5 * std::erfc(-t / std::sqrt(2.0)), 1e-7);
  }
}

class Scalar : public testing::TestWithParam<std::string> {
 protected:
  Parameters parameters;
  Likelihood likelihood = make_likelihood(GetParam(), "l", parameters);
  Leaves leaves{&parameters, nullptr, 0};
  std::vector<double> mean = {-0.4, 0.3, 1.1}, variance = {0.2, 0.05, 0.6};

  double cdf(double at) const {
    return mixture_cdf(likelihood, {leaves}, mean.data(), variance.data(), 3, at);
  }
  double quantile(double level) const {
    return mixture_quantile(likelihood, {leaves}, mean.data(), variance.data(), 3, level);
  }
  double density(double at) const {
    double sum = 0.0;
    for (std::size_t s = 0; s < 3; ++s) {
      double log_density = 0.0;
      likelihood.type->predictive_log_density(likelihood, leaves, &at, make_view(&mean[s], 1, 1),
                                              make_view(&variance[s], 1, 1), &log_density);
      sum += std::exp(log_density) / 3.0;
    }
    return sum;
  }
};

class Continuous : public Scalar {};
INSTANTIATE_TEST_SUITE_P(Likelihoods, Continuous,
                         testing::Values("gaussian", "heavy_tailed", "student_t"));

TEST_P(Continuous, DistributionFunctionIsTheIntegralOfTheDensity) {
  const double from = -2.0, to = 2.5, step = 1e-3;
  double sum = 0.0;
  for (double y = from + 0.5 * step; y < to; y += step) sum += density(y) * step;
  EXPECT_NEAR(cdf(to) - cdf(from), sum, 1e-5);
}

TEST_P(Continuous, QuantilesInvertIt) {
  for (const double level : {1e-3, 0.05, 0.5, 0.9, 0.999}) {
    EXPECT_NEAR(cdf(quantile(level)), level, 1e-12);
  }
}

class Discrete : public Scalar {};
INSTANTIATE_TEST_SUITE_P(Likelihoods, Discrete, testing::Values("poisson", "bernoulli"));

TEST_P(Discrete, QuantileIsTheFirstNumberThatReachesTheLevel) {
  for (const double level : {0.01, 0.3, 0.6, 0.95}) {
    const double y = quantile(level);
    EXPECT_EQ(y, std::floor(y));
    EXPECT_GE(cdf(y), level);
    if (y > 0.0) {
      EXPECT_LT(cdf(y - 1.0), level);
    }
  }
}

TEST(MixtureCdf, RefusesClasses) {
  Parameters parameters;
  const Likelihood likelihood = make_likelihood("softmax", "l", parameters, 3);
  const double mean = 0.0, variance = 1.0;
  EXPECT_THROW(mixture_cdf(likelihood, {Leaves{&parameters, nullptr, 0}}, &mean, &variance, 1, 0.0),
               std::invalid_argument);
}

}  // namespace
}  // namespace mdgp
