#include "mdgp/random/normal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <vector>

namespace mdgp {
namespace {

constexpr int kDraws = 100'000;
// Five standard deviations of a mean of kDraws numbers of variance 1. The seeds are fixed, so a
// test that passes once passes always.
const double kFiveSigma = 5.0 / std::sqrt(kDraws);

using Sample = std::vector<double>;
using Draw = double (*)(const DrawKey&, std::uint64_t row, std::uint32_t column);

// Draws along rows and columns, 100 columns each.
Sample sample(Draw draw, const DrawKey& key, std::uint64_t first_row = 0,
              std::uint32_t first_column = 0) {
  Sample s(kDraws);
  for (std::uint32_t i = 0; i < kDraws; ++i) {
    s[i] = draw(key, first_row + i / 100, first_column + i % 100);
  }
  return s;
}

double mean(const Sample& s) { return std::accumulate(s.begin(), s.end(), 0.0) / kDraws; }

double correlation(const Sample& a, const Sample& b) {
  const double ma = mean(a), mb = mean(b);
  double ab = 0.0, aa = 0.0, bb = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - ma) * (b[i] - mb);
    aa += (a[i] - ma) * (a[i] - ma);
    bb += (b[i] - mb) * (b[i] - mb);
  }
  return ab / std::sqrt(aa * bb);
}

// sqrt(n) times the largest difference between the sample's distribution and `cdf`; by Kolmogorov
// and Smirnov it is above 1.95 in one sample of a thousand.
double kolmogorov_smirnov(Sample s, const std::function<double(double)>& cdf) {
  std::sort(s.begin(), s.end());
  double largest = 0.0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double p = cdf(s[i]), below = static_cast<double>(i) / kDraws;
    largest = std::max({largest, p - below, below + 1.0 / kDraws - p});
  }
  return std::sqrt(kDraws) * largest;
}

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

const DrawKey kKey{2024, Purpose::latent, 3};

// What both distributions promise.
class Draws : public testing::TestWithParam<Draw> {};
INSTANTIATE_TEST_SUITE_P(Of, Draws, testing::Values(&uniform, &normal), [](const auto& draw) {
  return draw.param == &uniform ? "uniform" : "normal";
});

TEST_P(Draws, AreAPureFunctionOfTheirCoordinates) {
  const double before = GetParam()(kKey, 5, 7);
  for (std::uint32_t c = 0; c < 10; ++c) GetParam()(kKey, 6, c);
  EXPECT_EQ(GetParam()(kKey, 5, 7), before);
}

TEST_P(Draws, DifferWhenAnyCoordinateDiffers) {
  const auto draw = GetParam();
  const double here = draw(kKey, 5, 7);
  const std::uint64_t high = std::uint64_t{1} << 40U;
  EXPECT_NE(draw({2025, Purpose::latent, 3}, 5, 7), here) << "seed";
  EXPECT_NE(draw({2024 + high, Purpose::latent, 3}, 5, 7), here) << "seed, high bits";
  EXPECT_NE(draw({2024, Purpose::latent, 4}, 5, 7), here) << "step";
  EXPECT_NE(draw(kKey, 6, 7), here) << "row";
  EXPECT_NE(draw(kKey, 5 + high, 7), here) << "row, high bits";
  EXPECT_NE(draw(kKey, 5, 8), here) << "column";
  EXPECT_NE(draw(kKey, 5, 6), here) << "column, the other side";
  for (const Purpose p :
       {Purpose::initialisation, Purpose::minibatch, Purpose::data, Purpose::prediction}) {
    EXPECT_NE(draw({2024, p, 3}, 5, 7), here) << "purpose " << static_cast<int>(p);
  }
}

TEST_P(Draws, NoTwoOfManyAreEqual) {
  Sample s = sample(GetParam(), kKey);
  std::sort(s.begin(), s.end());
  EXPECT_EQ(std::adjacent_find(s.begin(), s.end()), s.end());
}

TEST_P(Draws, NeighboursAreUncorrelated) {
  const auto draw = GetParam();
  const Sample here = sample(draw, kKey);
  EXPECT_LT(std::abs(correlation(here, sample(draw, kKey, 0, 1))), kFiveSigma) << "column";
  EXPECT_LT(std::abs(correlation(here, sample(draw, kKey, 1, 0))), kFiveSigma) << "row";
  EXPECT_LT(std::abs(correlation(here, sample(draw, {2024, Purpose::latent, 4}))), kFiveSigma)
      << "step";
  EXPECT_LT(std::abs(correlation(here, sample(draw, {2025, Purpose::latent, 3}))), kFiveSigma)
      << "seed";
  EXPECT_LT(std::abs(correlation(here, sample(draw, {2024, Purpose::initialisation, 3}))),
            kFiveSigma)
      << "purpose";
}

// The two normals of a Box-Muller pair share their radius; uncorrelated is not yet independent.
TEST_P(Draws, SquaresOfNeighbouringColumnsAreUncorrelated) {
  Sample here = sample(GetParam(), kKey), next = sample(GetParam(), kKey, 0, 1);
  for (double& v : here) v *= v;
  for (double& v : next) v *= v;
  EXPECT_LT(std::abs(correlation(here, next)), kFiveSigma);
}

