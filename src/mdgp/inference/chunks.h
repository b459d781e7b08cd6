// How a batch is cut into chunks of rows. Chunks and lanes follow from the batch alone, never from
// the number of threads (linalg/parallel.h).
#pragma once

#include <vector>

#include "mdgp/autodiff/tape.h"
#include "mdgp/inference/bound.h"

namespace mdgp {

class Chunks {
 public:
  // Sorts rows by their first task, so that a chunk meets few of the private processes, and cuts
  // them. Rows without observations are left out.
  void plan(const Batch& batch, Index tasks, Index samples);

  Index count() const { return static_cast<Index>(begin_.size()) - 1; }
  Index lanes() const;

  // Chunk c as a block of rows, with the place of each of its observations in the batch; the arrays
  // live in the tape.
  struct Chunk {
    RowBlock rows;
    const Index* observation_index;
  };
  Chunk chunk(Tape& tape, const Batch& batch, Index tasks, Index c) const;

 private:
  std::vector<Index> row_begin_;   // [n + 1] into by_row_
  std::vector<Index> by_row_;      // observation indices, grouped by row
  std::vector<Index> task_begin_;  // counting sort of rows by first task
  std::vector<Index> order_;       // rows with observations, sorted by first task
  std::vector<Index> begin_;       // [chunks + 1] into order_
};

}  // namespace mdgp
