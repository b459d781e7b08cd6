#include "mdgp/random/normal.h"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>
#include <utility>

namespace mdgp {
namespace {

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
double to_unit(std::uint64_t bits) {
  return (static_cast<double>(bits >> 12U) + 0.5) * 0x1.0p-52;
}

}  // namespace

double uniform(const DrawKey& key, std::uint64_t row, std::uint32_t column) {
  return to_unit(draw(key, row, column).a);
}

double normal(const DrawKey& key, std::uint64_t row, std::uint32_t column) {
  double value = 0.0;
  normals(key, row, column, 1, &value, 1);
  return value;
}

void normals(const DrawKey& key, std::uint64_t row, std::uint32_t column, std::uint32_t count,
             double* out, std::ptrdiff_t stride) {
  const auto pair_of = [&](std::uint32_t c) {
    const Bits bits = draw(key, row, c / 2);
    const double radius = std::sqrt(-2.0 * std::log(to_unit(bits.a)));
    const double angle = 2.0 * std::numbers::pi * to_unit(bits.b);
    return std::pair(radius * std::cos(angle), radius * std::sin(angle));  // even, odd column
  };
  std::uint32_t c = 0;
  if (column % 2 == 1 && count > 0) out[stride * c++] = pair_of(column).second;
  for (; c + 1 < count; c += 2) {
    const auto [even, odd] = pair_of(column + c);
    out[stride * c] = even;
    out[stride * (c + 1)] = odd;
  }
  if (c < count) out[stride * c] = pair_of(column + c).first;
}

}  // namespace mdgp
