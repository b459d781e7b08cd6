// A random order of things that have numbers.
#pragma once

#include <vector>

#include "mdgp/linalg/matrix.h"
#include "mdgp/random/normal.h"

namespace mdgp {

// These numbers, each from 0 on, in the order of a uniform at (number, 0) of this key: where a
// number stands before another does not depend on which others there are.
std::vector<Index> in_random_order(const DrawKey& key, std::vector<Index> numbers);

// 0, 1, …, count - 1 in such an order.
std::vector<Index> random_order(const DrawKey& key, Index count);

}  // namespace mdgp
