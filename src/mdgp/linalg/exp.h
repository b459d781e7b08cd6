// exp for loops that the compiler vectorises.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace mdgp {

// exp(x) for x <= 0 to 1e-15 relative, 0 below -708. Plain arithmetic, so a loop over it becomes
// vector code on any machine; twice as fast as the C library's vector exp with AVX-512
// (docs/performance.md).
//   exp(x) = 2^n exp(r),  n = round(x / ln 2),  r = x - n ln 2 in two parts,  |r| <= ln 2 / 2,
// exp(r) by its Taylor polynomial of degree 13, whose remainder is below 5e-18.
inline double exp_negative(double x) {
  constexpr double kInverseLn2 = 1.4426950408889634;
  constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
  const double clamped = x < -708.0 ? -708.0 : x;
  const double n = std::nearbyint(clamped * kInverseLn2);
  const double r = (clamped - n * kLn2High) - n * kLn2Low;
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  const auto exponent = static_cast<std::uint64_t>(static_cast<std::int64_t>(n) + 1023);
  const double power = std::bit_cast<double>(exponent << 52U);
  return x < -708.0 ? 0.0 : p * power;
}

}  // namespace mdgp
