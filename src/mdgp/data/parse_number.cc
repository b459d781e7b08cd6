#include "mdgp/data/parse_number.h"

#include <charconv>
#include <cmath>
#include <system_error>

namespace mdgp {
namespace {

bool is_infinity(std::string_view text) {
  constexpr std::string_view kName = "infinity";
  if (text.size() != 3 && text.size() != kName.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] | 0x20) != kName[i]) return false;
  }
  return true;
}

bool is_tiny(std::string_view number) {
  const std::size_t e = number.find_first_of("eE");
  return e != std::string_view::npos && number.substr(e + 1, 1) == "-";
}

}  // namespace

std::string_view trim(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

NumberText parse_number(std::string_view text, double& value) {
  text = trim(text);
  const bool negative = !text.empty() && text[0] == '-';
  const bool has_sign = negative || (!text.empty() && text[0] == '+');
  text.remove_prefix(has_sign ? 1 : 0);
  // Also keeps from_chars from its own words for NaN and infinity.
  if (text.empty() || !(is_digit(text[0]) || text[0] == '.')) {
    return is_infinity(text) ? NumberText::infinite : NumberText::not_a_number;
  }
  double size = 0.0;
  const char* const end = text.data() + text.size();
  const std::from_chars_result result = std::from_chars(text.data(), end, size);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) {
    return NumberText::not_a_number;
  }
  // from_chars calls both 1e999 and 1e-999 out of range; the second is as good as zero.
  if (result.ec == std::errc::result_out_of_range) size = is_tiny(text) ? 0.0 : HUGE_VAL;
  if (std::isinf(size)) return NumberText::out_of_range;
  value = negative ? -size : size;
  return NumberText::number;
}

}  // namespace mdgp
