// A table whose columns lie in memory as arrays, for the formats that are read as a whole.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mdgp/data/table_source.h"

namespace mdgp {

// What the bytes of a cell mean.
enum class CellType {
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  float32,
  float64,
  bytes,  // text, up to the NULs at the end of the cell
  utf32,  // likewise
  words,  // text that was decoded already
};

struct CellFormat {
  CellType type = CellType::float64;
  std::size_t size = 8;  // bytes of a cell; not for words
  bool swapped = false;  // the other byte order
};

struct ArrayColumn {
  std::string name;
  CellFormat format;
  std::size_t block = 0;   // which of the source's blocks of bytes holds it
  std::size_t offset = 0;  // of its first cell there
  std::size_t stride = 0;  // from one row to the next
  std::vector<std::string> words;
};

struct ArraySource final : TableReader::Source {
  explicit ArraySource(std::string from) { source = std::move(from); }
  Table next(Index most, const ColumnChoice& choice) override;

  // Keeps a block of bytes, and returns its place.
  std::size_t keep(std::string bytes);
  // All columns must have the same number of rows, which their blocks must hold.
  void add(ArrayColumn column);
  // Throws where the names clash, or where there is nothing.
  void check_names();

  Index rows = 0;

 private:
  void read(const ArrayColumn& column, Index count, class ColumnBuilder& builder) const;

  std::vector<std::string> blocks_;
  std::vector<ArrayColumn> columns_;
  Index taken_ = 0;
};

}  // namespace mdgp
