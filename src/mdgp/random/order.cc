#include "mdgp/random/order.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace mdgp {

std::vector<Index> in_random_order(const DrawKey& key, std::vector<Index> numbers) {
  std::vector<std::pair<double, Index>> drawn;
  drawn.reserve(numbers.size());
  for (const Index n : numbers) {
    drawn.emplace_back(uniform(key, static_cast<std::uint64_t>(n), 0), n);
  }
  std::sort(drawn.begin(), drawn.end());
  for (std::size_t i = 0; i < drawn.size(); ++i) numbers[i] = drawn[i].second;
  return numbers;
}

std::vector<Index> random_order(const DrawKey& key, Index count) {
  std::vector<Index> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), Index{0});
  return in_random_order(key, std::move(numbers));
}

}  // namespace mdgp
