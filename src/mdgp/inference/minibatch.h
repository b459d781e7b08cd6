// Batches of a data set, as a pure function of seed and step: rows are shuffled anew in every
// epoch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mdgp/inference/bound.h"

namespace mdgp {

// Rows [n, D] and the observations made on them.
struct DataSet {
  Matrix x;
  std::vector<Observation> observations;
};

enum class BatchBalance {
  proportional,  // rows as they come: a task appears as often as it was observed
  balanced,      // every task that was observed gets the same share of the rows of batches, each
                 // with an observation of that task alone
};

class Minibatches {
 public:
  // `rows`: of a batch; 0 or at least as many as there are: all, in their order. Throws where the
  // data do not fit (no observation, an index out of range).
  Minibatches(const DataSet& data, Index tasks, Index rows, BatchBalance balance,
              std::uint64_t seed);

  // The batch of a step. Its memory is this object's, until the next call.
  Batch batch(std::uint32_t step);
  // The scale of each task's log-likelihood in that batch, for BoundOptions::task_scale.
  const std::vector<double>& task_scale() const { return task_scale_; }
  bool whole() const { return rows_ == 0; }

 private:
  void shuffle(std::vector<Index>& items, std::uint32_t epoch, std::uint32_t list) const;
  void take(Index row, std::span<const Index> observations);
  void take_from(Index list, Index position);

  const DataSet& data_;
  Index tasks_, rows_;
  BatchBalance balance_;
  std::uint64_t seed_;
  std::vector<std::vector<Index>> lists_;     // all rows, or each task's observations
  std::vector<std::vector<Index>> shuffled_;  // the same in the order of their epoch
  std::vector<std::uint32_t> epochs_;
  std::vector<Index> first_;  // [n + 1] of each row's observations in by_row_
  std::vector<Index> by_row_;
  std::vector<double> task_count_;  // [T] observations in all

  Matrix by_column_;  // [D, n]: x with a row's inputs next to each other; empty where whole()
  Matrix x_;
  std::vector<Observation> observations_;
  std::vector<std::uint64_t> row_id_;
  std::vector<double> task_scale_;
  Index taken_ = 0;
};

}  // namespace mdgp
