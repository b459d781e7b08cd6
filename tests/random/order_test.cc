#include "mdgp/random/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace mdgp {
namespace {

const DrawKey kOrderKey{7, Purpose::data, 1};

TEST(RandomOrder, HasEachNumberOnce) {
  std::vector<Index> order = random_order(kOrderKey, 1000);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  std::vector<Index> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), Index{0});
  EXPECT_EQ(order, numbers);
}

TEST(RandomOrder, OfSomeNumbersIsTheirOrderAmongAll) {
  std::vector<Index> among_all = random_order(kOrderKey, 100);
  std::erase_if(among_all, [](Index n) { return n % 3 != 0; });
  std::vector<Index> some;
  for (Index n = 99; n >= 0; n -= 3) some.push_back(n);
  EXPECT_EQ(in_random_order(kOrderKey, some), among_all);
}

TEST(RandomOrder, OfNothingIsNothing) { EXPECT_TRUE(random_order(kOrderKey, 0).empty()); }

// 6,000 orders of three: each of the six comes up 1,000 times, with a deviation of 29.
TEST(RandomOrder, HasEveryOrderEquallyOften) {
  std::array<std::array<int, 3>, 3> count{};  // of the first and the second
  for (std::uint32_t step = 0; step < 6000; ++step) {
    const std::vector<Index> order = random_order({7, Purpose::data, step}, 3);
    ++count[at(order[0])][at(order[1])];
  }
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      if (a != b) {
        EXPECT_NEAR(count[a][b], 1000, 150);
      }
    }
  }
}

}  // namespace
}  // namespace mdgp
