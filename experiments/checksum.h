// Eight hexadecimal digits that tell other data, or another build of the program, apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mdgp::experiments {

// The bytes of a container's numbers, while it lives.
template <class Container>
std::string_view bytes_of(const Container& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()),
          static_cast<std::size_t>(numbers.size()) * sizeof(*numbers.data())};
}

// Of all parts, one after the other.
std::string checksum(const std::vector<std::string_view>& parts);

}  // namespace mdgp::experiments
