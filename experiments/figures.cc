#include "figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "mdgp/report/chart.h"
#include "sections.h"

namespace mdgp::experiments {
namespace {

// Of strong contrast first; rows after the last begin again.
constexpr std::array kColours = {"#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#17becf",
                                 "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#000000", "#5254a3"};

// Our models have full lines, others dashed ones.
Series series_of(const Grid& grid, const ReportOptions& options, std::size_t row) {
  Series s;
  s.colour = kColours[row % kColours.size()];
  s.label = grid.rows()[row].label;
  s.dashed = !is_ours(options, grid.rows()[row]);
  return s;
}

// A model that is far worse than most would press the others together: the axis then ends where
// four times the distance from the best to the median ends.
void limit_range(const ScoreColumn& score, std::vector<double> means, Chart& chart) {
  if (means.size() < 3) return;
  const auto [low, high] = std::minmax_element(means.begin(), means.end());
  const double best = score.lower_is_better ? *low : *high;
  const double worst = score.lower_is_better ? *high : *low;
  const double limit = best + 4.0 * (median(means) - best);
  if (std::abs(worst - best) <= 2.0 * std::abs(limit - best)) return;
  const double margin = 0.06 * std::abs(limit - best);
  chart.fixed_y = true;
  chart.y_min = std::min(best, limit) - (score.lower_is_better ? margin : 0.0);
  chart.y_max = std::max(best, limit) + (score.lower_is_better ? 0.0 : margin);
}

struct Point {
  double value = kNan, error = kNan;  // NaN: not drawn
};

// One chart of all rows; value(row, size) gives a Point.
template <class Value>
Chart size_chart(const Grid& grid, const ReportOptions& options, const ScoreColumn& score,
                 Chart chart, const Value& value) {
  chart.x_label = options.size_label;
  chart.log_x = true;
  std::vector<double> values;
  for (std::size_t row = 0; row < grid.rows().size(); ++row) {
    Series line = series_of(grid, options, row), bars = line, points = line;
    bars.kind = Series::bars;
    points.kind = Series::points;
    bars.label = "";
    for (const Index size : grid.sizes()) {
      const Point p = value(row, size);
      if (!std::isfinite(p.value)) continue;
      line.x.push_back(static_cast<double>(size));
      line.y.push_back(p.value);
      bars.low.push_back(p.value - p.error);
      bars.high.push_back(p.value + p.error);
      values.push_back(p.value);
    }
    if (line.x.empty()) continue;
    bars.x = points.x = line.x;
    points.y = line.y;
    chart.series.insert(chart.series.end(), {bars, line, points});
  }
  limit_range(score, values, chart);
  return chart;
}

Chart score_chart(const Grid& grid, const ReportOptions& options, const ScoreColumn& score) {
  const Chart chart{
      .title = label_of(score), .x_label = "", .y_label = label_of(score), .series = {}};
  return size_chart(grid, options, score, chart, [&](std::size_t row, Index size) {
    const Cell cell = grid.cell(row, size, score.name);
    return Point{cell.mean, cell.error};
  });
}

// On the same runs the draws' own spread drops out: what is small in the other chart is seen here.
Chart difference_chart(const Grid& grid, const ReportOptions& options, const ScoreColumn& score) {
  const Chart chart{.title = fmt::format("{} minus that of the best {} model", label_of(score),
                                         options.ours_label),
                    .x_label = "",
                    .y_label = "difference",
                    .series = {}};
  const std::vector<std::size_t> ours = rows_of_ours(grid, options, true);
  return size_chart(grid, options, score, chart, [&](std::size_t row, Index size) {
    const std::vector<Cell> column = grid.column(size, score.name);
    const int best = best_row(column, ours, score.lower_is_better);
    if (best < 0) return Point{};
    std::map<int, double> differences;
    for (const auto& each : column[static_cast<std::size_t>(best)].values) {
      const auto found = column[row].values.find(each.first);
      if (found != column[row].values.end()) differences[each.first] = found->second - each.second;
    }
    const Cell cell = make_cell(std::move(differences), 0);
    return Point{cell.mean, cell.error};
  });
}

// Share against level, or their difference.
Chart calibration_chart(const Grid& grid, const ReportOptions& options, Index size,
                        bool difference) {
  const std::string at = fmt::format("{} = {}", options.size_label, size);
  Chart chart{.title = fmt::format("{}{}", difference ? "Share − level, " : "Calibration, ", at),
              .x_label = "level",
              .y_label = difference ? "share below − level" : "share below",
              .series = {}};
  std::vector<double> levels;
  for (std::size_t k = 0; k < kCalibrationLevels; ++k) levels.push_back(calibration_level(k));
  Series exact{Series::line, {0.0, 1.0}, {0.0, difference ? 0.0 : 1.0}, {}, {}, "#9aa1ab",
               "exact",      false};
  chart.series.push_back(exact);
  double largest = 0.05;  // so that what hardly differs looks so
  for (std::size_t row = 0; row < grid.rows().size(); ++row) {
    Series line = series_of(grid, options, row);
    line.y = mean_calibration(grid.runs(row, size));
    if (line.y.empty()) continue;
    line.x = levels;
    for (std::size_t i = 0; difference && i < kCalibrationLevels; ++i) {
      line.y[i] -= levels[i];
      largest = std::max(largest, 1.1 * std::abs(line.y[i]));
    }
    chart.series.push_back(std::move(line));
  }
  chart.fixed_y = true;
  chart.y_min = difference ? -largest : 0.0;
  chart.y_max = difference ? largest : 1.0;
  return chart;
}

bool has_calibration(const Grid& grid, Index size) {
  for (std::size_t row = 0; row < grid.rows().size(); ++row) {
    if (!mean_calibration(grid.runs(row, size)).empty()) return true;
  }
  return false;
}

}  // namespace

std::vector<double> mean_calibration(const Grid::Runs& runs) {
  std::vector<double> sum(kCalibrationLevels, 0.0);
  double count = 0.0;
  for (const auto& each : runs) {
    const auto found = each.second->lists.find("calibration");
    if (found == each.second->lists.end() || found->second.size() != kCalibrationLevels) continue;
    for (std::size_t i = 0; i < kCalibrationLevels; ++i) sum[i] += found->second[i];
    count += 1.0;
  }
  if (count == 0.0) return {};
  for (double& s : sum) s /= count;
  return sum;
}

Section score_figures(const Grid& grid, const ReportOptions& options) {
  Section section{fmt::format("Scores against {}", options.size_label)};
  std::vector<Chart> charts;
  for (const ScoreColumn& score : options.scores) {
    if (!grid.has(score.name)) continue;
    charts.push_back(score_chart(grid, options, score));
    charts.push_back(difference_chart(grid, options, score));
  }
  if (charts.empty()) return {};
  const bool cut =
      std::any_of(charts.begin(), charts.end(), [](const Chart& c) { return c.fixed_y; });
  section.paragraphs = {fmt::format(
      "Means with standard errors; at the right, differences on the same runs. Full lines: "
      "{} models.{}",
      options.ours_label, cut ? " What is far worse than the rest is cut off." : "")};
  section.svgs = {to_svg(charts, 2, 520, 340)};
  return section;
}

Section calibration_figures(const Grid& grid, const ReportOptions& options) {
  std::vector<Chart> charts;
  for (auto size = grid.sizes().rbegin(); size != grid.sizes().rend(); ++size) {
    if (charts.size() == 4 || !has_calibration(grid, *size)) continue;
    charts.push_back(calibration_chart(grid, options, *size, false));
    charts.push_back(calibration_chart(grid, options, *size, true));
  }
  if (charts.empty()) return {};
  return {
      "Calibration",
      {"Share of test targets below the predictive quantile of each level, the mean over runs. "
       "Predictions are too certain where the difference is positive at low levels and negative "
       "at high ones, too uncertain the other way round."},
      "",
      {},
      {to_svg(charts, 2, 520, 320)}};
}

}  // namespace mdgp::experiments
