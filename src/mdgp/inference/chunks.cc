#include "mdgp/inference/chunks.h"

#include <algorithm>

namespace mdgp {
namespace {

// Points (observations times samples) of a chunk: enough for BLAS to be fast, few enough for the
// matrices of a chunk to stay in the cache. Measured in docs/performance.md.
constexpr Index kChunkPoints = 128;

// Sums are kept per lane, so lanes cost time and memory; they also limit the threads that can work.
constexpr Index kMaxLanes = 16, kChunksPerLane = 2;

int first_task_of(const std::vector<Observation>& observations, const Index* begin,
                  const Index* end) {
  int task = observations[at(*begin)].task;
  for (const Index* k = begin; k != end; ++k) task = std::min(task, observations[at(*k)].task);
  return task;
}

}  // namespace

Index Chunks::lanes() const {
  return std::min((count() + kChunksPerLane - 1) / kChunksPerLane, kMaxLanes);
}

void Chunks::plan(const Batch& batch, Index tasks, Index samples) {
  const std::vector<Observation>& observations = *batch.observations;
  const Index n = batch.x.rows();

  row_begin_.assign(at(n) + 1, 0);
  for (const Observation& o : observations) ++row_begin_[at(o.row) + 1];
  for (Index r = 0; r < n; ++r) row_begin_[at(r) + 1] += row_begin_[at(r)];
  by_row_.resize(observations.size());
  order_.assign(row_begin_.begin(), row_begin_.end() - 1);  // where each row's next one goes
  for (std::size_t k = 0; k < observations.size(); ++k) {
    by_row_[at(order_[at(observations[k].row)]++)] = static_cast<Index>(k);
  }

  task_begin_.assign(at(tasks) + 1, 0);
  const auto for_observed_rows = [&](auto f) {
    for (Index r = 0; r < n; ++r) {
      const Index* begin = by_row_.data() + row_begin_[at(r)];
      const Index* end = by_row_.data() + row_begin_[at(r) + 1];
      if (begin != end) f(r, first_task_of(observations, begin, end));
    }
  };
  for_observed_rows([&](Index, int task) { ++task_begin_[at(task) + 1]; });
  for (Index t = 0; t < tasks; ++t) task_begin_[at(t) + 1] += task_begin_[at(t)];
  order_.resize(at(task_begin_.back()));
  for_observed_rows([&](Index r, int task) { order_[at(task_begin_[at(task)]++)] = r; });

  const auto rows = static_cast<Index>(order_.size());
  const Index points = static_cast<Index>(observations.size()) * samples;
  const Index count = std::clamp<Index>((points + kChunkPoints - 1) / kChunkPoints, 1,
                                        std::max<Index>(rows / 8, 1));
  begin_.resize(at(count) + 1);
  // Multiples of a cache line, which BLAS likes.
  for (Index c = 0; c < count; ++c) begin_[at(c)] = (rows * c / count + 4) / 8 * 8;
  begin_[at(count)] = rows;
}

Chunks::Chunk Chunks::chunk(Tape& tape, const Batch& batch, Index tasks, Index c) const {
  const std::vector<Observation>& observations = *batch.observations;
  const Index first = begin_[at(c)], n = begin_[at(c) + 1] - first;

  View x = tape.matrix(n, batch.x.cols());
  auto* id = tape.array<std::uint64_t>(n);
  auto* batch_row = tape.array<Index>(n);
  auto* first_task = tape.array<int>(n);
  auto* task_begin = tape.array<Index>(tasks + 1);
  std::fill_n(task_begin, tasks + 1, Index{0});
  Index total = 0;
  for (Index i = 0; i < n; ++i) {
    const Index r = order_[at(first + i)];
    batch_row[i] = r;
    id[i] = batch.row_id != nullptr ? batch.row_id[r] : static_cast<std::uint64_t>(r);
    const Index* begin = by_row_.data() + row_begin_[at(r)];
    const Index* end = by_row_.data() + row_begin_[at(r) + 1];
    first_task[i] = first_task_of(observations, begin, end);
    total += end - begin;
    for (const Index* k = begin; k != end; ++k) ++task_begin[observations[at(*k)].task + 1];
  }
  for (Index d = 0; d < x.cols(); ++d) {
    for (Index i = 0; i < n; ++i) x(i, d) = batch.x(batch_row[i], d);
  }
  for (Index t = 0; t < tasks; ++t) task_begin[t + 1] += task_begin[t];

  auto* row = tape.array<int>(total);
  auto* task = tape.array<int>(total);
  auto* index = tape.array<Index>(total);
  auto* next = tape.array<Index>(tasks);
  std::copy_n(task_begin, tasks, next);
  for (Index i = 0; i < n; ++i) {
    const Index r = batch_row[i];
    for (Index k = row_begin_[at(r)]; k < row_begin_[at(r) + 1]; ++k) {
      const Index observation = by_row_[at(k)];
      const int t = observations[at(observation)].task;
      const Index place = next[t]++;
      row[place] = static_cast<int>(i);
      task[place] = t;
      index[place] = observation;
    }
  }
  // With one observation each, rows are sorted by task already.
  return {{as_const(x), id, batch_row, first_task, total, row, task, task_begin, total == n},
          index};
}

}  // namespace mdgp
