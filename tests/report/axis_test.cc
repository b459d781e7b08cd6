#include "mdgp/report/axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "testing/not_finite.h"

namespace mdgp {
namespace {

using Labels = std::vector<std::string>;

Labels labels(const Range& range, int most) {
  Labels out;
  for (const Tick& tick : round_ticks(range, most)) out.push_back(tick.label);
  return out;
}

TEST(RoundTicks, StepsAreOneTwoOrFive) {
  EXPECT_EQ(labels({0.0, 10.0}, 6), (Labels{"0", "2", "4", "6", "8", "10"}));
  EXPECT_EQ(labels({0.0, 1.0}, 3), (Labels{"0.0", "0.5", "1.0"}));
  EXPECT_EQ(labels({-1.2, 1.2}, 3), (Labels{"−1", "0", "1"}));
  EXPECT_EQ(labels({0.07, 0.33}, 3), (Labels{"0.1", "0.2", "0.3"}));
}

TEST(RoundTicks, UsesAnExponentWhereItIsShorter) {
  EXPECT_EQ(labels({0.0, 3e6}, 4), (Labels{"0", "1e6", "2e6", "3e6"}));
  EXPECT_EQ(labels({0.0, 2e-7}, 3), (Labels{"0", "1e-7", "2e-7"}));
  EXPECT_EQ(labels({0.0, 20000.0}, 3), (Labels{"0", "10000", "20000"}));
}

TEST(RoundTicks, LieInsideTheRangeAndAreFew) {
  for (const double low : {-1e9, -3.7, 0.0, 1e-12, 0.99, 123456.0}) {
    for (double width = 1e-5; width < 1e9; width *= 3.3) {
      const Range range{low, low + width};
      const std::vector<Tick> ticks = round_ticks(range, 5);
      ASSERT_GE(ticks.size(), 1U) << low << " " << width;
      ASSERT_LE(ticks.size(), 5U) << low << " " << width;
      EXPECT_GE(ticks.front().value, range.low - 1e-6 * width);
      EXPECT_LE(ticks.back().value, range.high + 1e-6 * width);
    }
  }
}

TEST(LogTicks, AreOneTwoFiveOrPowersOfTen) {
  const auto labels = [](double low, double high, int most) {
    std::string out;
    for (const Tick& t : log_ticks({std::log10(low), std::log10(high)}, most)) out += t.label + " ";
    return out;
  };
  EXPECT_EQ(labels(100.0, 5000.0, 8), "100 200 500 1000 2000 5000 ");
  EXPECT_EQ(labels(0.5, 5000.0, 8), "1 10 100 1000 ");
  EXPECT_EQ(labels(0.1, 1e5, 4), "0.1 10 1000 100000 ");
  EXPECT_EQ(labels(210.0, 480.0, 8), "250 300 350 400 450 ");
}

TEST(LogTicks, StandAtTheLogarithm) {
  const std::vector<Tick> ticks = log_ticks({2.0, 3.0}, 8);
  ASSERT_EQ(ticks.size(), 4U);
  EXPECT_DOUBLE_EQ(ticks[1].value, std::log10(200.0));
}

TEST(RangeFinder, HasRoomForEveryData) {
  const auto range = [](const std::vector<double>& values) {
    RangeFinder finder;
    finder.add(values);
    return finder.range(0.1);
  };
  EXPECT_DOUBLE_EQ(range({0.0, kNaN, 10.0, kInfinity}).high, 11.0);
  EXPECT_DOUBLE_EQ(range({0.0, 10.0, -kInfinity}).low, -1.0);
  for (const std::vector<double>& values :
       {std::vector<double>{}, {kNaN}, {0.0}, {7.0, 7.0}, {-1e80}, {1e-200, 2e-200}, {1e300}}) {
    const Range r = range(values);
    EXPECT_LT(r.low, r.high);
    EXPECT_TRUE(std::isfinite(r.high - r.low));
  }
}

}  // namespace
}  // namespace mdgp
