#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "mdgp/random/normal.h"
#include "sarcos_data.h"

namespace mdgp::experiments {
namespace {

struct Point {
  Index row;
  int task;
  double order;  // a draw is the first of all points in this order
};

bool eligible(const SarcosData& data, Protocol protocol, Index row) {
  return protocol == Protocol::paper || data.in_test[static_cast<std::size_t>(row)] == 0;
}

// All points that may be drawn, in random order. Which torque a row of all seven gives is drawn
// too.
std::vector<Point> shuffled(const SarcosData& data, Protocol protocol, Index size, int run,
                            std::uint64_t seed) {
  const DrawKey key{seed, Purpose::data, static_cast<std::uint32_t>(run)};
  const auto column = 2 * static_cast<std::uint32_t>(size);
  std::vector<Point> points;
  for (Index r = 0; r < data.pool_x.rows(); ++r) {
    if (!eligible(data, protocol, r)) continue;
    const auto row = static_cast<std::uint64_t>(r);
    const int task = data.pool_all.size() > 0
                         ? static_cast<int>(kJoints * uniform(key, row, column + 1))
                         : data.pool_task[row];
    points.push_back({r, task, uniform(key, row, column)});
  }
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return a.order < b.order || (a.order == b.order && a.row < b.row);
  });
  return points;
}

// The first `size` points, and where a task would have fewer than two of these, its first two in
// place of the last of the others.
std::vector<Point> choose_points(const std::vector<Point>& points, Index size) {
  std::vector<Index> seen(kJoints, 0);
  std::vector<bool> taken(points.size());
  Index count = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (seen[static_cast<std::size_t>(points[i].task)]++ < 2) taken[i] = true, ++count;
  }
  for (std::size_t i = 0; i < points.size() && count < size; ++i) {
    if (!taken[i]) taken[i] = true, ++count;
  }
  std::vector<Point> chosen;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (taken[i]) chosen.push_back(points[i]);
  }
  return chosen;
}

struct Units {
  double mean, deviation;
};

Units units_of(const Vector& values) {
  if (values.size() == 0) return {0.0, 1.0};  // a task that the pool does not have
  const double mean = values.mean();
  const double deviation = std::sqrt((values.array() - mean).square().mean());
  return {mean, deviation > 0.0 ? deviation : 1.0};
}

// x of the draw and of the test rows, and what the schema says of the inputs.
void standardise_inputs(const Matrix& test_x, SarcosDraw& draw) {
  Matrix& x = draw.train.x;
  draw.test_x.resize(test_x.rows(), kArmInputs);
  for (Index c = 0; c < kArmInputs; ++c) {
    const Units u = units_of(x.col(c));
    x.col(c) = (x.col(c).array() - u.mean) / u.deviation;
    draw.test_x.col(c) = (test_x.col(c).array() - u.mean) / u.deviation;
    const char* kind = c < kJoints ? "q" : c < 2 * kJoints ? "qd" : "qdd";
    InputColumn input;
    input.name = fmt::format("{}{}", kind, c % kJoints + 1);
    input.mean = u.mean;
    input.deviation = u.deviation;
    draw.schema.inputs.push_back(input);
  }
}

void standardise_task(const Matrix& test_y, int task, SarcosDraw& draw) {
  std::vector<double> targets;
  for (const Observation& o : draw.train.observations) {
    if (o.task == task) targets.push_back(o.y);
  }
  const Units u =
      units_of(Eigen::Map<const Vector>(targets.data(), static_cast<Index>(targets.size())));
  for (Observation& o : draw.train.observations) {
    if (o.task == task) o.y = (o.y - u.mean) / u.deviation;
  }
  draw.test_y.col(task) = (test_y.col(task).array() - u.mean) / u.deviation;
  TaskColumn column;
  column.name = fmt::format("tau{}", task + 1);
  column.mean = u.mean;
  column.deviation = u.deviation;
  column.observed = static_cast<Index>(targets.size());
  draw.schema.tasks.push_back(column);
}

}  // namespace

Index drawable(const SarcosData& data, Protocol protocol) {
  Index count = 0;
  for (Index r = 0; r < data.pool_x.rows(); ++r) count += eligible(data, protocol, r) ? 1 : 0;
  return count;
}

SarcosDraw draw(const SarcosData& data, Protocol protocol, Index size, int run,
                std::uint64_t seed) {
  const std::vector<Point> points = shuffled(data, protocol, size, run, seed);
  if (size < kLeastDraw || size > static_cast<Index>(points.size())) {
    throw std::invalid_argument(fmt::format("draw: size is {}, but must be from {} to {}", size,
                                            kLeastDraw, points.size()));
  }
  SarcosDraw result;
  result.schema.wide = false;
  result.schema.task_column = "task";
  result.schema.target_column = "tau";
  result.train.x.resize(size, kArmInputs);
  Index n = 0;
  for (const Point& p : choose_points(points, size)) {
    result.train.x.row(n) = data.pool_x.row(p.row);
    result.train.observations.push_back(
        {n++, p.task,
         data.pool_all.size() > 0 ? data.pool_all(p.row, p.task) : data.pool_y[p.row]});
  }
  standardise_inputs(data.test_x, result);
  result.test_y.resize(data.test_y.rows(), kJoints);
  for (int task = 0; task < kJoints; ++task) standardise_task(data.test_y, task, result);
  return result;
}

}  // namespace mdgp::experiments
