#include "mdgp/linalg/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace mdgp {
namespace {

// Runs with several thread counts and leaves the count as it was.
class ParallelFor : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_num_threads(GetParam()); }
  void TearDown() override { set_num_threads(before_); }

 private:
  int before_ = num_threads();
};

INSTANTIATE_TEST_SUITE_P(Threads, ParallelFor, testing::Values(1, 2, 3, 8));

using Counters = std::vector<std::atomic<int>>;

TEST_P(ParallelFor, RunsEveryIndexOnce) {
  for (const Index count : {0, 1, 2, 7, 8, 1000}) {
    Counters runs(static_cast<std::size_t>(count));
    parallel_for(count, [&](Index i, int) { ++runs[static_cast<std::size_t>(i)]; });
    for (const auto& r : runs) ASSERT_EQ(r, 1) << "of " << count;
  }
}

TEST_P(ParallelFor, WorkersAreNumberedBelowTheThreadCount) {
  std::atomic<int> smallest = 0, largest = 0;
  parallel_for(1000, [&](Index, int worker) {
    for (int s = smallest; worker < s && !smallest.compare_exchange_weak(s, worker);) continue;
    for (int l = largest; worker > l && !largest.compare_exchange_weak(l, worker);) continue;
  });
  EXPECT_EQ(smallest, 0);
  EXPECT_LT(largest, num_threads());
}

TEST_P(ParallelFor, AWorkerRunsOneIndexAtATime) {
  Counters busy(static_cast<std::size_t>(num_threads()));
  std::atomic<int> overlaps = 0;
  parallel_for(200, [&](Index, int worker) {
    auto& mine = busy[static_cast<std::size_t>(worker)];
    if (++mine > 1) ++overlaps;
    std::this_thread::yield();
    --mine;
  });
  EXPECT_EQ(overlaps, 0);
}

TEST_P(ParallelFor, ThrowsTheExceptionOfTheSmallestIndex) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    try {
      // Index 0 always runs, so it is the smallest that throws, though others may throw before it.
      parallel_for(8, [](Index i, int) {
        if (i == 0) std::this_thread::yield();
        throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "nothing thrown";
    } catch (const std::runtime_error& e) {
      ASSERT_STREQ(e.what(), "0");
    }
  }
}

TEST_P(ParallelFor, AnExceptionStopsTheLoop) {
  std::atomic<int> runs = 0;
  const auto body = [&](Index, int) {
    ++runs;
    throw std::runtime_error("stop");
  };
  EXPECT_THROW(parallel_for(1000, body), std::runtime_error);
  EXPECT_LE(runs, num_threads());
}

TEST_P(ParallelFor, RunsAgainAfterAnException) {
  EXPECT_THROW(parallel_for(4, [](Index, int) { throw std::runtime_error("once"); }),
               std::runtime_error);
  std::atomic<int> runs = 0;
  parallel_for(100, [&](Index, int) { ++runs; });
  EXPECT_EQ(runs, 100);
}

TEST_P(ParallelFor, AnInnerLoopRunsEveryIndexOnce) {
  Counters runs(6 * 5);
  parallel_for(6, [&](Index i, int) {
    parallel_for(5, [&](Index j, int) { ++runs[static_cast<std::size_t>(i * 5 + j)]; });
  });
  for (const auto& r : runs) EXPECT_EQ(r, 1);
}

TEST_P(ParallelFor, AnInnerLoopStaysOnItsCallersThreadAndWorker) {
  std::atomic<int> strays = 0;
  parallel_for(6, [&](Index, int outer) {
    const auto caller = std::this_thread::get_id();
    parallel_for(5, [&](Index, int inner) {
      if (std::this_thread::get_id() != caller || inner != outer) ++strays;
    });
  });
  EXPECT_EQ(strays, 0);
}

TEST_P(ParallelFor, AnInnerLoopsExceptionReachesTheOuterCaller) {
  const auto body = [](Index, int) {
    parallel_for(3, [](Index, int) { throw std::out_of_range("inner"); });
  };
  EXPECT_THROW(parallel_for(4, body), std::out_of_range);
}

TEST_P(ParallelFor, LoopsOfTwoCallersBothFinish) {
  std::atomic<int> runs = 0;
  const auto loops = [&] {
    for (int k = 0; k < 20; ++k) parallel_for(50, [&](Index, int) { ++runs; });
  };
  std::thread other(loops);
  loops();
  other.join();
  EXPECT_EQ(runs, 2000);
}

TEST_P(ParallelFor, ReportsTheThreadCount) { EXPECT_EQ(num_threads(), GetParam()); }

std::string thread_count_error(int threads) {
  try {
    set_num_threads(threads);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "(nothing thrown)";
}

TEST(SetNumThreads, RefusesFewerThanOne) {
  const std::string limit = std::to_string(max_threads());
  EXPECT_EQ(thread_count_error(0), "set_num_threads: threads is 0, but must be from 1 to " + limit);
  EXPECT_EQ(thread_count_error(-3),
            "set_num_threads: threads is -3, but must be from 1 to " + limit);
}

TEST(SetNumThreads, RefusesTooMany) {
  EXPECT_EQ(thread_count_error(1000), "set_num_threads: threads is 1000, but must be from 1 to " +
                                          std::to_string(max_threads()));
}

TEST(SetNumThreads, ARefusalChangesNothing) {
  const int before = num_threads();
  EXPECT_THROW(set_num_threads(max_threads() + 1), std::invalid_argument);
  EXPECT_EQ(num_threads(), before);
}

}  // namespace
}  // namespace mdgp
