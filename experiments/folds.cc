#include "folds.h"

#include <algorithm>
#include <map>
#include <utility>

#include "mdgp/random/normal.h"

namespace mdgp::experiments {
namespace {

// Members in an order that the seed decides, dealt in turn from `first` on.
void deal(const std::vector<std::size_t>& members, int folds, std::uint64_t seed, int first,
          std::vector<int>& fold) {
  std::vector<std::pair<double, std::size_t>> order;
  for (const std::size_t m : members) {
    order.emplace_back(uniform({seed, Purpose::data, 11}, m, 0), m);
  }
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) {
    fold[order[i].second] =
        static_cast<int>((static_cast<std::size_t>(first) + i) % static_cast<std::size_t>(folds));
  }
}

std::map<int, std::vector<std::size_t>> rows_of(const std::vector<int>& labels) {
  std::map<int, std::vector<std::size_t>> rows;
  for (std::size_t i = 0; i < labels.size(); ++i) rows[labels[i]].push_back(i);
  return rows;
}

}  // namespace

std::vector<int> stratified_folds(const std::vector<int>& classes, int folds, std::uint64_t seed) {
  std::vector<int> fold(classes.size(), 0);
  int first = 0;  // goes on where the last class ended, so that the folds have about the same size
  for (const auto& [label, rows] : rows_of(classes)) {
    deal(rows, folds, seed, first, fold);
    first = (first + static_cast<int>(rows.size() % static_cast<std::size_t>(folds))) % folds;
  }
  return fold;
}

std::vector<int> group_folds(const std::vector<int>& groups, int folds, std::uint64_t seed) {
  const auto rows = rows_of(groups);
  std::vector<std::size_t> members(rows.size());
  for (std::size_t g = 0; g < members.size(); ++g) members[g] = g;
  std::vector<int> group_fold(rows.size(), 0), fold(groups.size(), 0);
  deal(members, folds, seed, 0, group_fold);
  std::size_t g = 0;
  for (const auto& [group, list] : rows) {
    for (const std::size_t r : list) fold[r] = group_fold[g];
    ++g;
  }
  return fold;
}

}  // namespace mdgp::experiments
