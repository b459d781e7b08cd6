#include "mdgp/data/numpy.h"

#include <fmt/format.h>
#include <zip.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "mdgp/data/npy_header.h"

namespace mdgp {
namespace {

constexpr std::size_t kLongestHeader = std::size_t{1} << 20U;  // NumPy itself stops at 10,000 bytes

NpyHeader read_header(ByteStream& stream) {
  const auto fail = [&](std::string_view what) {
    throw TableError(fmt::format("{}: {}", stream.source(), what));
  };
  const std::string start = stream.take(8);
  if (start.size() < 8 || !start.starts_with("\x93NUMPY")) fail("not a NumPy array");
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3) fail("a .npy of a version that is not read");
  const std::string bytes = stream.take(version == 1 ? 2 : 4);
  std::size_t length = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    length = length << 8U | static_cast<unsigned char>(bytes[i]);
  }
  if (length > kLongestHeader) fail("a NumPy header of more than 1 MB");
  const std::string text = stream.take(length);
  if (text.size() < length || length == 0) fail("ends within its NumPy header");
  return parse_npy_header(text, stream.source());
}

std::size_t columns_of(const NpyHeader& header) {
  return header.shape.size() == 2 ? header.shape[1] : 1;
}

void check_shape(const NpyHeader& header, const std::string& source) {
  const std::size_t most = header.structured ? 1 : 2;
  if (header.shape.empty() || header.shape.size() > most) {
    throw TableError(fmt::format("{}: {} dimensions; {} needs {}", source, header.shape.size(),
                                 header.structured ? "an array of records" : "a table",
                                 header.structured ? "one" : "one or two"));
  }
  if (columns_of(header) == 0) throw TableError(source + ": an array without columns");
}

// The bytes of the array. The header only claims how many there are.
std::string read_items(ByteStream& stream, const NpyHeader& header) {
  std::size_t bytes = header.item_size;
  for (const std::size_t n : header.shape) {
    if (__builtin_mul_overflow(bytes, n, &bytes)) {
      throw TableError(stream.source() + ": a shape of more bytes than there can be");
    }
  }
  std::string items = stream.take(bytes);
  if (items.size() < bytes) {
    throw TableError(fmt::format("{}: {} bytes of items, but its header says {}; is it complete?",
                                 stream.source(), items.size(), bytes));
  }
  // To ask for more also makes a zip archive check its sum.
  if (!stream.take(1).empty()) {
    throw TableError(fmt::format("{}: more than the {} bytes of items that its header says",
                                 stream.source(), bytes));
  }
  return items;
}

// Adds the columns of the array in `stream`, named after `name`, and numbered if they are many.
void add_array(ByteStream& stream, const NpyHeader& header, const std::string& name,
               bool number_vectors, ArraySource& table) {
  check_shape(header, stream.source());
  const std::size_t block = table.keep(read_items(stream, header));
  const std::size_t item = header.item_size, rows = header.shape[0], columns = columns_of(header);
  table.rows = static_cast<Index>(rows);
  const bool numbered = header.shape.size() == 2 || number_vectors;
  for (std::size_t c = 0; c < columns; ++c) {
    for (const NpyField& field : header.fields) {
      ArrayColumn column;
      column.name = numbered ? fmt::format("{}{}", name, c) : name;
      if (header.structured) column.name = field.name;
      column.format = field.format;
      column.block = block;
      column.stride = header.fortran_order ? item : columns * item;
      column.offset = field.offset + c * (header.fortran_order ? rows : 1) * item;
      table.add(std::move(column));
    }
  }
}

class ZipEntry final : public ByteStream {
 public:
  ZipEntry(zip_t* archive, zip_uint64_t index, std::string source)
      : ByteStream(std::move(source)), file_(zip_fopen_index(archive, index, 0)) {
    if (file_ == nullptr) fail(zip_strerror(archive));
  }
  ~ZipEntry() override { zip_fclose(file_); }

 private:
  [[noreturn]] void fail(const char* why) const {
    throw TableError(fmt::format("{}: {}", this->source(), why));
  }

  std::size_t read_some(char* to, std::size_t n) override {
    const zip_int64_t got = zip_fread(file_, to, n);
    if (got < 0) fail(zip_file_strerror(file_));
    return static_cast<std::size_t>(got);
  }

  zip_file_t* file_;
};

struct DiscardZip {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Zip = std::unique_ptr<zip_t, DiscardZip>;

// The bytes must outlive the archive.
Zip open_zip(const std::string& bytes, const std::string& source) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const buffer = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  zip_t* const archive =
      buffer == nullptr ? nullptr : zip_open_from_source(buffer, ZIP_RDONLY, &error);
  if (archive == nullptr) {
    const std::string why = zip_error_strerror(&error);
    zip_source_free(buffer);
    zip_error_fini(&error);
    throw TableError(fmt::format("{}: a damaged zip archive: {}", source, why));
  }
  return Zip(archive);
}

// The name of the array in the entry; empty where the entry is none.
std::string array_name(zip_t* archive, zip_uint64_t index) {
  const char* const raw = zip_get_name(archive, index, ZIP_FL_ENC_RAW);
  std::string name = raw == nullptr ? "" : raw;
  if (!name.ends_with(".npy")) return {};
  name.resize(name.size() - 4);
  return name;
}

void check_rows(const ArraySource& table, const NpyHeader& header, std::string_view array) {
  if (table.names.empty() || static_cast<Index>(header.shape[0]) == table.rows) return;
  throw TableError(fmt::format("{}: array '{}' has {} rows, but the ones before it have {}",
                               table.source, printable(array), header.shape[0], table.rows));
}

}  // namespace

std::unique_ptr<TableReader::Source> open_npy(std::unique_ptr<ByteStream> stream) {
  auto table = std::make_unique<ArraySource>(stream->source());
  const NpyHeader header = read_header(*stream);
  add_array(*stream, header, "x", true, *table);
  table->check_names();
  return table;
}

std::unique_ptr<TableReader::Source> open_npz(std::unique_ptr<ByteStream> stream) {
  auto table = std::make_unique<ArraySource>(stream->source());
  const std::string bytes = stream->take(std::numeric_limits<std::size_t>::max());
  const Zip archive = open_zip(bytes, table->source);
  const zip_int64_t entries = zip_get_num_entries(archive.get(), 0);
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(entries); ++i) {
    const std::string name = array_name(archive.get(), i);
    if (name.empty()) continue;
    ZipEntry entry(archive.get(), i, fmt::format("{}, array '{}'", table->source, printable(name)));
    const NpyHeader header = read_header(entry);
    if (header.shape.empty()) continue;
    check_rows(*table, header, name);
    add_array(entry, header, name, false, *table);
  }
  if (table->names.empty()) {
    throw TableError(table->source +
                     ": a zip archive without NumPy arrays; save a spreadsheet as CSV");
  }
  table->check_names();
  return table;
}

}  // namespace mdgp
