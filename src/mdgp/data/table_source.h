// What the readers of the formats share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mdgp/data/read_table.h"

namespace mdgp {

// One per format; the constructor reads what it needs for the names.
struct TableReader::Source {
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;
  virtual Table next(Index most, const ColumnChoice& choice) = 0;

  std::string source;
  std::vector<std::string> names;
};

// Text from a file, for a message of one line: at most 40 characters, nothing that moves a cursor.
std::string printable(std::string_view text);

// Appends a character; U+FFFD where there is no such one.
void append_utf8(std::uint32_t code, std::string& text);

// Says which of the names, counted from 1, is empty or a second one; else empty.
std::string name_problem(const std::vector<std::string>& names);

}  // namespace mdgp
