#include "mdgp/data/matlab.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "mdgp/data/array_source.h"

// "MAT-File Format", MathWorks, chapter 1: after 128 bytes of header come elements, each a tag
// (type, bytes) and data. A matrix is an element whose data are elements again: flags, dimensions,
// name, values. Values may be stored in a smaller type than the matrix has.
namespace mdgp {
namespace {

constexpr std::uint32_t kInt8 = 1, kUint8 = 2, kUint16 = 4, kInt32 = 5, kUint32 = 6, kMatrix = 14,
                        kCompressed = 15, kUtf8 = 16, kUtf16 = 17;
constexpr unsigned kCellClass = 1, kCharClass = 4, kDoubleClass = 6, kUint64Class = 15;
constexpr std::uint32_t kComplex = 0x800;

struct Element {
  std::uint32_t type = 0;
  std::string_view data;
};

struct Variable {
  std::string name;
  std::size_t rows = 0, columns = 0;
  CellFormat format;
  std::string values;              // column by column
  std::vector<std::string> words;  // instead of values
};

// The elements in a stretch of bytes, one after the other.
class Elements {
 public:
  Elements(std::string_view bytes, bool swapped, const std::string& source)
      : rest_(bytes), swapped_(swapped), source_(source) {}

  bool empty() const { return rest_.empty(); }

  std::uint32_t word(std::string_view bytes, std::size_t i) const {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + 4 * i, 4);
    return swapped_ ? __builtin_bswap32(value) : value;
  }

  Element next() {
    if (rest_.size() < 8) fail("an element ends early");
    const std::uint32_t first = word(rest_, 0);
    const bool small = first >> 16U != 0;  // the tag holds the data
    const std::size_t begin = small ? 4 : 8, bytes = small ? first >> 16U : word(rest_, 1);
    if (bytes > rest_.size() - begin || (small && bytes > 4)) fail("an element is too long");
    const Element element{small ? first & 0xFFFFU : first, rest_.substr(begin, bytes)};
    rest_.remove_prefix(std::min(rest_.size(), (begin + bytes + 7) / 8 * 8));
    return element;
  }

  Element next(std::uint32_t type, std::string_view what) {
    const Element element = next();
    if (element.type != type) fail(fmt::format("the {} of a variable are not there", what));
    return element;
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw TableError(fmt::format("{}: a damaged MATLAB file: {}", source_, what));
  }

 private:
  std::string_view rest_;
  bool swapped_;
  const std::string& source_;
};

struct StorageType {
  std::uint32_t code;
  CellType type;
  std::size_t size;
};
constexpr StorageType kStorageTypes[] = {
    {kInt8, CellType::int8, 1},     {kUint8, CellType::uint8, 1}, {3, CellType::int16, 2},
    {kUint16, CellType::uint16, 2}, {kInt32, CellType::int32, 4}, {kUint32, CellType::uint32, 4},
    {7, CellType::float32, 4},      {9, CellType::float64, 8},    {12, CellType::int64, 8},
    {13, CellType::uint64, 8},
};

class MatlabFile {
 public:
  explicit MatlabFile(ByteStream& stream);
  // The next element that is a variable of a kind that we read; none at the end.
  std::optional<Variable> next();

 private:
  std::optional<std::string> next_matrix();
  std::optional<Variable> variable(std::string_view matrix, bool in_cell) const;
  std::optional<Variable> numbers(Elements& in, Variable variable) const;
  std::optional<Variable> text(Elements& in, Variable variable) const;
  std::optional<Variable> cells(Elements& in, Variable variable) const;
  std::vector<std::uint32_t> characters(const Element& element) const;
  [[noreturn]] void fail(std::string_view what) const {
    Elements("", swapped_, stream_.source()).fail(what);
  }

