// Numbers as tables write them: decimal, with a point, in the range of double.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>

namespace mdgp {

enum class NumberText { number, not_a_number, infinite, out_of_range };

// Spaces around the number and a leading '+' are fine. What is too small for a double is zero.
NumberText parse_number(std::string_view text, double& value);

// Without spaces and tabs at either end.
std::string_view trim(std::string_view text);

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

namespace internal {
inline constexpr std::array<double, 23> kPowersOf10 = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

inline constexpr std::array<std::uint64_t, 9> kWholePowersOf10 = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

// Appends the digits that begin here to `digits` (which may overflow), eight at a time: numbers
// differ in length, and a loop over single digits would be mispredicted at the end of nearly each.
inline const char* take_digits(const char* at, std::uint64_t& digits) {
  static_assert(std::endian::native == std::endian::little);
  for (;;) {
    std::uint64_t eight;
    std::memcpy(&eight, at, 8);
    eight ^= 0x3030303030303030U;  // a digit becomes its value, and nothing else becomes 0 to 9
    const std::uint64_t others = ((eight + 0x7676767676767676U) | eight) & 0x8080808080808080U;
    if (others & 0x80U) return at;
    const unsigned count = static_cast<unsigned>(std::countr_zero(others)) / 8;
    eight <<= 64 - 8 * count;            // leading zeros up to eight digits
    eight = eight * 10 + (eight >> 8U);  // pairs, in every other byte
    constexpr std::uint64_t kPairs = 0x000000FF000000FFU;
    eight = ((eight & kPairs) * (100 + (std::uint64_t{1000000} << 32U)) +
             ((eight >> 16U) & kPairs) * (1 + (std::uint64_t{10000} << 32U))) >>
            32U;
    digits = digits * kWholePowersOf10[count] + static_cast<std::uint32_t>(eight);
    at += count;
    if (count < 8) return at;
  }
}

inline const char* take_exponent(const char* at, long& exponent) {
  const bool negative = *at == '-';
  at += negative || *at == '+';
  std::uint64_t digits = 0;
  const char* const end = take_digits(at, digits);
  if (end == at || end - at > 3) return nullptr;
  exponent += negative ? -static_cast<long>(digits) : static_cast<long>(digits);
  return end;
}
}  // namespace internal

// Reads the number that begins here and returns where it ends, or null where parse_number must
// decide (spaces, a leading '+', words). Eight bytes of NUL must stand behind the text.
inline const char* take_number(const char* at, double& value) {
  const char* const begin = at;
  const bool negative = *at == '-';
  at += negative;
  std::uint64_t digits = 0;
  const char* const point = internal::take_digits(at, digits);
  const char* end = point;
  long exponent = 0;
  if (*point == '.') {
    end = internal::take_digits(point + 1, digits);
    exponent = static_cast<long>(point + 1 - end);
  }
  const long count = static_cast<long>(point - at) - exponent;
  if (count == 0) return nullptr;
  if ((*end | 0x20) == 'e' && (end = internal::take_exponent(end + 1, exponent)) == nullptr) {
    return nullptr;
  }
  // Clinger's case: a whole number below 2^53 (of up to 19 digits, so that it did not overflow),
  // times or over a power of ten that is a double, is the nearest double after one rounding.
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53U;
  if (count > 19 || digits > kExact || exponent < -22 || exponent > 22) {
    return std::from_chars(begin, end, value).ec == std::errc() ? end : nullptr;
  }
  const double whole = static_cast<double>(static_cast<std::int64_t>(digits));
  const double size = exponent < 0
                          ? whole / internal::kPowersOf10[static_cast<std::size_t>(-exponent)]
                          : whole * internal::kPowersOf10[static_cast<std::size_t>(exponent)];
  // The sign by its bit, not by a branch that would be mispredicted half of the time.
  value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(size) |
                                static_cast<std::uint64_t>(negative) << 63U);
  return end;
}

}  // namespace mdgp
