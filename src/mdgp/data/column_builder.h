// Grows one column of a table, cell by cell.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "mdgp/data/read_table.h"
#include "mdgp/data/table.h"

namespace mdgp {

class ColumnBuilder {
 public:
  ColumnBuilder(std::string name, ColumnKind kind);

  // Whether put_number is allowed: no text so far.
  bool takes_numbers() const { return !column_.text; }
  void put_number(double finite) { column_.numbers.push_back(finite); }

  // What is wrong with the cell, as the end of a sentence that begins with it; empty where nothing.
  [[nodiscard]] std::string_view put(std::string_view cell);
  [[nodiscard]] std::string_view put(double value);  // NaN: missing
  void put_missing();

  const std::string& name() const { return column_.name; }
  ColumnKind kind() const { return kind_; }
  // The column, which ends this builder.
  Column finish();

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };

  // False where words could not tell the numbers so far apart.
  bool turn_to_text();
  void put_word(std::string_view word);

  ColumnKind kind_;
  Column column_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> codes_;
};

}  // namespace mdgp