  ByteStream& stream_;
  bool swapped_ = false;
  bool ended_ = false;
};

MatlabFile::MatlabFile(ByteStream& stream) : stream_(stream) {
  const std::string header = stream.take(128);
  if (!header.ends_with("IM") && !header.ends_with("MI")) fail("its header ends early");
  swapped_ = header.ends_with("MI");  // as a little-endian machine sees it
}

// The data of the next element at the top, unpacked, if it is a matrix.
std::optional<std::string> MatlabFile::next_matrix() {
  const std::string tag = stream_.take(8);
  ended_ = tag.empty();
  if (ended_) return {};
  if (tag.size() < 8) fail("an element ends early");
  const Elements words(tag, swapped_, stream_.source());
  const std::uint32_t type = words.word(tag, 0), bytes = words.word(tag, 1);
  if (type >> 16U != 0) return {};  // a small element, which cannot be a matrix
  std::string data = stream_.take(bytes);
  if (data.size() < bytes) fail("an element ends early; is the file complete?");
  if (type != kCompressed) {
    stream_.take((8 - bytes % 8) % 8);
    return type == kMatrix ? std::optional(std::move(data)) : std::nullopt;
  }
  const auto unpacked = unpack(open_memory(std::move(data), stream_.source()), Packing::zlib);
  const std::string inner = unpacked->take(8);
  if (inner.size() < 8) fail("a compressed element is empty");
  if (words.word(inner, 0) != kMatrix) return {};
  std::string matrix = unpacked->take(words.word(inner, 1));
  if (matrix.size() < words.word(inner, 1)) fail("a compressed element ends early");
  return matrix;
}

std::optional<Variable> MatlabFile::next() {
  while (!ended_) {
    const std::optional<std::string> matrix = next_matrix();
    if (!matrix || matrix->empty()) continue;
    std::optional<Variable> found = variable(*matrix, false);
    // MATLAB keeps things of its own in a variable without a name.
    if (found && !found->name.empty() && found->rows > 0 && found->columns > 0) return found;
  }
  return {};
}

std::optional<Variable> MatlabFile::variable(std::string_view matrix, bool in_cell) const {
  Elements in(matrix, swapped_, stream_.source());
  const std::string_view flags = in.next(kUint32, "flags").data;
  const std::string_view sizes = in.next(kInt32, "dimensions").data;
  const std::string_view name = in.next(kInt8, "name").data;
  if (flags.size() != 8) fail("the flags of a variable are not there");
  const std::uint32_t kind = in.word(flags, 0) & 0xFFU;
  if (sizes.size() != 8 || (in.word(flags, 0) & kComplex) != 0) return {};
  Variable found;
  found.name = name;
  found.rows = in.word(sizes, 0);
  found.columns = in.word(sizes, 1);
  if (kind == kCharClass) return text(in, std::move(found));
  if (kind == kCellClass && !in_cell) return cells(in, std::move(found));
  if (kind >= kDoubleClass && kind <= kUint64Class) return numbers(in, std::move(found));
  return {};
}

std::optional<Variable> MatlabFile::numbers(Elements& in, Variable variable) const {
  const Element values = in.next();
  for (const StorageType& storage : kStorageTypes) {
    if (storage.code != values.type) continue;
    // Two numbers below 2^32: the product cannot overflow.
    const std::size_t cells = variable.rows * variable.columns;
    if (values.data.size() % storage.size != 0 || values.data.size() / storage.size != cells) {
      fail(fmt::format("'{}' is {} x {}, but has {} bytes of values", printable(variable.name),
                       variable.rows, variable.columns, values.data.size()));
    }
    variable.format = {storage.type, storage.size, swapped_};
    variable.values = values.data;
    return variable;
  }
  fail(fmt::format("'{}' is of an unknown type", printable(variable.name)));
}

// UTF-16, as MATLAB has them in memory, or what else they are stored as.
std::vector<std::uint32_t> MatlabFile::characters(const Element& element) const {
  const std::string_view data = element.data;
  std::vector<std::uint32_t> units;
  const auto byte = [data](std::size_t i) { return static_cast<unsigned char>(data[i]); };
  if (element.type == kUint16 || element.type == kUtf16) {
    const std::size_t low = swapped_ ? 1 : 0;
    for (std::size_t i = 0; i + 1 < data.size(); i += 2) {
      units.push_back(static_cast<std::uint32_t>(byte(i + low) | byte(i + 1 - low) << 8));
    }
    return units;
  }
  if (element.type != kUtf8 && element.type != kUint8 && element.type != kInt8) {
    fail("text of an unknown type");
  }
  for (std::size_t i = 0; i < data.size(); ++i) {
    const bool continues = element.type == kUtf8 && (byte(i) & 0xC0U) == 0x80 && !units.empty();
    if (continues) {
      units.back() = units.back() << 6U | (byte(i) & 0x3FU);
    } else {
      // A lead byte keeps the bits below its ones.
      const int ones = element.type == kUtf8 ? std::countl_one(byte(i)) : 0;
      units.push_back(byte(i) & (0xFFU >> ones));
    }
  }
  return units;
}

// A character matrix is padded with spaces on the right.
std::optional<Variable> MatlabFile::text(Elements& in, Variable variable) const {
  const std::size_t rows = variable.rows, width = variable.columns;
  variable.format.type = CellType::words;
  variable.columns = 1;
  if (rows == 0 || width == 0) return variable.rows = 0, variable;
  const std::vector<std::uint32_t> units = characters(in.next());
  if (units.size() != rows * width) fail("text of another length than its dimensions say");
  variable.words.resize(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    std::string& word = variable.words[r];
    for (std::size_t c = 0; c < width; ++c) {
      std::uint32_t code = units[r + c * rows];
      const std::uint32_t low = c + 1 < width ? units[r + (c + 1) * rows] : 0;
      if (code >> 10U == 0x36 && low >> 10U == 0x37) {  // a surrogate pair
        code = 0x10000 + ((code & 0x3FFU) << 10U | (low & 0x3FFU));
        ++c;
      }
      append_utf8(code, word);
    }
    word.erase(word.find_last_not_of(std::string_view(" \0", 2)) + 1);
  }
  return variable;
}

std::optional<Variable> MatlabFile::cells(Elements& in, Variable variable) const {
  if (variable.rows != 1 && variable.columns != 1) return {};
  variable.format.type = CellType::words;
  variable.rows *= variable.columns;
  variable.columns = 1;
  for (std::size_t i = 0; i < variable.rows; ++i) {
    const std::string_view matrix = in.next(kMatrix, "cells").data;
    if (matrix.empty()) {
      variable.words.emplace_back();
      continue;
    }
    std::optional<Variable> cell = this->variable(matrix, true);
    if (!cell || cell->format.type != CellType::words || cell->rows > 1) return {};
    variable.words.push_back(cell->words.empty() ? "" : std::move(cell->words[0]));
  }
  return variable;
}

// MATLAB has no vectors, only matrices of one row or one column. The number of rows is that of the
// matrices with more than one; where there are none, vectors of equal length count as columns.
std::size_t count_rows(const std::vector<Variable>& variables) {
  for (const Variable& v : variables) {
    if (v.rows > 1) return v.rows;
  }
  const std::size_t length = variables[0].columns;
  const bool equal = std::all_of(variables.begin(), variables.end(),
                                 [length](const Variable& v) { return v.columns == length; });
  return equal ? length : 1;
}

void add_variable(Variable variable, ArraySource& table) {
  const std::size_t rows = static_cast<std::size_t>(table.rows);
  if (variable.rows == 1 && variable.columns == rows) std::swap(variable.rows, variable.columns);
  if (variable.rows != rows) {
    if (variable.rows == 1 && variable.columns == 1) return;  // a setting, not data
    throw TableError(fmt::format("{}: '{}' has {} rows, but others have {}", table.source,
                                 printable(variable.name), variable.rows, rows));
  }
  const std::size_t size = variable.format.size;
  const std::size_t block = table.keep(std::move(variable.values));
  for (std::size_t c = 0; c < variable.columns; ++c) {
    ArrayColumn column;
    column.name = variable.columns > 1 ? fmt::format("{}{}", variable.name, c) : variable.name;
    column.format = variable.format;
    column.block = block;
    column.offset = c * rows * size;
    column.stride = size;
    column.words = std::move(variable.words);  // of one column only
    table.add(std::move(column));
  }
}

}  // namespace

std::unique_ptr<TableReader::Source> open_matlab(std::unique_ptr<ByteStream> stream) {
  auto table = std::make_unique<ArraySource>(stream->source());
  std::vector<Variable> variables;
  MatlabFile file(*stream);
  while (std::optional<Variable> found = file.next()) variables.push_back(std::move(*found));
  if (variables.empty()) {
    throw TableError(
        table->source +
        ": no matrix of real numbers or text (structs, sparse and complex matrices are "
        "not read)");
  }
  table->rows = static_cast<Index>(count_rows(variables));
  for (Variable& variable : variables) add_variable(std::move(variable), *table);
  table->check_names();
  return table;
}

}  // namespace mdgp
