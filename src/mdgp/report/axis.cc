#include "mdgp/report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace mdgp {
namespace {

constexpr double kLargest = 1e100;
// Below this width, relative to the values, data are constant: what differs is rounding.
constexpr double kConstant = 1e-9;

// mantissa * 10^exponent. Multiples are made by one rounding only: 3 * 1 / 10 is 0.3, while
// 3 * 0.1 is not.
struct Step {
  int mantissa;
  int exponent;

  double times(double k) const {
    const double power = std::pow(10.0, std::abs(exponent));
    return exponent < 0 ? k * mantissa / power : k * mantissa * power;
  }
};

// Ticks by their numbers: first, first + 1, …, last.
struct Span {
  double first, last;
};

Span span(const Range& range, const Step& step) {
  // A tick that misses the end of the range by rounding belongs to it.
  constexpr double kSlack = 1e-9;
  const double width = step.times(1.0);
  return {std::ceil(range.low / width - kSlack), std::floor(range.high / width + kSlack)};
}

Step finest_step(const Range& range, int most) {
  constexpr std::array kMantissas = {1, 2, 5};
  const int start = static_cast<int>(std::floor(std::log10((range.high - range.low) / most))) - 1;
  for (int exponent = start;; ++exponent) {
    for (const int mantissa : kMantissas) {
      const Step step{mantissa, exponent};
      const Span s = span(range, step);
      if (s.last - s.first + 1.0 <= most) return step;
    }
  }
}

std::string with_minus(const std::string& number) {
  return number.starts_with('-') ? "\xE2\x88\x92" + number.substr(1) : number;  // U+2212
}

std::size_t longest(const std::vector<std::string>& labels) {
  std::size_t length = 0;
  for (const std::string& label : labels) length = std::max(length, label.size());
  return length;
}

}  // namespace

bool drawable(double value) { return std::isfinite(value) && std::abs(value) <= kLargest; }

void RangeFinder::add(const std::vector<double>& values) {
  for (const double v : values) {
    if (!drawable(v)) continue;
    low_ = empty_ ? v : std::min(low_, v);
    high_ = empty_ ? v : std::max(high_, v);
    empty_ = false;
  }
}

Range RangeFinder::range(double margin) const {
  if (empty_) return {0.0, 1.0};
  const double size = std::max(std::abs(low_), std::abs(high_));
  const double width = high_ - low_;
  if (width <= kConstant * size || width < 1.0 / kLargest) {
    const double room = size < 1.0 / kLargest ? 1.0 : 0.1 * size;
    return {low_ - room, high_ + room};
  }
  return {low_ - margin * width, high_ + margin * width};
}

std::vector<Tick> round_ticks(const Range& range, int most) {
  const Step step = finest_step(range, std::max(most, 2));
  const Span s = span(range, step);
  std::vector<double> values;
  for (double k = s.first; k <= s.last; ++k) values.push_back(k == 0.0 ? 0.0 : step.times(k));
  if (values.empty()) return {};

  const double size = std::max(std::abs(values.front()), std::abs(values.back()));
  const int exponent = size > 0.0 ? static_cast<int>(std::floor(std::log10(size))) : 0;
  std::vector<std::string> plain, scientific;
  for (const double v : values) {
    plain.push_back(fmt::format("{:.{}f}", v, std::max(0, -step.exponent)));
    scientific.push_back(v == 0.0 ? "0"
                                  : fmt::format("{:.{}f}e{}", v / std::pow(10.0, exponent),
                                                std::max(0, exponent - step.exponent), exponent));
  }
  constexpr std::size_t kShort = 6;  // characters that a plain number may always have
  const bool use_plain = longest(plain) <= std::max(kShort, longest(scientific));
  const std::vector<std::string>& labels = use_plain ? plain : scientific;
  std::vector<Tick> ticks;
  for (std::size_t i = 0; i < values.size(); ++i) {
    ticks.push_back({values[i], with_minus(labels[i])});
  }
  return ticks;
}

std::vector<Tick> log_ticks(const Range& range, int most) {
  constexpr double kSlack = 1e-9;
  std::vector<Tick> fine, powers;
  for (double exponent = std::floor(range.low); exponent <= range.high; ++exponent) {
    for (const double mantissa : {1.0, 2.0, 5.0}) {
      const double at = exponent + std::log10(mantissa);
      if (at < range.low - kSlack || at > range.high + kSlack) continue;
      const double value = mantissa * std::pow(10.0, exponent);
      if (!std::isfinite(value)) continue;
      fine.push_back({at, fmt::format("{:g}", value)});
      if (mantissa == 1.0) powers.push_back(fine.back());
    }
  }
  const auto limit = static_cast<std::size_t>(std::max(most, 2));
  if (fine.size() >= 2 && fine.size() <= limit) return fine;
  std::vector<Tick> ticks;
  if (powers.size() >= 2) {
    const std::size_t stride = (powers.size() + limit - 1) / limit;
    for (std::size_t i = 0; i < powers.size(); i += stride) ticks.push_back(powers[i]);
    return ticks;
  }
  const Range linear{std::pow(10.0, range.low), std::pow(10.0, range.high)};
  if (!drawable(linear.high) || linear.high < 1.0 / kLargest) return fine;
  for (Tick& t : round_ticks(linear, most)) {
    if (t.value > 0.0) ticks.push_back({std::log10(t.value), std::move(t.label)});
  }
  return ticks;
}

}  // namespace mdgp
