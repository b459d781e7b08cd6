#include "amat.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "idx.h"
#include "mdgp/data/read_table.h"
#include "mdgp/io/options.h"

namespace mdgp::experiments {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20U;
constexpr std::size_t kLongestLine = std::size_t{1} << 16U;  // 785 numbers of 80 characters
constexpr std::string_view kBlanks = " \t\r";

struct Place {
  const std::string& source;
  Index line;
};

[[noreturn]] void fail(const Place& place, const std::string& what) {
  throw TableError(fmt::format("{}, line {}: {}", place.source, place.line, what));
}

double number_of(std::string_view word, Index position, const Place& place) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc() && end == word.data() + word.size() && std::isfinite(value)) {
    return value;
  }
  fail(place, fmt::format("'{}' (number {}) is not a number", shown(word), position + 1));
}

Pixel pixel_of(double value, Index position, const Place& place) {
  if (value < 0.0 || value > 1.0) {
    fail(place, fmt::format("pixel {} is {}, but must be from 0 to 1", position + 1, value));
  }
  return static_cast<Pixel>(std::min(std::lround(256.0 * value), 255L));
}

void read_line(std::string_view line, const Place& place, LabelledImages& out) {
  Index position = 0;
  for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;
       at = line.find_first_not_of(kBlanks, at), ++position) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    const double value = number_of(line.substr(at, end - at), position, place);
    at = end;
    if (position < kPixels) {
      out.images.pixels.push_back(pixel_of(value, position, place));
    } else if (position == kPixels) {
      if (value != std::floor(value) || value < 0.0 || value >= kDigits) {
        fail(place, fmt::format("the label is {}, but must be a digit from 0 to 9", value));
      }
      out.labels.push_back(static_cast<int>(value));
    }
  }
  if (position == 0) return;  // a blank line
  if (position != kPixels + 1) {
    fail(place, fmt::format("{} numbers, but must be {}: {} pixels and the label", position,
                            kPixels + 1, kPixels));
  }
  ++out.images.count;
}

}  // namespace

LabelledImages read_amat(const std::string& path) {
  const std::unique_ptr<ByteStream> file = open_unpacked(path);
  LabelledImages out;
  out.images.rows = out.images.cols = kSide;
  Index line = 0;
  std::string text;
  for (bool more = true; more;) {
    const std::string piece = file->take(kPiece);
    more = !piece.empty();
    text += piece;
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos;
         end = text.find('\n', begin)) {
      read_line(std::string_view(text).substr(begin, end - begin), {path, ++line}, out);
      begin = end + 1;
    }
    text.erase(0, begin);
    if (text.size() > kLongestLine) {
      fail({path, line + 1}, fmt::format("longer than {} bytes", kLongestLine));
    }
  }
  read_line(text, {path, ++line}, out);
  if (out.images.count == 0) throw TableError(fmt::format("{}: no images", path));
  return out;
}

}  // namespace mdgp::experiments
