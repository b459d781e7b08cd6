#include "mdgp/random/normal.h"

#include <Random123/philox.h>

#include <algorithm>

#include "mdgp/random/box_muller.h"

namespace mdgp {
namespace {

constexpr std::ptrdiff_t kLanes = 8;  // see box_muller()

struct Bits {
  std::uint64_t a, b;
};

// The seed and the purpose are the key; row, column and step are the counter. (The purpose is mixed
// into the key, as the counter's 128 bits are taken.)
Bits draw(const DrawKey& key, std::uint64_t row, std::uint32_t column) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32U); };
  const std::uint32_t purpose = static_cast<std::uint32_t>(key.purpose) * 0x9E3779B9U;
  const r123::Philox4x32::key_type k = {{low(key.seed), high(key.seed) ^ purpose}};
  const r123::Philox4x32::ctr_type c = {{low(row), high(row), column, key.step}};
  const r123::Philox4x32::ctr_type r = r123::Philox4x32()(c, k);
  return {static_cast<std::uint64_t>(r[0]) << 32U | r[1],
          static_cast<std::uint64_t>(r[2]) << 32U | r[3]};
}

// The middle of one of 2^52 equal intervals of (0, 1): never 0, never 1.
double to_unit(std::uint64_t bits) { return (static_cast<double>(bits >> 12U) + 0.5) * 0x1.0p-52; }

}  // namespace

double uniform(const DrawKey& key, std::uint64_t row, std::uint32_t column) {
  return to_unit(draw(key, row, column).a);
}

double normal(const DrawKey& key, std::uint64_t row, std::uint32_t column) {
  const DrawPoint point{row, column / 2};
  double even[kLanes], odd[kLanes];
  normal_pairs(key, &point, 1, 0, even, odd);
  return column % 2 == 0 ? even[0] : odd[0];
}

void normal_pairs(const DrawKey& key, const DrawPoint* points, std::ptrdiff_t count,
                  std::uint32_t offset, double* even, double* odd) {
  const std::ptrdiff_t padded = (count + kLanes - 1) / kLanes * kLanes;
  for (std::ptrdiff_t k = 0; k < count; ++k) {
    const Bits bits = draw(key, points[k].row, points[k].column + offset);
    even[k] = to_unit(bits.a);
    odd[k] = to_unit(bits.b);
  }
  std::fill(even + count, even + padded, 0.5);
  std::fill(odd + count, odd + padded, 0.5);
  box_muller(padded, even, odd);
}

}  // namespace mdgp
