#include "durations.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mdgp::experiments {
namespace {

TEST(Durations, AreUnknownOfAModelThatWasNeverDone) {
  Durations durations;
  durations.add("a", 100, 1.0);
  EXPECT_TRUE(std::isnan(durations.estimate("b", 100)));
}

TEST(Durations, AreTheMeanOfTheSameSize) {
  Durations durations;
  durations.add("a", 100, 1.0);
  durations.add("a", 100, 3.0);
  durations.add("a", 200, 50.0);
  EXPECT_NEAR(durations.estimate("a", 100), 2.0, 1e-12);
}

TEST(Durations, AreInProportionToOneSize) {
  Durations durations;
  durations.add("a", 100, 2.0);
  EXPECT_NEAR(durations.estimate("a", 300), 6.0, 1e-12);
}

TEST(Durations, FollowTheirOwnPowerOfTheSize) {
  Durations durations;
  for (const Index size : {1000, 5000}) {
    const auto n = static_cast<double>(size);
    durations.add("network", size, 14.0);
    durations.add("exact", size, 1e-9 * n * n * n);
  }
  EXPECT_NEAR(durations.estimate("network", 100), 14.0, 1e-9);
  EXPECT_NEAR(durations.estimate("exact", 2000), 8.0, 1e-9);
}

// Whatever noise makes of two times.
TEST(Durations, NeitherFallNorExplodeWithTheSize) {
  Durations durations;
  durations.add("a", 100, 2.0);
  durations.add("a", 110, 1.0);
  EXPECT_NEAR(durations.estimate("a", 1000), 1.0, 1e-12);
  durations.add("b", 100, 0.0);
  durations.add("b", 110, 1.0);
  EXPECT_NEAR(durations.estimate("b", 220), 8.0, 1e-12);
}

}  // namespace
}  // namespace mdgp::experiments
