#include "mdgp/data/column_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mdgp/data/parse_number.h"

namespace mdgp {
namespace {

std::string_view problem_of(NumberText text) {
  if (text == NumberText::infinite) return "is not finite";
  if (text == NumberText::out_of_range) return "is beyond the range of double";
  return "is not a number";
}

// Adding zero makes -0 the same word as 0.
std::string word_of(double value) { return shortest(value + 0.0); }

// Long identifiers that differ only in digits which a double would lose must stay different words.
constexpr double kFirstLong = 9007199254740992.0;  // 2^53
constexpr std::string_view kAfterLong =
    "is text below numbers of 16 digits or more, which could not be told apart as words; "
    "begin them with a letter";

bool is_long_integer(std::string_view cell, double value) {
  if (std::abs(value) < kFirstLong) return false;
  cell.remove_prefix(cell[0] == '-' || cell[0] == '+' ? 1 : 0);
  return std::all_of(cell.begin(), cell.end(), is_digit);
}

}  // namespace

ColumnBuilder::ColumnBuilder(std::string name, ColumnKind kind) : kind_(kind) {
  column_.name = std::move(name);
  column_.text = kind == ColumnKind::text;
}

std::string_view ColumnBuilder::put(std::string_view cell) {
  if (is_missing(cell)) return put_missing(), "";
  double value = 0.0;
  const NumberText parsed = parse_number(cell, value);
  const bool is_number = parsed == NumberText::number;
  if (!column_.text) {
    if (is_number) return put_number(value), "";
    if (kind_ == ColumnKind::number) return problem_of(parsed);
    if (!turn_to_text()) return kAfterLong;
  }
  if (is_number && !is_long_integer(trim(cell), value)) {
    put_word(word_of(value));
  } else {
    put_word(is_number ? trim(cell) : cell);
  }
  return "";
}

std::string_view ColumnBuilder::put(double value) {
  if (std::isnan(value)) return put_missing(), "";
  if (!column_.text) {
    if (std::isfinite(value)) return put_number(value), "";
    if (kind_ == ColumnKind::number) return problem_of(NumberText::infinite);
    if (!turn_to_text()) return kAfterLong;
  }
  put_word(word_of(value));
  return "";
}

void ColumnBuilder::put_missing() {
  if (column_.text) {
    column_.code.push_back(-1);
  } else {
    column_.numbers.push_back(std::numeric_limits<double>::quiet_NaN());
  }
}

bool ColumnBuilder::turn_to_text() {
  for (const double value : column_.numbers) {
    if (std::abs(value) >= kFirstLong) return false;
  }
  column_.text = true;
  const std::vector<double> numbers = std::exchange(column_.numbers, {});
  column_.code.reserve(numbers.size());
  for (const double value : numbers) {
    if (std::isnan(value)) {
      put_missing();
    } else {
      put_word(word_of(value));
    }
  }
  return true;
}

void ColumnBuilder::put_word(std::string_view word) {
  auto found = codes_.find(word);
  if (found == codes_.end()) {
    found = codes_.emplace(word, static_cast<std::int32_t>(codes_.size())).first;
  }
  column_.code.push_back(found->second);
}

Column ColumnBuilder::finish() {
  column_.words.resize(codes_.size());
  while (!codes_.empty()) {
    auto node = codes_.extract(codes_.begin());
    column_.words[static_cast<std::size_t>(node.mapped())] = std::move(node.key());
  }
  return std::move(column_);
}

}  // namespace mdgp
