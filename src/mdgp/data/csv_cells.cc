#include "mdgp/data/csv_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "mdgp/data/read_table.h"

namespace mdgp {
namespace {

constexpr std::size_t kWindow = std::size_t{1} << 17U;
// Of a cell and of the header: else one forgotten quote would read the rest of a file into memory.
constexpr std::size_t kLongest = std::size_t{1} << 24U;

constexpr std::size_t kPadding = 8;  // NULs, as take_number wants them

std::size_t index(char c) { return static_cast<unsigned char>(c); }

}  // namespace

CsvCells::CsvCells(std::unique_ptr<ByteStream> stream)
    : stream_(std::move(stream)),
      capacity_(kWindow),
      buffer_(std::make_unique_for_overwrite<char[]>(capacity_ + kPadding)),
      at_(buffer_.get()),
      end_(at_) {
  for (const char c : {'\n', '\r', '\0'}) stops_[index(c)] = true;
  refill();
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (std::string_view(at_, end_).starts_with(kByteOrderMark)) at_ += kByteOrderMark.size();
  while (take_blank_line()) continue;
  find_separator();
  stops_[index(separator_)] = true;
}

// The most frequent candidate outside quotes.
void CsvCells::find_separator() {
  std::array<std::size_t, 256> count{};
  bool in_quotes = false;
  for (std::size_t i = 0;; ++i) {
    if (at_ + i == end_ && !refill()) break;
    const char c = at_[i];
    if (c == '"') in_quotes = !in_quotes;
    if (in_quotes) continue;
    if (c == '\n' || c == '\r') break;
    ++count[index(c)];
  }
  for (const char candidate : {';', '\t'}) {
    if (count[index(candidate)] > count[index(separator_)]) separator_ = candidate;
  }
}

void CsvCells::fail(std::string_view what) const {
  throw TableError(fmt::format("{}, line {}: {}", source(), line_, what));
}

// Moves what is not taken to the front and reads more behind it; false at the end of the stream.
bool CsvCells::refill() {
  const std::size_t kept = static_cast<std::size_t>(end_ - at_);
  if (drained_) return false;
  if (kept >= kLongest) fail("a cell of more than 16 MB; is a closing quote missing?");
  if (kept > capacity_ / 2) {
    capacity_ *= 2;
    auto larger = std::make_unique_for_overwrite<char[]>(capacity_ + kPadding);
    std::copy_n(at_, kept, larger.get());
    buffer_ = std::move(larger);
  } else {
    std::memmove(buffer_.get(), at_, kept);
  }
  char* const free = buffer_.get() + kept;
  const std::size_t got = stream_->read(free, capacity_ - kept);
  drained_ = got < capacity_ - kept;
  std::fill_n(free + got, kPadding, '\0');
  at_ = buffer_.get();
  end_ = free + got;
  return got > 0;
}

bool CsvCells::at_end() {
  if (at_ == end_ && !refill()) return true;
  if (after_cr_ && *at_ == '\n') ++at_;
  after_cr_ = false;
  return at_ == end_ && !refill();
}

bool CsvCells::take_blank_line() { return !at_end() && (*at_ == '\n' || *at_ == '\r') && skip(); }

// Takes what ends a cell, and says whether it ends the row.
bool CsvCells::ends_at(const char* end) {
  at_ = end;
  if (end == end_) return true;
  ++at_;
  if (*end == '\0') fail("a NUL byte; a table must be text");
  if (*end == separator_) return false;
  ++line_;
  after_cr_ = *end == '\r';
  return true;
}

const char* CsvCells::end_of_plain() {
  const char* end = at_;
  for (;;) {
    while (!stops_[index(*end)]) ++end;
    if (end != end_) return end;
    const std::size_t seen = static_cast<std::size_t>(end - at_);
    if (!refill()) return end_;
    end = at_ + seen;
  }
}

CsvCells::Cell CsvCells::next() {
  const std::size_t first = after_blanks(0);
  if (at_[first] == '"') return quoted(first, true);
  const char* const end = end_of_plain();
  const std::string_view text(at_, end);
  return {trim(text), ends_at(end)};
}

bool CsvCells::skip() {
  const std::size_t first = after_blanks(0);
  return at_[first] == '"' ? quoted(first, false).last : ends_at(end_of_plain());
}

// Looks at eight bytes at a time for separators, up to the first eight with anything else that
// matters.
std::size_t CsvCells::skip_cheaply(std::size_t most) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U, kHighs = kOnes << 7U;
  std::size_t skipped = 0;
  for (const char* p = at_; skipped < most; p += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, p, 8);
    // The usual test for a byte below n is wrong above the first one only, where it does not
    // matter.
    const std::uint64_t quotes = eight ^ kOnes * '"';
    const std::uint64_t line_ends = (eight - kOnes * ('\r' + 1)) & ~eight;  // also NUL
    if ((line_ends | ((quotes - kOnes) & ~quotes)) & kHighs) break;
    // Exact: the high bit of each byte that is a separator.
    const std::uint64_t others = eight ^ kOnes * index(separator_);
    std::uint64_t found = ~(((others & ~kHighs) + ~kHighs) | others) & kHighs;
    for (; found != 0 && skipped < most; found &= found - 1, ++skipped) {
      at_ = p + std::countr_zero(found) / 8 + 1;
    }
  }
  return skipped;
}

// Positions here count from at_, since refill moves it.
std::size_t CsvCells::after_blanks(std::size_t from) {
  for (;; ++from) {
    if (at_ + from == end_ && !refill()) return from;
    const char c = at_[from];
    if (c != ' ' && (c != '\t' || separator_ == '\t')) return from;
  }
}

CsvCells::Cell CsvCells::quoted(std::size_t open, bool wanted) {
  bool doubled = false;
  const std::size_t close = closing_quote(open + 1, doubled);
  const std::size_t end = after_blanks(close + 1);
  if (at_ + end != end_ && !stops_[index(at_[end])]) {
    fail("text after a closing quote; a quote within quotes must be doubled");
  }
  const std::string_view raw(at_ + open + 1, at_ + close);
  if (raw.find('\0') != std::string_view::npos) fail("a NUL byte; a table must be text");
  const std::string_view text = wanted ? content(open + 1, close, doubled) : raw;
  count_lines(raw);
  return {text, ends_at(at_ + end)};
}

std::size_t CsvCells::closing_quote(std::size_t from, bool& doubled) {
  for (;;) {
    const void* const quote =
        std::memchr(at_ + from, '"', static_cast<std::size_t>(end_ - at_) - from);
    if (quote == nullptr) {
      from = static_cast<std::size_t>(end_ - at_);
      if (!refill()) fail("a quote opens a cell and never closes it");
      continue;
    }
    from = static_cast<std::size_t>(static_cast<const char*>(quote) - at_) + 1;
    const bool more = at_ + from != end_ || refill();
    if (!more || at_[from] != '"') return from - 1;
    doubled = true;
    ++from;
  }
}

std::string_view CsvCells::content(std::size_t from, std::size_t to, bool doubled) {
  if (!doubled) return {at_ + from, to - from};
  unescaped_.clear();
  for (std::size_t i = from; i < to; ++i) {
    unescaped_ += at_[i];
    if (at_[i] == '"') ++i;
  }
  return unescaped_;
}

void CsvCells::count_lines(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool lone_cr = text[i] == '\r' && text.substr(i + 1, 1) != "\n";
    line_ += text[i] == '\n' || lone_cr ? 1 : 0;
  }
}

}  // namespace mdgp
