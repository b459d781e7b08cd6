#include "mdgp/data/array_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "mdgp/data/column_builder.h"

namespace mdgp {
namespace {

// An array without rows costs its file nothing per column, so that only this bounds their number.
constexpr std::size_t kMostColumns = std::size_t{1} << 20U;

template <class T>
T load(const char* from, bool swapped) {
  std::array<char, sizeof(T)> bytes;
  std::copy_n(from, sizeof(T), bytes.begin());
  if (swapped) std::reverse(bytes.begin(), bytes.end());
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

// IEEE 754 binary16: a sign, 5 bits of exponent, 10 of fraction.
double half(std::uint16_t bits) {
  const int exponent = (bits >> 10U) & 0x1F, fraction = bits & 0x3FF;
  double size = std::ldexp(fraction + (exponent > 0 ? 1024 : 0), std::max(exponent, 1) - 25);
  if (exponent == 31) size = fraction == 0 ? HUGE_VAL : std::numeric_limits<double>::quiet_NaN();
  return bits & 0x8000U ? -size : size;
}

double number_at(const char* cell, const CellFormat& format) {
  const bool swapped = format.swapped;
  switch (format.type) {
    case CellType::int8:
      return load<std::int8_t>(cell, swapped);
    case CellType::int16:
      return load<std::int16_t>(cell, swapped);
    case CellType::int32:
      return load<std::int32_t>(cell, swapped);
    case CellType::int64:
      return static_cast<double>(load<std::int64_t>(cell, swapped));
    case CellType::uint8:
      return load<std::uint8_t>(cell, swapped);
    case CellType::uint16:
      return load<std::uint16_t>(cell, swapped);
    case CellType::uint32:
      return load<std::uint32_t>(cell, swapped);
    case CellType::uint64:
      return static_cast<double>(load<std::uint64_t>(cell, swapped));
    case CellType::float16:
      return half(load<std::uint16_t>(cell, swapped));
    case CellType::float32:
      return static_cast<double>(load<float>(cell, swapped));
    default:
      return load<double>(cell, swapped);
  }
}

std::string bytes_at(const char* cell, std::size_t size) {
  while (size > 0 && cell[size - 1] == '\0') --size;
  return {cell, size};
}

std::string utf32_at(const char* cell, const CellFormat& format) {
  std::string text;
  std::size_t kept = 0;  // without the NULs at the end
  for (std::size_t i = 0; i + 4 <= format.size; i += 4) {
    const std::uint32_t code = load<std::uint32_t>(cell + i, format.swapped);
    append_utf8(code, text);
    if (code != 0) kept = text.size();
  }
  text.resize(kept);
  return text;
}

bool is_text(CellType type) {
  return type == CellType::bytes || type == CellType::utf32 || type == CellType::words;
}

// A cell that is to be text, as a file of text would write it. Other numbers go through double.
bool is_spelt(CellType type) {
  return is_text(type) || type == CellType::int64 || type == CellType::uint64;
}

std::string text_at(const char* cell, const CellFormat& format) {
  if (format.type == CellType::bytes) return bytes_at(cell, format.size);
  if (format.type == CellType::utf32) return utf32_at(cell, format);
  if (format.type == CellType::int64) {
    return std::to_string(load<std::int64_t>(cell, format.swapped));
  }
  if (format.type == CellType::uint64) {
    return std::to_string(load<std::uint64_t>(cell, format.swapped));
  }
  return shortest(number_at(cell, format));
}

}  // namespace

std::size_t ArraySource::keep(std::string bytes) {
  blocks_.push_back(std::move(bytes));
  return blocks_.size() - 1;
}

void ArraySource::add(ArrayColumn column) {
  if (columns_.size() == kMostColumns) {
    throw TableError(fmt::format("{}: more than {} columns", source, kMostColumns));
  }
  names.push_back(column.name);
  columns_.push_back(std::move(column));
}

void ArraySource::check_names() {
  if (names.empty()) throw TableError(source + ": no columns; a table needs at least one");
  const std::string problem = name_problem(names);
  if (!problem.empty()) throw TableError(fmt::format("{}: {}", source, problem));
}

void ArraySource::read(const ArrayColumn& column, Index count, ColumnBuilder& builder) const {
  const CellType type = column.format.type;
  const bool as_text = is_text(type) || (builder.kind() == ColumnKind::text && is_spelt(type));
  for (Index r = taken_; r < taken_ + count; ++r) {
    const std::size_t row = static_cast<std::size_t>(r);
    const char* const cell = type == CellType::words ? nullptr
                                                     : blocks_[column.block].data() +
                                                           column.offset + row * column.stride;
    std::string text;
    if (as_text) text = cell == nullptr ? column.words[row] : text_at(cell, column.format);
    const std::string_view problem =
        as_text ? builder.put(text) : builder.put(number_at(cell, column.format));
    if (problem.empty()) continue;
    if (!as_text) text = text_at(cell, column.format);
    throw TableError(fmt::format("{}, row {}, column '{}': '{}' {}", source, r + 1,
                                 printable(column.name), printable(text), problem));
  }
}

Table ArraySource::next(Index most, const ColumnChoice& choice) {
  Table table;
  table.source = source;
  table.first = taken_;
  table.rows = std::clamp(most, Index{0}, rows - taken_);
  for (const ArrayColumn& column : columns_) {
    const ColumnKind kind = choice ? choice(column.name) : ColumnKind::detect;
    if (kind == ColumnKind::skip) continue;
    ColumnBuilder builder(column.name, kind);
    read(column, table.rows, builder);
    table.columns.push_back(builder.finish());
  }
  taken_ += table.rows;
  return table;
}

}  // namespace mdgp
