#include "mdgp/likelihoods/cubature.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "mdgp/likelihoods/quadrature.h"

namespace mdgp::likelihoods {
namespace {

// The x > 0 with Φ(-x) = tail, by bisection: it runs 512 times in all.
double upper_quantile(double tail) {
  double low = 0.0, high = 10.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (normal_cdf(-middle) > tail ? low : high) = middle;
  }
  return low;
}

// The middles of the strata above 0.
const CubaturePoints& positive_strata() {
  static const CubaturePoints strata = [] {
    CubaturePoints x;
    for (Index j = 0; j < cubature_size; ++j) {
      x[j] = upper_quantile(0.5 * (static_cast<double>(j) + 0.5) / cubature_size);
    }
    return CubaturePoints(x / std::sqrt(x.square().mean()));
  }();
  return strata;
}

// SplitMix64 (Steele, Lea and Flood, 2014).
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t x = state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// The strata in an order, and with signs, that depend on the dimension only.
void shuffle_strata(Index dimension, double* z) {
  const CubaturePoints& strata = positive_strata();
  std::uint64_t state = static_cast<std::uint64_t>(dimension) << 32;
  for (Index k = 0; k < cubature_size; ++k) {
    const std::uint64_t random = next_random(state);
    const Index j = static_cast<Index>((random >> 1) % static_cast<std::uint64_t>(k + 1));
    z[k] = z[j];
    z[j] = random & 1u ? strata[k] : -strata[k];
  }
}

}  // namespace

const double* cubature_points(Index dimensions) {
  thread_local std::vector<double> points;
  const Index made = static_cast<Index>(points.size()) / cubature_size;
  if (made < dimensions) {
    points.resize(static_cast<std::size_t>(dimensions * cubature_size));
    for (Index d = made; d < dimensions; ++d) shuffle_strata(d, points.data() + d * cubature_size);
  }
  return points.data();
}

}  // namespace mdgp::likelihoods
