#include "mdgp/likelihoods/quadrature.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace mdgp {
namespace {

TEST(GaussHermite, IsExactForPolynomials) {
  const likelihoods::GaussHermite& rule = likelihoods::gauss_hermite();
  double moment = 1.0;  // E[z^2j] = 1 * 3 * 5 * ...
  for (int j = 0; 2 * j < 2 * likelihoods::quadrature_size; ++j) {
    EXPECT_NEAR((rule.weight * rule.node.pow(2 * j)).sum() / moment, 1.0, 1e-13) << j;
    moment *= 2 * j + 1;
  }
}

TEST(NormalCdf, OfManyPointsIsThatOfOne) {
  likelihoods::NodeArray x, cdf, pdf;
  for (double start = -45.0; start < 45.0; start += 0.7) {
    x.setLinSpaced(start, start + 0.7);
    likelihoods::normal_cdf_and_pdf(x.size(), x.data(), cdf.data(), pdf.data());
    for (Index k = 0; k < x.size(); ++k) {
      EXPECT_NEAR(cdf[k], likelihoods::normal_cdf(x[k]), 1e-15) << x[k];
      EXPECT_NEAR(pdf[k], likelihoods::normal_pdf(x[k]), 1e-16) << x[k];
    }
  }
}

// Beside known values: the derivative is that of the value, and d²/dx² log Φ = -h (x + h), h = φ/Φ.
TEST(LogNormalCdf, IsStableInTheTails) {
  using likelihoods::log_normal_cdf;
  EXPECT_DOUBLE_EQ(log_normal_cdf(0.0).value, -std::numbers::ln2);
  EXPECT_NEAR(log_normal_cdf(10.0).value, -7.61985302416052606597e-24, 1e-37);
  EXPECT_NEAR(log_normal_cdf(-40.0).value, -804.60844201375, 1e-10);
  for (const double x : {-1000.0, -40.0, -25.0, -10.01, -9.99, -3.0, 0.0, 2.0, 8.0}) {
    const double h = 1e-3;
    const auto value = [&](double by) { return log_normal_cdf(x + by).value; };
    const auto slope = [&](double by) { return log_normal_cdf(x + by).derivative; };
    const double d = slope(0.0);
    EXPECT_NEAR((value(h) - value(-h)) / (2 * h), d, 1e-6 * std::max(1.0, d)) << x;
    EXPECT_NEAR((slope(h) - slope(-h)) / (2 * h), -d * (x + d), 1e-6) << x;
  }
  for (double x = -37.0; x < -1.0; x += 0.37) {
    EXPECT_NEAR(log_normal_cdf(x).value, std::log(likelihoods::normal_cdf(x)), 1e-13 * x * x) << x;
  }
}

}  // namespace
}  // namespace mdgp
