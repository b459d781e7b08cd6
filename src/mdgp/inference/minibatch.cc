#include "mdgp/inference/minibatch.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mdgp/linalg/check.h"
#include "mdgp/random/normal.h"

namespace mdgp {

Minibatches::Minibatches(const DataSet& data, Index tasks, Index rows, BatchBalance balance,
                         std::uint64_t seed)
    : data_(data),
      tasks_(tasks),
      rows_(rows),
      balance_(balance),
      seed_(seed),
      task_count_(at(tasks), 0.0) {
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

  std::vector<Index> observed;  // rows
  for (Index r = 0; r < n; ++r) {
    if (first_[at(r)] < first_[at(r) + 1]) observed.push_back(r);
  }
  if (rows_ >= std::ssize(observed)) rows_ = 0;
  if (balance_ == BatchBalance::proportional) {
    lists_.push_back(std::move(observed));
  } else {
    lists_.resize(at(tasks));
    for (std::size_t k = 0; k < data.observations.size(); ++k) {
      lists_[at(data.observations[k].task)].push_back(static_cast<Index>(k));
    }
    std::erase_if(lists_, [](const std::vector<Index>& list) { return list.empty(); });
  }
  if (!whole()) by_column_ = data.x.transpose();
  shuffled_ = lists_;
  epochs_.assign(lists_.size(), ~std::uint32_t{0});
  task_scale_.assign(at(tasks), 1.0);
}

void Minibatches::shuffle(std::vector<Index>& items, std::uint32_t epoch,
                          std::uint32_t list) const {
  std::sort(items.begin(), items.end());
  const DrawKey key{seed_, Purpose::minibatch, epoch};
  for (std::size_t i = items.size(); i > 1; --i) {  // Fisher-Yates
    const double u = uniform(key, i, list);
    std::swap(items[i - 1], items[static_cast<std::size_t>(u * static_cast<double>(i))]);
  }
}

void Minibatches::take(Index row, std::span<const Index> observations) {
  x_.row(taken_) = by_column_.col(row).transpose();
  row_id_[at(taken_)] = static_cast<std::uint64_t>(row);
  for (const Index k : observations) {
    Observation o = data_.observations[at(k)];
    o.row = taken_;
    observations_.push_back(o);
  }
  ++taken_;
}

void Minibatches::take_from(Index l, Index position) {
  std::vector<Index>& list = shuffled_[at(l)];
  const auto size = static_cast<Index>(list.size());
  const auto epoch = static_cast<std::uint32_t>(position / size);
  if (epochs_[at(l)] != epoch) {
    shuffle(list, epoch, static_cast<std::uint32_t>(l));
    epochs_[at(l)] = epoch;
  }
  const Index& item = list[at(position % size)];
  if (balance_ == BatchBalance::balanced) return take(data_.observations[at(item)].row, {&item, 1});
  const std::span<const Index> all(by_row_);
  take(item, all.subspan(at(first_[at(item)]), at(first_[at(item) + 1] - first_[at(item)])));
}

Batch Minibatches::batch(std::uint32_t step) {
  if (whole()) return {view_of(data_.x), &data_.observations, nullptr};
  x_.resize(rows_, data_.x.cols());
  row_id_.resize(at(rows_));
  observations_.clear();
  taken_ = 0;
  // Rows are dealt from the lists in turn; each list is walked on its own, wrapping into its next
  // epoch.
  const auto lists = static_cast<Index>(lists_.size());
  for (Index i = 0; i < rows_; ++i) {
    const Index dealt = static_cast<Index>(step) * rows_ + i, l = dealt % lists;
    take_from(l, dealt / lists);
  }
  const double all = static_cast<double>(data_.observations.size());
  for (Index t = 0; t < tasks_; ++t) {
    // Proportional batches have one scale for all tasks, which has less variance.
    task_scale_[at(t)] =
        balance_ == BatchBalance::proportional
            ? all / static_cast<double>(observations_.size())
            : task_count_[at(t)] * static_cast<double>(lists) / static_cast<double>(rows_);
  }
  return {view_of(std::as_const(x_)), &observations_, row_id_.data()};
}

}  // namespace mdgp
