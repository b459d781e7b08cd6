#include "mdgp/data/table_source.h"

#include <fmt/format.h>

#include <cstddef>
#include <unordered_map>

namespace mdgp {
namespace {

// Bytes of the UTF-8 character that the text begins with; 0 where it is none, or a control.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return byte(0) >= 0x20 && byte(0) != 0x7F ? 1 : 0;
  const std::size_t bytes = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < bytes) return 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  }
  return byte(0) == 0xC2 && byte(1) < 0xA0 ? 0 : bytes;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  for (int count = 0; !text.empty(); ++count) {
    if (count == 40) return out.append("...");
    const std::size_t bytes = character_bytes(text);
    if (bytes > 0) {
      out += text.substr(0, bytes);
    } else if (text[0] == '\n') {
      out += "\\n";
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    }
    text.remove_prefix(bytes > 0 ? bytes : 1);
  }
  return out;
}

void append_utf8(std::uint32_t code, std::string& text) {
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) code = 0xFFFD;
  if (code < 0x80) {
    text += static_cast<char>(code);
    return;
  }
  // The lead byte has as many ones on top as there are bytes; the others hold six bits each.
  const unsigned tails = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  text += static_cast<char>((0xFFU << (7 - tails) & 0xFFU) | code >> 6 * tails);
  for (unsigned i = tails; i-- > 0;) text += static_cast<char>(0x80U | (code >> 6 * i & 0x3FU));
}

std::string name_problem(const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) return fmt::format("column {} has no name", i + 1);
    const auto [first, is_new] = seen.emplace(names[i], i);
    if (!is_new) {
      return fmt::format("columns {} and {} are both named '{}'", first->second + 1, i + 1,
                         printable(names[i]));
    }
  }
  return {};
}

}  // namespace mdgp
