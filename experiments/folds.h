// The folds of a cross-validation, as pure functions of a seed.
#pragma once

#include <cstdint>
#include <vector>

namespace mdgp::experiments {

// A fold in [0, folds) for every row: the rows of each class are shuffled and dealt in turn.
std::vector<int> stratified_folds(const std::vector<int>& classes, int folds, std::uint64_t seed);

// The same for groups, which stay together.
std::vector<int> group_folds(const std::vector<int>& groups, int folds, std::uint64_t seed);

}  // namespace mdgp::experiments
