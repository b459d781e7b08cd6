// The cells of a CSV stream (RFC 4180), one after the other, through a window of 128 KB.
// More lenient than the RFC where that cannot be misread: lines may end with LF, CRLF or CR, the
// separator may be a comma, a semicolon or a tab, spaces around a cell do not count, and a quote in
// the middle of a cell is just a quote.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "mdgp/data/byte_stream.h"
#include "mdgp/data/parse_number.h"

namespace mdgp {

class CsvCells {
 public:
  // Skips blank lines and a byte order mark, and tells the separator from the first line.
  explicit CsvCells(std::unique_ptr<ByteStream> stream);

  struct Cell {
    std::string_view text;  // until the next call
    bool last;              // of its row
  };

  // At the beginning of a row only.
  bool at_end();
  bool take_blank_line();

  Cell next();
  bool skip();  // as next().last, but with less work
  // Skips up to `most` cells that are not the last of their row, as long as that is cheap, and
  // returns how many.
  std::size_t skip_cheaply(std::size_t most);

  // Takes the next cell if it is a number with nothing around it, ends the row
  // if and only if it is to be the last, and lies within the window. Else takes nothing.
  bool take_number(bool last, double& value) {
    const char* end = mdgp::take_number(at_, value);
    if (end == nullptr) return false;
    if (last) {
      if (*end == '\r') ++end;
      if (*end != '\n') return false;
      ++line_;
    } else if (*end != separator_) {
      return false;
    }
    at_ = end + 1;
    return true;
  }

  std::uint64_t line() const { return line_; }  // counted from 1
  char separator() const { return separator_; }
  const std::string& source() const { return stream_->source(); }

 private:
  void find_separator();
  bool refill();
  bool ends_at(const char* end);
  Cell quoted(std::size_t open, bool wanted);
  std::size_t after_blanks(std::size_t from);
  std::size_t closing_quote(std::size_t from, bool& doubled);
  const char* end_of_plain();
  std::string_view content(std::size_t from, std::size_t to, bool doubled);
  void count_lines(std::string_view text);
  [[noreturn]] void fail(std::string_view what) const;

  std::unique_ptr<ByteStream> stream_;
  // The window: [at_, end_) is read and not taken; NULs follow, so that scans need not look for its
  // end.
  std::size_t capacity_;
  std::unique_ptr<char[]> buffer_;
  const char* at_;
  const char* end_;
  bool drained_ = false;   // the stream has no more
  bool after_cr_ = false;  // an LF that comes now is the second half of a CRLF
  std::uint64_t line_ = 1;
  char separator_ = ',';
  std::array<bool, 256> stops_{};  // what ends a cell without quotes
  std::string unescaped_;
};

}  // namespace mdgp
