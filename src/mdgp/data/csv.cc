#include "mdgp/data/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "mdgp/data/column_builder.h"
#include "mdgp/data/csv_cells.h"

namespace mdgp {
namespace {

class CsvSource final : public TableReader::Source {
 public:
  explicit CsvSource(std::unique_ptr<ByteStream> stream);
  Table next(Index most, const ColumnChoice& choice) override;

 private:
  struct Slot {
    ColumnBuilder* builder = nullptr;  // null: skipped
    std::size_t skips = 0;             // columns to skip from here on, without the last of all
  };
  using Slots = std::vector<Slot>;  // by column

  void read_header();
  bool begin_row();
  void read_row(const Slots& slots);
  bool put_cell(ColumnBuilder& builder);
  std::string_view with_point(std::string_view cell);
  [[noreturn]] void fail_width(std::size_t cells, bool ended);
  [[noreturn]] void fail(std::uint64_t line, std::string_view what) const;

  CsvCells cells_;
  std::uint64_t row_line_ = 0;  // of the row being read
  Index rows_ = 0;
  std::string point_;  // of with_point
  // Blank lines seen and not yet made rows. Whether they are rows shows when another row follows.
  std::uint64_t blanks_ = 0;
  std::uint64_t blank_line_ = 0;  // of the first of them
};

CsvSource::CsvSource(std::unique_ptr<ByteStream> stream) : cells_(std::move(stream)) {
  source = cells_.source();
  if (cells_.at_end()) throw TableError(source + ": empty; a table needs a header line");
  read_header();
}

void CsvSource::fail(std::uint64_t line, std::string_view what) const {
  throw TableError(fmt::format("{}, line {}: {}", source, line, what));
}

void CsvSource::read_header() {
  const std::uint64_t line = cells_.line();
  bool last = false;
  while (!last) {
    const CsvCells::Cell cell = cells_.next();
    names.emplace_back(cell.text);
    last = cell.last;
  }
  double value = 0.0;
  const bool all_numbers = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return parse_number(name, value) == NumberText::number;
  });
  if (all_numbers) {
    fail(line, "only numbers; a table needs a header line with the names of its columns");
  }
  const std::string problem = name_problem(names);
  if (!problem.empty()) fail(line, problem + "; each needs a name of its own in the header");
}

Table CsvSource::next(Index most, const ColumnChoice& choice) {
  std::deque<ColumnBuilder> builders;  // a deque: slots point into it
  Slots slots(names.size());
  for (std::size_t c = 0; c < names.size(); ++c) {
    const ColumnKind kind = choice ? choice(names[c]) : ColumnKind::detect;
    if (kind != ColumnKind::skip) slots[c].builder = &builders.emplace_back(names[c], kind);
  }
  for (std::size_t c = names.size() - 1; c-- > 0;) {
    if (slots[c].builder == nullptr) slots[c].skips = slots[c + 1].skips + 1;
  }
  Table table;
  table.source = source;
  table.first = rows_;
  while (table.rows < most && begin_row()) {
    read_row(slots);
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    table.line.push_back(static_cast<std::uint32_t>(std::min(row_line_, kMost)));
    ++table.rows;
  }
  rows_ += table.rows;
  for (ColumnBuilder& builder : builders) table.columns.push_back(builder.finish());
  return table;
}

// Whether there is another row. Blank lines at the end are none; before a row, they are missing
// cells in a table of one column, and an error else.
bool CsvSource::begin_row() {
  if (blanks_ == 0) blank_line_ = cells_.line();
  while (cells_.take_blank_line()) ++blanks_;
  if (cells_.at_end()) return false;
  if (blanks_ > 0 && names.size() > 1) {
    fail(blank_line_, fmt::format("blank, but the header has {} columns", names.size()));
  }
  row_line_ = blanks_ > 0 ? blank_line_ : cells_.line();
  return true;
}

void CsvSource::read_row(const Slots& slots) {
  if (blanks_ > 0) {
    if (slots[0].builder != nullptr) slots[0].builder->put_missing();
    ++blank_line_;
    --blanks_;
    return;
  }
  const std::size_t width = slots.size();
  double value = 0.0;
  for (std::size_t c = 0; c < width; ++c) {
    if (slots[c].skips > 0) c += cells_.skip_cheaply(slots[c].skips);
    ColumnBuilder* const builder = slots[c].builder;
    const bool last = c + 1 == width;
    if (builder != nullptr && builder->takes_numbers() && cells_.take_number(last, value)) {
      builder->put_number(value);
      continue;
    }
    const bool ended = builder != nullptr ? put_cell(*builder) : cells_.skip();
    if (ended != last) fail_width(c + 1, ended);
  }
}

// Returns whether the cell was the last of its row.
bool CsvSource::put_cell(ColumnBuilder& builder) {
  const CsvCells::Cell cell = cells_.next();
  const std::string_view problem = builder.put(with_point(cell.text));
  if (problem.empty()) return cell.last;
  throw TableError(fmt::format("{}, line {}, column '{}': '{}' {}", source, row_line_,
                               printable(builder.name()), printable(cell.text), problem));
}

// Where semicolons separate, a comma may be the decimal mark.
std::string_view CsvSource::with_point(std::string_view cell) {
  const std::size_t comma = cells_.separator() == ';' ? cell.find(',') : std::string_view::npos;
  if (comma == std::string_view::npos) return cell;
  point_ = cell;
  point_[comma] = '.';
  double value = 0.0;
  return parse_number(point_, value) == NumberText::number ? std::string_view(point_) : cell;
}

void CsvSource::fail_width(std::size_t cells, bool ended) {
  for (; !ended; ++cells) ended = cells_.skip();
  fail(row_line_, fmt::format("{} {}, but the header has {}", cells, cells == 1 ? "cell" : "cells",
                              names.size()));
}

}  // namespace

std::unique_ptr<TableReader::Source> open_csv(std::unique_ptr<ByteStream> stream) {
  return std::make_unique<CsvSource>(std::move(stream));
}

}  // namespace mdgp
