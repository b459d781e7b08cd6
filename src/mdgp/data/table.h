// A table from outside: named columns of numbers or of text, with gaps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mdgp/linalg/matrix.h"

namespace mdgp {

// A column of text keeps each distinct word once. Numbers among the text are spelt in their
// shortest form ("007" and "7.0" are "7"), so that a word does not depend on how a file writes it.
struct Column {
  std::string name;
  bool text = false;
  std::vector<double> numbers;     // where not text; NaN: missing
  std::vector<std::int32_t> code;  // where text: into words; -1: missing
  std::vector<std::string> words;  // in the order of their first appearance
};

struct Table {
  std::string source;  // "rows.csv", "standard input": for messages
  Index rows = 0;
  std::vector<Column> columns;
  // CSV: the line that each row begins on, counted from 1 with the header; else empty.
  std::vector<std::uint32_t> line;
  Index first = 0;  // which row of the source the first one here is

  // "rows.csv, line 17", or "rows.npy, row 16" (from 1) where rows have no lines.
  std::string where(Index row) const;
  const Column* find(std::string_view name) const;  // null where there is none
};

// An empty cell, NaN and NA (in any case): not observed.
bool is_missing(std::string_view cell);

// The shortest spelling of a number that reads back as the same one.
std::string shortest(double value);

}  // namespace mdgp
