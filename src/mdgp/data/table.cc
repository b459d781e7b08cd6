#include "mdgp/data/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "mdgp/data/parse_number.h"

namespace mdgp {

std::string Table::where(Index row) const {
  if (line.empty()) return fmt::format("{}, row {}", source, first + row + 1);
  return fmt::format("{}, line {}", source, line[static_cast<std::size_t>(row)]);
}

const Column* Table::find(std::string_view name) const {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [name](const Column& c) { return c.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

bool is_missing(std::string_view cell) {
  cell = trim(cell);
  const auto is = [cell](std::size_t i, char lower) { return (cell[i] | 0x20) == lower; };
  if (cell.size() == 2) return is(0, 'n') && is(1, 'a');
  if (cell.size() == 3) return is(0, 'n') && is(1, 'a') && is(2, 'n');
  return cell.empty();
}

std::string shortest(double value) {
  char text[32];
  // to_chars would write 100000 as 1e+05; as a label or in a list, it should stay as people write
  // it.
  const bool whole = std::abs(value) < 1e15 && value == std::trunc(value) &&
                     !(value == 0.0 && std::signbit(value));
  const std::to_chars_result end =
      whole ? std::to_chars(text, text + sizeof(text), static_cast<long long>(value))
            : std::to_chars(text, text + sizeof(text), value);
  return {text, end.ptr};
}

}  // namespace mdgp
