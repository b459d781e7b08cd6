#include "mdgp/data/near_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace mdgp {
namespace {

constexpr std::size_t kMostListed = 12;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Letters put in, left out, mistaken for another, or swapped with the next one (the restricted
// Damerau-Levenshtein distance); capital or small is the same.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const char p = lower(a[i - 1]), q = lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (p == q ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && p == lower(b[j - 2]) && q == lower(a[i - 2]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view name, std::span<const std::string_view> names) {
  if (name.empty()) return {};
  // Of a name of one letter nothing would be left.
  std::size_t limit = std::min(std::max<std::size_t>(1, name.size() / 3), name.size() - 1);
  std::string_view best;
  for (const std::string_view candidate : names) {
    // The lengths alone tell most of them apart, and keep a name of a megabyte from taking long.
    const std::size_t longer = std::max(name.size(), candidate.size());
    if (longer - std::min(name.size(), candidate.size()) > limit) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance > limit || (distance == limit && !best.empty())) continue;
    best = candidate;
    limit = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  if (const std::string_view near = nearest(name, views); !near.empty()) {
    return fmt::format("; did you mean '{}'?", near);
  }
  const std::size_t listed = std::min(views.size(), kMostListed);
  return fmt::format(
      "; there are {}{}",
      fmt::join(views.begin(), views.begin() + static_cast<std::ptrdiff_t>(listed), ", "),
      listed < views.size() ? ", …" : "");
}

}  // namespace mdgp
