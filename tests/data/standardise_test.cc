#include "mdgp/data/standardise.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mdgp {
namespace {

// A number, a word of three and another number; a regression, a count and a task of labels.
struct Standardised {
  Schema schema;
  DataSet train{Matrix(3, 5), {}};

  Standardised() {
    schema.inputs = {{.name = "x", .words = {}, .mean = 10.0, .deviation = 2.0},
                     {.name = "word", .text = true, .words = {"a", "b", "c"}},
                     {.name = "same", .words = {}, .mean = 5.0, .deviation = 3.0}};
    schema.tasks = {
        {.name = "y", .labels = {}, .mean = 100.0, .deviation = 50.0, .observed = 4},
        {.name = "n", .kind = TaskKind::count, .labels = {}, .mean = 9.0, .observed = 4},
        {.name = "l", .kind = TaskKind::binary, .labels = {"no", "yes"}, .observed = 4}};
    train.x << -1, 1, 0, 0, 0.5,  //
        1, 0, 1, 0, 0.5,          //
        3, 0, 1, 0, 0.5;
    train.observations = {{0, 0, 1.0}, {1, 0, 3.0}, {1, 1, 2.0}, {2, 1, 4.0}, {2, 2, 1.0}};
    standardise_by(train, schema);
  }
};

TEST(StandardiseBy, TakesTheUnitsOfTheRows) {
  const Standardised s;
  EXPECT_NEAR(s.schema.inputs[0].mean, 12.0, 1e-12);  // of 8, 12 and 16
  EXPECT_NEAR(s.schema.inputs[0].deviation, std::sqrt(32.0 / 3.0), 1e-12);
  EXPECT_NEAR(s.schema.tasks[0].mean, 200.0, 1e-12);  // of 150 and 250
  EXPECT_NEAR(s.schema.tasks[0].deviation, 50.0, 1e-12);
}

TEST(StandardiseBy, CountsTheTargets) {
  const Standardised s;
  EXPECT_EQ(s.schema.tasks[0].observed, 2);
  EXPECT_EQ(s.schema.tasks[1].observed, 2);
  EXPECT_EQ(s.schema.tasks[2].observed, 1);
}

TEST(StandardiseBy, KnowsThatCountsAndLabelsHaveNoUnits) {
  const Standardised s;
  EXPECT_EQ(s.schema.tasks[1].mean, 3.0);  // of 2 and 4
  EXPECT_EQ(s.schema.tasks[1].deviation, 1.0);
  EXPECT_EQ(s.schema.tasks[2].mean, 0.0);
  EXPECT_EQ(s.schema.inputs[1].words.size(), 3U);
}

TEST(StandardiseBy, KeepsTheDeviationOfWhatIsTheSame) {
  const Standardised s;
  EXPECT_EQ(s.schema.inputs[2].mean, 6.5);
  EXPECT_EQ(s.schema.inputs[2].deviation, 3.0);
}

}  // namespace
}  // namespace mdgp