TEST(Uniform, LiesStrictlyBetweenZeroAndOne) {
  const Sample s = sample(&uniform, kKey);
  EXPECT_GT(*std::min_element(s.begin(), s.end()), 0.0);
  EXPECT_LT(*std::max_element(s.begin(), s.end()), 1.0);
}

TEST(Uniform, HasTheDistribution) {
  EXPECT_LT(kolmogorov_smirnov(sample(&uniform, kKey), [](double u) { return u; }), 1.95);
}

TEST(Normal, HasTheDistribution) {
  EXPECT_LT(kolmogorov_smirnov(sample(&normal, kKey), normal_cdf), 1.95);
}

TEST(Normal, HasMeanZero) { EXPECT_LT(std::abs(mean(sample(&normal, kKey))), kFiveSigma); }

TEST(Normal, HasVarianceOne) {
  Sample s = sample(&normal, kKey);
  for (double& v : s) v *= v;
  EXPECT_NEAR(mean(s), 1.0, std::sqrt(2.0) * kFiveSigma);
}

TEST(Normal, HasTails) {
  const Sample s = sample(&normal, kKey);
  for (const double bound : {2.0, 3.0, 4.0}) {
    const double p = 2.0 * normal_cdf(-bound);
    const auto beyond =
        std::count_if(s.begin(), s.end(), [=](double z) { return std::abs(z) > bound; });
    EXPECT_NEAR(static_cast<double>(beyond), p * kDraws, 5.0 * std::sqrt(p * kDraws)) << bound;
  }
}

// Points of 20 pairs, here and there.
std::vector<DrawPoint> some_points() {
  std::vector<DrawPoint> points;
  for (std::uint32_t k = 0; k < 20; ++k) points.push_back({k * 7919U % 13U, k * 31U % 17U});
  return points;
}

TEST(NormalPairs, AreThoseOfNormalToTheBitWhereverTheyStand) {
  const std::vector<DrawPoint> points = some_points();
  for (const std::size_t first : {0U, 1U, 5U}) {
    for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 15U}) {
      std::vector<double> even(16), odd(16);
      normal_pairs(kKey, points.data() + first, static_cast<std::ptrdiff_t>(count), 3, even.data(),
                   odd.data());
      for (std::size_t k = 0; k < count; ++k) {
        const auto [row, pair] = points[first + k];
        EXPECT_EQ(even[k], normal(kKey, row, 2 * (pair + 3))) << first << " + " << k;
        EXPECT_EQ(odd[k], normal(kKey, row, 2 * (pair + 3) + 1)) << first << " + " << k;
      }
    }
  }
}

TEST(NormalPairs, WriteUpToTheNextMultipleOfEight) {
  constexpr double kUntouched = 99.0;
  std::vector<double> even(20, kUntouched), odd(20, kUntouched);
  normal_pairs(kKey, some_points().data(), 9, 0, even.data(), odd.data());
  for (std::size_t k = 16; k < 20; ++k) {
    EXPECT_EQ(even[k], kUntouched);
    EXPECT_EQ(odd[k], kUntouched);
  }
}

// Golden values: a model file holds a seed, and what the seed gave yesterday it must give tomorrow.
// This one is the known answer for key 0 and counter 0 in Random123's own tests (kat_vectors,
// philox4x32 10): 6627e8d5 e169c58d bc57ac4c 9b00dbd8. The seed's upper half cancels the purpose.
constexpr DrawKey kZeroKey{0x9E3779B900000000U, Purpose::latent, 0};
constexpr double kFirst = (static_cast<double>(0x6627e8d5e169c58dU >> 12U) + 0.5) * 0x1.0p-52;
constexpr double kSecond = (static_cast<double>(0xbc57ac4c9b00dbd8U >> 12U) + 0.5) * 0x1.0p-52;

TEST(Golden, UniformIsPhilox) { EXPECT_EQ(uniform(kZeroKey, 0, 0), kFirst); }

TEST(Golden, NormalsAreBoxMullerOfPhilox) {
  const double radius = std::sqrt(-2.0 * std::log(kFirst));
  const double angle = 2.0 * std::numbers::pi * kSecond;
  EXPECT_NEAR(normal(kZeroKey, 0, 0), radius * std::cos(angle), 1e-14);
  EXPECT_NEAR(normal(kZeroKey, 0, 1), radius * std::sin(angle), 1e-14);
}

// Computed by a Philox of its own, in Python.
TEST(Golden, EveryCoordinateKeepsItsPlace) {
  const DrawKey key{0x0123456789ABCDEFU, Purpose::minibatch, 17};
  EXPECT_EQ(uniform(key, 0xFEDCBA9876543210U, 5), 0x1.7c58a17261ad8p-4);
  EXPECT_NEAR(normal(key, 0xFEDCBA9876543210U, 5), -2.4541215569179258, 1e-14);
}

}  // namespace
}  // namespace mdgp
