// Names that were probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mdgp {

// The nearest of the names by edit distance, if it is near enough to be meant; else empty.
std::string_view nearest(std::string_view name, std::span<const std::string_view> names);

// "; did you mean 'width'?", else "; there are a, b, c" (at most a dozen).
std::string did_you_mean(std::string_view name, std::span<const std::string> names);

}  // namespace mdgp
