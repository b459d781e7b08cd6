#include "mdgp/report/text.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "mdgp/linalg/check.h"

namespace mdgp {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

std::uint32_t byte(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// A character of UTF-8 that XML 1.0 allows (its section 2.2), or one byte that is none.
struct Character {
  std::size_t bytes;
  bool valid;
};

Character first_character(std::string_view text) {
  const std::uint32_t lead = byte(text, 0);
  if (lead < 0x80) {
    return {1, (lead >= 0x20 && lead != 0x7F) || lead == '\t' || lead == '\n' || lead == '\r'};
  }
  // Bytes in the sequence, and the least code point that needs so many.
  std::size_t bytes = 0;
  std::uint32_t code = 0, least = 0;
  if ((lead & 0xE0U) == 0xC0) {
    bytes = 2, code = lead & 0x1FU, least = 0x80;
  } else if ((lead & 0xF0U) == 0xE0) {
    bytes = 3, code = lead & 0x0FU, least = 0x800;
  } else if ((lead & 0xF8U) == 0xF0) {
    bytes = 4, code = lead & 0x07U, least = 0x10000;
  }
  if (bytes == 0 || bytes > text.size()) return {1, false};
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(text, i) & 0xC0U) != 0x80) return {1, false};
    code = code << 6U | (byte(text, i) & 0x3FU);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  const bool c1_control = code >= 0x80 && code <= 0x9F;
  const bool noncharacter = (code & 0xFFFEU) == 0xFFFE || (code >= 0xFDD0 && code <= 0xFDEF);
  if (code < least || code > 0x10FFFF || surrogate || c1_control || noncharacter) return {1, false};
  return {bytes, true};
}

double character_width(std::string_view text, std::size_t bytes, double font_size) {
  // Narrow letters by name; what takes three bytes may be as wide as a Chinese character.
  constexpr std::string_view kNarrow = " .,:;'|!ijltfr()[]";
  if (bytes >= 3) return font_size;
  if (kNarrow.find(text[0]) != std::string_view::npos) return 0.36 * font_size;
  const bool wide = (text[0] >= 'A' && text[0] <= 'Z') || text[0] == 'm' || text[0] == 'w';
  return (wide ? 0.74 : 0.6) * font_size;
}

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = first_character(text);
    if (!c.valid) {
      out += kReplacement;
    } else if (text[0] == '&') {
      out += "&amp;";
    } else if (text[0] == '<') {
      out += "&lt;";
    } else if (text[0] == '>') {
      out += "&gt;";
    } else if (text[0] == '"') {
      out += "&quot;";
    } else {
      out += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

void check_colour(std::string_view function, std::string_view colour) {
  constexpr std::string_view kAllowed =
      "#0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  if (colour.empty() || colour.find_first_not_of(kAllowed) != std::string_view::npos) {
    refuse(function, "colour", fmt::format("'{}'", colour), "a name or like #1f77b4");
  }
}

std::string svg_number(double value) {
  std::string s = fmt::format("{:.2f}", value);
  s.erase(s.find_last_not_of('0') + 1);
  if (s.back() == '.') s.pop_back();
  return s == "-0" ? "0" : s;
}

double text_width(std::string_view text, double font_size) {
  double width = 0.0;
  while (!text.empty()) {
    const std::size_t bytes = first_character(text).bytes;
    width += character_width(text, bytes, font_size);
    text.remove_prefix(bytes);
  }
  return width;
}

std::string fit_text(std::string_view text, double font_size, double width) {
  if (text_width(text, font_size) <= width) return std::string(text);
  double used = font_size;  // the ellipsis
  std::size_t kept = 0;
  while (kept < text.size()) {
    const std::string_view rest = text.substr(kept);
    const std::size_t bytes = first_character(rest).bytes;
    used += character_width(rest, bytes, font_size);
    if (used > width) break;
    kept += bytes;
  }
  return std::string(text.substr(0, kept)) + "\xE2\x80\xA6";
}

}  // namespace mdgp
