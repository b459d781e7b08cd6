// Whether and how often a part stands in a text.
#pragma once

#include <cstddef>
#include <string_view>

namespace mdgp {

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

inline std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

}  // namespace mdgp
