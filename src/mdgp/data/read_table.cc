#include "mdgp/data/read_table.h"

#include <cstring>
#include <limits>
#include <utility>

#include "mdgp/data/byte_stream.h"
#include "mdgp/data/csv.h"
#include "mdgp/data/matlab.h"
#include "mdgp/data/numpy.h"
#include "mdgp/data/table_source.h"

namespace mdgp {
namespace {

constexpr std::string_view kHdf5 = "\x89HDF\r\n\x1A\n";

// MATLAB 4 has no name at its beginning, but five numbers that text could not be: a type of four
// decimal digits MOPT (here from little-endian machines, M = 0), the size, whether there is an
// imaginary part, and the length of a name.
bool is_matlab4(std::string_view head) {
  if (head.size() < 20) return false;
  std::uint32_t word[5];
  std::memcpy(word, head.data(), sizeof(word));
  return word[0] <= 52 && word[3] <= 1 && word[4] >= 1 && word[4] <= 64;
}

// Why a format that we know is not read, and what to do; empty where it may be.
std::string_view refusal(std::string_view head) {
  if (head.starts_with("MATLAB 7.3") || head.starts_with(kHdf5)) {
    return "HDF5 (MATLAB 7.3) is not read; save it from MATLAB with -v7, or as CSV";
  }
  if (is_matlab4(head)) return "MATLAB 4 is not read; save it from MATLAB with -v7, or as CSV";
  if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF")) {
    return "UTF-16 is not read; save it as CSV in UTF-8";
  }
  if (head.starts_with("PAR1")) return "Parquet is not read; save it as CSV";
  if (head.starts_with("\x1F\x8B")) return "gzipped twice; unpack it once";
  return "";
}

std::unique_ptr<TableReader::Source> open_source(std::unique_ptr<ByteStream> stream) {
  if (stream->peek(128).starts_with("\x1F\x8B")) stream = unpack(std::move(stream));
  const std::string_view head = stream->peek(128);
  const std::string_view refused = refusal(head);
  if (!refused.empty()) {
    throw TableError(std::string(stream->source()).append(": ").append(refused));
  }
  if (head.starts_with("\x93NUMPY")) return open_npy(std::move(stream));
  if (head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06")) {
    return open_npz(std::move(stream));
  }
  if (head.starts_with("MATLAB 5.0 MAT-file")) return open_matlab(std::move(stream));
  return open_csv(std::move(stream));
}

}  // namespace

TableReader::TableReader(const std::string& path) : source_(open_source(open_file(path))) {}
TableReader::TableReader(std::string_view bytes, std::string source)
    : source_(open_source(open_memory(std::string(bytes), std::move(source)))) {}
TableReader::~TableReader() = default;
TableReader::TableReader(TableReader&&) noexcept = default;
TableReader& TableReader::operator=(TableReader&&) noexcept = default;

const std::vector<std::string>& TableReader::names() const { return source_->names; }
const std::string& TableReader::source() const { return source_->source; }

Table TableReader::next(Index most, const ColumnChoice& choice) {
  return source_->next(most, choice);
}

Table read_table(const std::string& path, const ColumnChoice& choice) {
  return TableReader(path).next(std::numeric_limits<Index>::max(), choice);
}

}  // namespace mdgp
