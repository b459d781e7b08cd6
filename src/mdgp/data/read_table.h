// Reading tables: CSV (plain, gzipped or from standard input), NumPy .npy and .npz, MATLAB .mat.
// Files are hostile until parsed: whatever is wrong with one becomes a TableError that says where.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "mdgp/data/table.h"

namespace mdgp {

// One line: file, line or row, column, what is wrong and what would be right.
struct TableError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

enum class ColumnKind {
  skip,    // not kept, and not looked at beyond its bounds
  number,  // a cell that is neither a number nor missing is an error
  text,
  detect,  // numbers, unless a cell is neither a number nor missing
};

// What to make of a column, by its name.
using ColumnChoice = std::function<ColumnKind(std::string_view name)>;

class TableReader {
 public:
  // path "-": standard input. The format is told from the content, not from the name.
  explicit TableReader(const std::string& path);
  // From memory, as if it were a file of that name.
  TableReader(std::string_view bytes, std::string source);
  ~TableReader();
  TableReader(TableReader&&) noexcept;
  TableReader& operator=(TableReader&&) noexcept;

  // All columns of the source, in their order.
  const std::vector<std::string>& names() const;
  const std::string& source() const;

  // The next `most` rows or fewer; a table without rows at the end. Columns that are skipped do not
  // appear. With `detect`, words and kinds are of this piece of the table only. All calls must make
  // the same choice.
  Table next(Index most, const ColumnChoice& choice);

  struct Source;

 private:
  std::unique_ptr<Source> source_;
};

// All of it.
Table read_table(const std::string& path, const ColumnChoice& choice = {});

}  // namespace mdgp
