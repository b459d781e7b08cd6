#include "idx.h"

#include <fmt/format.h>

#include <utility>

#include "mdgp/data/read_table.h"

namespace mdgp::experiments {
namespace {

constexpr std::uint32_t kImageMagic = 0x803, kLabelMagic = 0x801;
constexpr std::uint32_t kMostSide = 1U << 14U;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30U;

[[noreturn]] void fail(const ByteStream& file, const std::string& what) {
  throw TableError(fmt::format("{}: {}", file.source(), what));
}

std::uint32_t take_number(ByteStream& file) {
  const std::string bytes = file.take(4);
  if (bytes.size() < 4) fail(file, "ends within its header; is the file complete?");
  std::uint32_t number = 0;
  for (const char c : bytes) number = number << 8U | static_cast<unsigned char>(c);
  return number;
}

void check_magic(ByteStream& file, std::uint32_t expected, const char* what) {
  const std::uint32_t magic = take_number(file);
  if (magic == expected) return;
  fail(file, fmt::format("begins with {:#010x}, but a file of {} begins with {:#010x}", magic, what,
                         expected));
}

// `count` things of `size` bytes each, and no more.
std::vector<Pixel> take_bytes(ByteStream& file, std::uint64_t count, std::uint64_t size,
                              const char* what) {
  if (count == 0) fail(file, fmt::format("has no {}s", what));
  if (count > kMostBytes / size) {
    fail(file, fmt::format("says that it has {} {}s of {} bytes; more than {} MB are not read",
                           count, what, size, kMostBytes >> 20U));
  }
  const std::string bytes = file.take(count * size);
  if (bytes.size() < count * size) {
    fail(file, fmt::format("ends within {} {} of {}; is the file complete?", what,
                           bytes.size() / size, count));
  }
  if (!file.peek(1).empty()) {
    fail(file,
         fmt::format("goes on after the last of the {} {}s that it says it has", count, what));
  }
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::unique_ptr<ByteStream> open_unpacked(const std::string& path) {
  std::unique_ptr<ByteStream> file = open_file(path);
  return file->peek(2) == "\x1f\x8b" ? unpack(std::move(file)) : std::move(file);
}

Images read_idx_images(const std::string& path) {
  const std::unique_ptr<ByteStream> file = open_unpacked(path);
  check_magic(*file, kImageMagic, "images");
  const std::uint32_t count = take_number(*file), rows = take_number(*file),
                      cols = take_number(*file);
  if (rows < 1 || cols < 1 || rows > kMostSide || cols > kMostSide) {
    fail(*file, fmt::format("has images of {} x {} pixels, but sides must be from 1 to {}", rows,
                            cols, kMostSide));
  }
  Images images{static_cast<Index>(count), static_cast<Index>(rows), static_cast<Index>(cols), {}};
  images.pixels = take_bytes(*file, count, std::uint64_t{rows} * cols, "image");
  return images;
}

std::vector<int> read_idx_labels(const std::string& path) {
  const std::unique_ptr<ByteStream> file = open_unpacked(path);
  check_magic(*file, kLabelMagic, "labels");
  const std::uint32_t count = take_number(*file);
  const std::vector<Pixel> bytes = take_bytes(*file, count, 1, "label");
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] < kDigits) continue;
    fail(*file, fmt::format("label {} is {}, but must be from 0 to 9", i, bytes[i]));
  }
  return {bytes.begin(), bytes.end()};
}

LabelledImages read_idx_digits(const std::string& images, const std::string& labels) {
  LabelledImages digits{read_idx_images(images), read_idx_labels(labels)};
  const Images& read = digits.images;
  if (read.rows != kSide || read.cols != kSide) {
    throw TableError(fmt::format("{}: its images have {} x {} pixels, but must have {} x {}",
                                 images, read.rows, read.cols, kSide, kSide));
  }
  if (read.count != static_cast<Index>(digits.labels.size())) {
    throw TableError(fmt::format("{}: {} labels, but {} has {} images", labels,
                                 digits.labels.size(), images, read.count));
  }
  return digits;
}

}  // namespace mdgp::experiments
