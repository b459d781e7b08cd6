#include "durations.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mdgp::experiments {
namespace {

constexpr double kSteepest = 3.0;   // no fit takes more than the cube of its size
constexpr double kShortest = 1e-3;  // seconds: what takes less has no time worth comparing

}  // namespace

void Durations::add(const std::string& model, Index size, double seconds) {
  Sum& sum = known_[{model, size}];
  sum.seconds += seconds;
  sum.count += 1.0;
}

double Durations::estimate(const std::string& model, Index size) const {
  struct Point {
    double away, log_size, log_seconds;
  };
  const double log_size = std::log(static_cast<double>(size));
  std::vector<Point> points;  // of the model, the nearest first
  for (const auto& [key, sum] : known_) {
    if (key.first != model) continue;
    const double known = std::log(static_cast<double>(key.second));
    points.push_back({std::abs(known - log_size), known,
                      std::log(std::max(sum.seconds / sum.count, kShortest))});
  }
  if (points.empty()) return NAN;
  std::stable_sort(points.begin(), points.end(),
                   [](const Point& a, const Point& b) { return a.away < b.away; });
  const Point& near = points[0];
  double power = 1.0;
  if (points.size() > 1) {
    power = std::clamp(
        (points[1].log_seconds - near.log_seconds) / (points[1].log_size - near.log_size), 0.0,
        kSteepest);
  }
  return std::exp(near.log_seconds + power * (log_size - near.log_size));
}

}  // namespace mdgp::experiments
