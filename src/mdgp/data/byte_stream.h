// Bytes in order, from wherever they come.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace mdgp {

class ByteStream {
 public:
  explicit ByteStream(std::string source) : source_(std::move(source)) {}
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  // Fewer than n only at the end.
  std::size_t read(char* to, std::size_t n);
  // The next n bytes, without taking them; fewer only at the end.
  std::string_view peek(std::size_t n);
  // The next n bytes; fewer only at the end. Takes memory as the bytes arrive, so that a length
  // that a file merely claims costs nothing.
  std::string take(std::size_t n);

  const std::string& source() const { return source_; }

 private:
  // One to n bytes; none at the end.
  virtual std::size_t read_some(char* to, std::size_t n) = 0;

  std::string source_;
  std::string ahead_;  // what was peeked at
};

// path "-": standard input.
std::unique_ptr<ByteStream> open_file(const std::string& path);
std::unique_ptr<ByteStream> open_memory(std::string bytes, std::string source);
// What the gzip (or, with zlib, the zlib) data in `packed` holds; gzip members follow each other.
enum class Packing { gzip, zlib };
std::unique_ptr<ByteStream> unpack(std::unique_ptr<ByteStream> packed,
                                   Packing packing = Packing::gzip);

}  // namespace mdgp
