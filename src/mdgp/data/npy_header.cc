#include "mdgp/data/npy_header.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>
#include <utility>

namespace mdgp {
namespace {

constexpr std::size_t kLargestItem = std::size_t{1} << 30U;

struct NumberKind {
  std::string_view code;  // the kind and the bytes
  CellType type;
};
constexpr NumberKind kNumberKinds[] = {
    {"b1", CellType::uint8},   {"i1", CellType::int8},    {"i2", CellType::int16},
    {"i4", CellType::int32},   {"i8", CellType::int64},   {"u1", CellType::uint8},
    {"u2", CellType::uint16},  {"u4", CellType::uint32},  {"u8", CellType::uint64},
    {"f2", CellType::float16}, {"f4", CellType::float32}, {"f8", CellType::float64},
};

// Takes apart the few kinds of Python literal that NumPy writes.
class Parser {
 public:
  Parser(std::string_view text, const std::string& source) : rest_(text), source_(source) {}
  NpyHeader header();

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw TableError(fmt::format("{}: {}", source_, what));
  }

  char peek() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
    return rest_.empty() ? '\0' : rest_[0];
  }

  bool take(char c) {
    if (peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!take(c)) fail(fmt::format("a damaged NumPy header: no '{}' before '{}'", c, show()));
  }

  std::string show() const { return printable(rest_.substr(0, 20)); }

  std::string quoted();
  bool boolean();
  std::size_t integer();
  void shape(NpyHeader& header);
  void dtype(NpyHeader& header);
  CellFormat format(std::string_view descr) const;
  void add_field(std::string name, const std::string& descr, NpyHeader& header) const;

  std::string_view rest_;
  const std::string& source_;
};

std::string Parser::quoted() {
  const char quote = peek() == '"' ? '"' : '\'';
  expect(quote);
  const std::size_t end = rest_.find(quote);
  if (end == std::string_view::npos) fail("a damaged NumPy header: a string never ends");
  std::string text(rest_.substr(0, end));
  if (text.find('\\') != std::string::npos) fail("a field name with a backslash");
  rest_.remove_prefix(end + 1);
  return text;
}

bool Parser::boolean() {
  const bool value = peek() == 'T';
  const std::string_view word = value ? "True" : "False";
  if (!rest_.starts_with(word)) fail("a damaged NumPy header: fortran_order is not a bool");
  rest_.remove_prefix(word.size());
  return value;
}

std::size_t Parser::integer() {
  peek();
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
  if (error != std::errc()) fail("a damaged NumPy header: the shape is not of whole numbers");
  rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  take('L');  // Python 2
  return value;
}

void Parser::shape(NpyHeader& header) {
  expect('(');
  while (!take(')')) {
    header.shape.push_back(integer());
    if (header.shape.size() > 32) fail("more than 32 dimensions; a table has one or two");
    if (peek() != ')') expect(',');
  }
}

// "<f8", or a list of fields [("x", "<f8"), ("y", "<i4")].
void Parser::dtype(NpyHeader& header) {
  header.structured = take('[');
  if (!header.structured) {
    add_field("", quoted(), header);
    return;
  }
  while (!take(']')) {
    expect('(');
    if (peek() == '(') fail("a field with a title; a table needs plain names");
    std::string name = quoted();
    expect(',');
    if (peek() == '[') fail(fmt::format("field '{}' has fields itself", printable(name)));
    const std::string descr = quoted();
    if (!take(')')) fail(fmt::format("field '{}' is not a single value", printable(name)));
    add_field(std::move(name), descr, header);
    if (peek() != ']') expect(',');
  }
}

// A byte order, a kind and a size: "<f8", "|S10", ">U3".
CellFormat Parser::format(std::string_view descr) const {
  const std::string_view code = descr.size() > 1 ? descr.substr(1) : "";
  const bool swapped = descr.starts_with('>');
  const bool known_order = std::string_view("<>=|").find(descr.substr(0, 1)) != descr.npos;
  for (const NumberKind& kind : kNumberKinds) {
    if (code == kind.code && known_order) {
      return {kind.type, static_cast<std::size_t>(code[1] - '0'), swapped};
    }
  }
  if (code.starts_with('O')) fail("Python objects (dtype object) are not read");
  std::size_t size = 0;
  const char* const end = code.data() + code.size();
  const bool sized = code.size() > 1 && std::from_chars(code.data() + 1, end, size).ptr == end;
  if (known_order && sized && size > 0 && size <= kLargestItem) {
    if (code[0] == 'S' || code[0] == 'V') return {CellType::bytes, size, false};
    if (code[0] == 'U') return {CellType::utf32, 4 * size, swapped};
  }
  fail(fmt::format("dtype '{}' is not read; convert it with astype(float) or astype(str)",
                   printable(descr)));
}

void Parser::add_field(std::string name, const std::string& descr, NpyHeader& header) const {
  const CellFormat cell = format(descr);
  const bool is_void = descr[1] == 'V';
  if (is_void && !(header.structured && name.empty())) {
    fail(fmt::format("dtype '{}' is not read", printable(descr)));
  }
  // A void without a name only fills the space between fields.
  if (!is_void) header.fields.push_back({std::move(name), cell, header.item_size});
  header.item_size += cell.size;
  if (header.item_size > kLargestItem) fail("items of more than 1 GB");
}

NpyHeader Parser::header() {
  NpyHeader header;
  bool has_dtype = false, has_order = false, has_shape = false;
  expect('{');
  while (!take('}')) {
    const std::string key = quoted();
    expect(':');
    if (key == "descr" && !std::exchange(has_dtype, true)) {
      dtype(header);
    } else if (key == "fortran_order" && !std::exchange(has_order, true)) {
      header.fortran_order = boolean();
    } else if (key == "shape" && !std::exchange(has_shape, true)) {
      shape(header);
    } else {
      fail(fmt::format("a damaged NumPy header: '{}' is unknown or twice there", printable(key)));
    }
    if (peek() != '}') expect(',');
  }
  if (!has_dtype || !has_order || !has_shape) {
    fail("a damaged NumPy header: it needs descr, fortran_order and shape");
  }
  if (header.fields.empty()) fail("no fields; a table needs at least one column");
  return header;
}

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& source) {
  return Parser(text, source).header();
}

}  // namespace mdgp
