#include "mdgp/inference/minibatch.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mdgp/linalg/check.h"
#include "mdgp/random/normal.h"

namespace mdgp {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

Minibatches::Minibatches(const DataSet& data, Index tasks, Index rows, BatchBalance balance,
                         std::uint64_t seed)
    : data_(data), tasks_(tasks), rows_(rows), seed_(seed), task_count_(at(tasks), 0.0) {
  const Index n = data.x.rows();
  if (data.observations.empty()) refuse("Minibatches", "observations", "empty", "at least one");
  first_.assign(at(n) + 1, 0);
  for (const Observation& o : data.observations) {
    check_index("Minibatches", "observation's row", o.row, n);
    check_index("Minibatches", "observation's task", o.task, tasks);
    ++first_[at(o.row) + 1];
    task_count_[at(o.task)] += 1.0;
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  by_row_.resize(data.observations.size());
  std::vector<Index> next(first_.begin(), first_.end() - 1);
  for (std::size_t k = 0; k < data.observations.size(); ++k) {
    by_row_[at(next[at(data.observations[k].row)]++)] = static_cast<Index>(k);
  }

  const bool by_task = balance == BatchBalance::balanced;
  lists_.resize(by_task ? at(tasks) : 1);
  for (Index r = 0; r < n; ++r) {
    for (Index k = first_[at(r)]; k < first_[at(r) + 1]; ++k) {
      const int task = data.observations[at(by_row_[at(k)])].task;
      if (by_task) lists_[at(task)].push_back(r);
      if (!by_task && k == first_[at(r)]) lists_[0].push_back(r);
    }
  }
  std::erase_if(lists_, [](const std::vector<Index>& list) { return list.empty(); });
  Index observed = 0;
  for (Index r = 0; r < n; ++r) observed += first_[at(r)] < first_[at(r) + 1] ? 1 : 0;
  if (rows_ >= observed) rows_ = 0;
  if (!whole()) by_column_ = data.x.transpose();
  shuffled_ = lists_;
  epochs_.assign(lists_.size(), ~std::uint32_t{0});
  task_scale_.assign(at(tasks), 1.0);
}

void Minibatches::shuffle(std::vector<Index>& rows, std::uint32_t epoch, std::uint32_t list) const {
  std::sort(rows.begin(), rows.end());
  const DrawKey key{seed_, Purpose::minibatch, epoch};
  for (std::size_t i = rows.size(); i > 1; --i) {  // Fisher-Yates
    const double u = uniform(key, i, list);
    std::swap(rows[i - 1], rows[static_cast<std::size_t>(u * static_cast<double>(i))]);
  }
}

void Minibatches::take(Index row) {
  x_.row(taken_) = by_column_.col(row).transpose();
  row_id_[at(taken_)] = static_cast<std::uint64_t>(row);
  for (Index k = first_[at(row)]; k < first_[at(row) + 1]; ++k) {
    Observation o = data_.observations[at(by_row_[at(k)])];
    o.row = taken_;
    observations_.push_back(o);
  }
  ++taken_;
}

Batch Minibatches::batch(std::uint32_t step) {
  if (whole()) return {view_of(data_.x), &data_.observations, nullptr};
  x_.resize(rows_, data_.x.cols());
  row_id_.resize(at(rows_));
  observations_.clear();
  taken_ = 0;
  // Each list is walked on its own, wrapping into its next epoch; the share of a list differs by at
  // most one row from the others'.
  const auto lists = static_cast<Index>(lists_.size());
  for (Index l = 0; l < lists; ++l) {
    const Index share = rows_ * (l + 1) / lists - rows_ * l / lists;
    const auto size = static_cast<Index>(lists_[at(l)].size());
    for (Index i = 0; i < share; ++i) {
      const Index position = static_cast<Index>(step) * share + i;
      const auto epoch = static_cast<std::uint32_t>(position / size);
      if (epochs_[at(l)] != epoch) {
        shuffle(shuffled_[at(l)], epoch, static_cast<std::uint32_t>(l));
        epochs_[at(l)] = epoch;
      }
      take(shuffled_[at(l)][at(position % size)]);
    }
  }
  std::vector<double>& count = task_scale_;
  std::fill(count.begin(), count.end(), 0.0);
  for (const Observation& o : observations_) count[at(o.task)] += 1.0;
  const double all = std::accumulate(task_count_.begin(), task_count_.end(), 0.0);
  for (Index t = 0; t < tasks_; ++t) {
    // Proportional batches have one scale for all tasks, which has less variance.
    const double scale = lists_.size() > 1 ? task_count_[at(t)] / std::max(count[at(t)], 1.0)
                                           : all / static_cast<double>(observations_.size());
    task_scale_[at(t)] = scale;
  }
  return {view_of(std::as_const(x_)), &observations_, row_id_.data()};
}

}  // namespace mdgp
