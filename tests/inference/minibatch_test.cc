#include "mdgp/inference/minibatch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

namespace mdgp {
namespace {

// 30 rows; task 0 on all, task 1 on every third.
DataSet uneven() {
  DataSet data{Matrix(30, 1), {}};
  for (Index r = 0; r < 30; ++r) {
    data.x(r, 0) = static_cast<double>(r);
    data.observations.push_back({r, 0, 0.0});
    if (r % 3 == 0) data.observations.push_back({r, 1, 1.0});
  }
  return data;
}

TEST(Minibatches, OfAllRowsAreTheData) {
  const DataSet data = uneven();
  Minibatches batches(data, 2, 0, BatchBalance::proportional, 1);
  const Batch batch = batches.batch(5);
  EXPECT_EQ(batch.x.data(), data.x.data());
  EXPECT_EQ(batch.observations, &data.observations);
  EXPECT_EQ(batches.task_scale(), (std::vector<double>{1.0, 1.0}));
}

TEST(Minibatches, ShowEveryRowOnceAnEpoch) {
  const DataSet data = uneven();
  Minibatches batches(data, 2, 10, BatchBalance::proportional, 1);
  std::vector<std::vector<double>> orders;
  for (std::uint32_t epoch = 0; epoch < 2; ++epoch) {
    std::set<double> seen;
    auto& order = orders.emplace_back();
    for (std::uint32_t b = 0; b < 3; ++b) {
      const Batch batch = batches.batch(3 * epoch + b);
      for (Index i = 0; i < 10; ++i) {
        seen.insert(batch.x(i, 0));
        order.push_back(batch.x(i, 0));
        EXPECT_EQ(batch.row_id[i], static_cast<std::uint64_t>(batch.x(i, 0)));
      }
    }
    EXPECT_EQ(seen.size(), 30U);
  }
  EXPECT_NE(orders[0], orders[1]);
}

TEST(Minibatches, CarryARowsObservationsAlong) {
  const DataSet data = uneven();
  Minibatches batches(data, 2, 10, BatchBalance::proportional, 1);
  const Batch batch = batches.batch(1);
  std::map<Index, int> count;
  for (const Observation& o : *batch.observations) ++count[o.row];
  for (Index i = 0; i < 10; ++i) {
    EXPECT_EQ(count[i], static_cast<int>(batch.x(i, 0)) % 3 == 0 ? 2 : 1);
  }
}

TEST(Minibatches, AreAFunctionOfTheStepAlone) {
  const DataSet data = uneven();
  Minibatches a(data, 2, 7, BatchBalance::balanced, 4), b(data, 2, 7, BatchBalance::balanced, 4);
  for (std::uint32_t step = 0; step < 9; ++step) a.batch(step);
  const Matrix later = a.batch(20).x;
  EXPECT_EQ(Matrix(b.batch(20).x), later);
  EXPECT_EQ(a.task_scale(), b.task_scale());
}

// Scaled counts add up to the whole on average, so the bound's estimate is unbiased.
TEST(Minibatches, AreScaledToTheWhole) {
  const DataSet data = uneven();
  for (const BatchBalance balance : {BatchBalance::proportional, BatchBalance::balanced}) {
    Minibatches batches(data, 2, 10, balance, 2);
    double zero = 0.0, one = 0.0;
    const int steps = 300;
    for (int step = 0; step < steps; ++step) {
      const Batch batch = batches.batch(static_cast<std::uint32_t>(step));
      for (const Observation& o : *batch.observations) {
        (o.task == 0 ? zero : one) +=
            batches.task_scale()[static_cast<std::size_t>(o.task)] / steps;
      }
    }
    EXPECT_NEAR(zero, 30.0, 0.7);
    EXPECT_NEAR(one, 10.0, 0.7);
  }
}

// Every observation has weight 1 on average, also where rows have several and where a batch has
// fewer rows than there are tasks.
TEST(Minibatches, GiveBalancedObservationsTheirWeight) {
  DataSet data = uneven();
  for (Index r = 0; r < 30; r += 5) data.observations.push_back({r, 3, 2.0});  // none of task 2
  data.observations.push_back({0, 3, 2.0});                                    // again
  for (const Index rows : {2, 10}) {
    Minibatches batches(data, 4, rows, BatchBalance::balanced, 2);
    std::map<std::pair<Index, int>, double> weight;
    const std::uint32_t steps = 30 * 10 * 7 * 3;  // whole epochs of all tasks
    for (std::uint32_t step = 0; step < steps; ++step) {
      const Batch batch = batches.batch(step);
      EXPECT_EQ(std::ssize(*batch.observations), rows);
      for (const Observation& o : *batch.observations) {
        weight[{std::lround(batch.x(o.row, 0)), o.task}] +=
            batches.task_scale()[static_cast<std::size_t>(o.task)] / steps;
      }
    }
    for (const Observation& o : data.observations) {
      const double times = o.row == 0 && o.task == 3 ? 2.0 : 1.0;
      EXPECT_NEAR((weight[{o.row, o.task}]), times, 1e-9) << rows << ' ' << o.row << ' ' << o.task;
    }
  }
}

TEST(Minibatches, RefuseDataThatDoNotFit) {
  DataSet data = uneven();
  data.observations[3].task = 2;
  EXPECT_THROW(Minibatches(data, 2, 5, BatchBalance::balanced, 1), std::invalid_argument);
  data.observations.clear();
  EXPECT_THROW(Minibatches(data, 2, 5, BatchBalance::balanced, 1), std::invalid_argument);
}

}  // namespace
}  // namespace mdgp
