#include "mdgp/data/byte_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "mdgp/data/read_table.h"

namespace mdgp {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16U;

class FileStream final : public ByteStream {
 public:
  FileStream(int descriptor, std::string source)
      : ByteStream(std::move(source)), descriptor_(descriptor) {}
  ~FileStream() override {
    if (descriptor_ != STDIN_FILENO) close(descriptor_);
  }

 private:
  std::size_t read_some(char* to, std::size_t n) override {
    ssize_t got = 0;
    do {
      got = ::read(descriptor_, to, n);
    } while (got < 0 && errno == EINTR);
    if (got < 0 && errno == EISDIR) throw TableError(source() + ": a directory, not a file");
    if (got < 0) throw TableError(fmt::format("{}: {}", source(), std::strerror(errno)));
    return static_cast<std::size_t>(got);
  }

  int descriptor_;
};

class MemoryStream final : public ByteStream {
 public:
  MemoryStream(std::string bytes, std::string source)
      : ByteStream(std::move(source)), bytes_(std::move(bytes)) {}

 private:
  std::size_t read_some(char* to, std::size_t n) override {
    n = std::min(n, bytes_.size() - taken_);
    std::copy_n(bytes_.data() + taken_, n, to);
    taken_ += n;
    return n;
  }

  std::string bytes_;
  std::size_t taken_ = 0;
};

class UnpackedStream final : public ByteStream {
 public:
  UnpackedStream(std::unique_ptr<ByteStream> packed, Packing packing)
      : ByteStream(packed->source()), packed_(std::move(packed)), packing_(packing) {
    const int format = packing == Packing::gzip ? 16 : 0;
    if (inflateInit2(&state_, format + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~UnpackedStream() override { inflateEnd(&state_); }

 private:
  std::size_t read_some(char* to, std::size_t n) override {
    n = std::min<std::size_t>(n, std::numeric_limits<uInt>::max());
    state_.next_out = reinterpret_cast<Bytef*>(to);
    state_.avail_out = static_cast<uInt>(n);
    while (state_.avail_out == n) {
      if (at_end_of_member_ && !begin_member()) return 0;
      if (state_.avail_in == 0 && !fill()) fail("ends in the middle; is the file complete?");
      const int status = inflate(&state_, Z_NO_FLUSH);
      at_end_of_member_ = status == Z_STREAM_END;
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) fail("is damaged");
    }
    return n - state_.avail_out;
  }

  bool fill() {
    if (input_.empty()) input_.resize(kPiece);
    state_.next_in = reinterpret_cast<Bytef*>(input_.data());
    state_.avail_in = static_cast<uInt>(packed_->read(input_.data(), input_.size()));
    return state_.avail_in > 0;
  }

  // A further member may follow; zeros that fill a tape's last block are none.
  bool begin_member() {
    if (packing_ == Packing::zlib) return false;
    while (state_.avail_in > 0 || fill()) {
      if (*state_.next_in != 0) return inflateReset(&state_) == Z_OK;
      ++state_.next_in;
      --state_.avail_in;
    }
    return false;
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw TableError(fmt::format("{}: the compressed data {}", source(), what));
  }

  std::unique_ptr<ByteStream> packed_;
  Packing packing_;
  z_stream state_{};
  std::vector<char> input_;
  bool at_end_of_member_ = false;
};

}  // namespace

std::size_t ByteStream::read(char* to, std::size_t n) {
  std::size_t done = std::min(n, ahead_.size());
  std::copy_n(ahead_.data(), done, to);
  ahead_.erase(0, done);
  while (done < n) {
    const std::size_t got = read_some(to + done, n - done);
    if (got == 0) break;
    done += got;
  }
  return done;
}

std::string_view ByteStream::peek(std::size_t n) {
  if (ahead_.size() < n) {
    std::string bytes(n, '\0');
    bytes.resize(read(bytes.data(), n));
    ahead_ = std::move(bytes);
  }
  return std::string_view(ahead_).substr(0, n);
}

std::string ByteStream::take(std::size_t n) {
  std::string bytes;
  while (bytes.size() < n) {
    const std::size_t had = bytes.size(), more = std::min(n - had, std::max(kPiece, had));
    bytes.resize(had + more);
    const std::size_t got = read(bytes.data() + had, more);
    bytes.resize(had + got);
    if (got < more) break;
  }
  return bytes;
}

std::unique_ptr<ByteStream> open_file(const std::string& path) {
  if (path == "-") return std::make_unique<FileStream>(STDIN_FILENO, "standard input");
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT) throw TableError(path + ": no such file");
  if (descriptor < 0) throw TableError(fmt::format("{}: {}", path, std::strerror(errno)));
  return std::make_unique<FileStream>(descriptor, path);
}

std::unique_ptr<ByteStream> open_memory(std::string bytes, std::string source) {
  return std::make_unique<MemoryStream>(std::move(bytes), std::move(source));
}

std::unique_ptr<ByteStream> unpack(std::unique_ptr<ByteStream> packed, Packing packing) {
  return std::make_unique<UnpackedStream>(std::move(packed), packing);
}

}  // namespace mdgp
