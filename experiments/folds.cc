#include "folds.h"

#include <map>
#include <numeric>

#include "mdgp/random/order.h"

namespace mdgp::experiments {
namespace {

// Members in an order that the seed decides, dealt in turn from `first` on.
void deal(const std::vector<Index>& members, int folds, std::uint64_t seed, int first,
          std::vector<int>& fold) {
  Index next = first;
  for (const Index m : in_random_order({seed, Purpose::data, 11}, members)) {
    fold[at(m)] = static_cast<int>(next++ % folds);
  }
}

std::map<int, std::vector<Index>> rows_of(const std::vector<int>& labels) {
  std::map<int, std::vector<Index>> rows;
  for (std::size_t i = 0; i < labels.size(); ++i) rows[labels[i]].push_back(static_cast<Index>(i));
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
  std::vector<Index> members(rows.size());
  std::iota(members.begin(), members.end(), Index{0});
  std::vector<int> group_fold(rows.size(), 0), fold(groups.size(), 0);
  deal(members, folds, seed, 0, group_fold);
  std::size_t g = 0;
  for (const auto& [group, list] : rows) {
    for (const Index r : list) fold[at(r)] = group_fold[g];
    ++g;
  }
  return fold;
}

}  // namespace mdgp::experiments
