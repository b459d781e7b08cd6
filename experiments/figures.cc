#include "figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "mdgp/report/chart.h"
#include "sections.h"

namespace mdgp::experiments {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kLevels = 19;  // .05, .10, … .95

// Of strong contrast first; rows after the last begin again.
constexpr std::array kColours = {"#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd",
                                 "#17becf", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22"};

bool is_ours(const ReportOptions& options, const GridRow& row) {
  return std::find(options.ours.begin(), options.ours.end(), row.model) != options.ours.end();
}

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
  if (std::abs(worst - best) <= std::abs(limit - best)) return;
  const double margin = 0.06 * std::abs(limit - best);
  chart.fixed_y = true;
  chart.y_min = std::min(best, limit) - (score.lower_is_better ? margin : 0.0);
  chart.y_max = std::max(best, limit) + (score.lower_is_better ? 0.0 : margin);
}

Chart score_chart(const Grid& grid, const ReportOptions& options, const ScoreColumn& score) {
  Chart chart{.title = label_of(score),
              .x_label = options.size_label,
              .y_label = label_of(score),
              .series = {},
              .log_x = true};
  std::vector<double> means;
  for (std::size_t row = 0; row < grid.rows().size(); ++row) {
    Series line = series_of(grid, options, row), bars = line, points = line;
    bars.kind = Series::bars;
    points.kind = Series::points;
    for (const Index size : grid.sizes()) {
      const Cell cell = grid.cell(row, size, score.name);
      if (cell.empty()) continue;
      line.x.push_back(static_cast<double>(size));
      line.y.push_back(cell.mean);
      bars.low.push_back(cell.mean - cell.error);
      bars.high.push_back(cell.mean + cell.error);
      means.push_back(cell.mean);
    }
    bars.x = points.x = line.x;
    points.y = line.y;
    bars.label = "";
    if (line.x.empty()) continue;
    chart.series.insert(chart.series.end(), {bars, line, points});
  }
  limit_range(score, means, chart);
  return chart;
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
  for (std::size_t i = 1; i <= kLevels; ++i) levels.push_back(0.05 * static_cast<double>(i));
  Series exact{Series::line, {0.0, 1.0}, {0.0, difference ? 0.0 : 1.0}, {}, {}, "#9aa1ab",
               "exact",      false};
  chart.series.push_back(exact);
  // From the last row to the first: our models are drawn on top.
  for (std::size_t row = grid.rows().size(); row-- > 0;) {
    Series line = series_of(grid, options, row);
    line.y = mean_calibration(grid.runs(row, size));
    if (line.y.empty()) continue;
    line.x = levels;
    for (std::size_t i = 0; difference && i < kLevels; ++i) line.y[i] -= levels[i];
    chart.series.push_back(std::move(line));
  }
  return chart;
}

bool has_calibration(const Grid& grid, Index size) {
  for (std::size_t row = 0; row < grid.rows().size(); ++row) {
    if (!mean_calibration(grid.runs(row, size)).empty()) return true;
  }
  return false;
}

const Record* largest_with_weights(const Grid& grid, const std::string& model) {
  for (auto size = grid.sizes().rbegin(); size != grid.sizes().rend(); ++size) {
    for (std::size_t row = 0; row < grid.rows().size(); ++row) {
      if (grid.rows()[row].model != model) continue;
      for (const auto& each : grid.runs(row, *size)) {
        if (!each.second->ard_weights.empty()) return each.second;
      }
    }
  }
  return nullptr;
}

double weight_at(const Record& record, std::size_t task, std::size_t column) {
  const std::vector<double>& row = record.ard_weights[task];
  return column < row.size() && row[column] >= 0.0 && std::isfinite(row[column]) ? row[column]
                                                                                 : kNan;
}

// The k-th private column that a task sees: h1[0] for task 1, h2[0] for task 2.
std::vector<std::vector<double>> private_weights(const Record& record) {
  std::vector<std::vector<double>> own(record.ard_weights.size());
  for (std::size_t task = 0; task < own.size(); ++task) {
    for (std::size_t c = 0; c < record.ard_columns.size(); ++c) {
      const double weight = weight_at(record, task, c);
      if (record.ard_columns[c].starts_with('h') && !std::isnan(weight))
        own[task].push_back(weight);
    }
  }
  return own;
}

class HintonBuilder {
 public:
  HintonBuilder(const Record& record, const std::vector<std::string>& tasks) : record_(record) {
    for (std::size_t t = 0; t < record.ard_weights.size(); ++t) {
      chart_.rows.push_back(t < tasks.size() ? tasks[t] : fmt::format("task {}", t + 1));
    }
  }

  // Columns whose names begin so.
  void add_named(char first, const HintonGroup& group) {
    const std::size_t before = columns_.size();
    for (std::size_t c = 0; c < record_.ard_columns.size(); ++c) {
      if (!record_.ard_columns[c].starts_with(first)) continue;
      std::vector<double> column;
      for (std::size_t t = 0; t < chart_.rows.size(); ++t)
        column.push_back(weight_at(record_, t, c));
      add_column(record_.ard_columns[c], std::move(column));
    }
    end_group(before, group);
  }

  void add_private(const HintonGroup& group) {
    const std::size_t before = columns_.size();
    const auto own = private_weights(record_);
    std::size_t most = 0;
    for (const auto& task : own) most = std::max(most, task.size());
    for (std::size_t k = 0; k < most; ++k) {
      std::vector<double> column;
      for (const auto& task : own) column.push_back(k < task.size() ? task[k] : kNan);
      add_column(fmt::format("h[{}]", k), std::move(column));
    }
    end_group(before, group);
  }

  HintonChart chart() {
    chart_.weights.resize(std::ssize(chart_.rows), std::ssize(columns_));
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      for (std::size_t r = 0; r < chart_.rows.size(); ++r) {
        chart_.weights(static_cast<Index>(r), static_cast<Index>(c)) = columns_[c][r];
      }
    }
    return std::move(chart_);
  }

 private:
  void add_column(std::string name, std::vector<double> column) {
    chart_.columns.push_back(std::move(name));
    chart_.group.push_back(static_cast<int>(chart_.groups.size()));
    columns_.push_back(std::move(column));
  }
  void end_group(std::size_t before, const HintonGroup& group) {
    if (columns_.size() > before) chart_.groups.push_back(group);
  }

  const Record& record_;
  HintonChart chart_;
  std::vector<std::vector<double>> columns_;
};

}  // namespace

std::vector<double> mean_calibration(const Grid::Runs& runs) {
  std::vector<double> sum(kLevels, 0.0);
  double count = 0.0;
  for (const auto& each : runs) {
    const auto found = each.second->lists.find("calibration");
    if (found == each.second->lists.end() || found->second.size() != kLevels) continue;
    for (std::size_t i = 0; i < kLevels; ++i) sum[i] += found->second[i];
    count += 1.0;
  }
  if (count == 0.0) return {};
  for (double& s : sum) s /= count;
  return sum;
}

HintonChart hinton_chart(const Record& record, const std::vector<std::string>& tasks) {
  HintonBuilder builder(record, tasks);
  builder.add_named('g', {"shared", "#1f77b4"});
  builder.add_private({"private: each task's own", "#d62728"});
  builder.add_named('x', {"inputs x", "#6b7280"});
  return builder.chart();
}

Section score_figures(const Grid& grid, const ReportOptions& options) {
  Section section{fmt::format("Scores against {}", options.size_label)};
  std::vector<Chart> charts;
  bool cut = false;
  for (const ScoreColumn& score : options.scores) {
    if (!grid.has(score.name)) continue;
    charts.push_back(score_chart(grid, options, score));
    cut = cut || charts.back().fixed_y;
  }
  if (charts.empty()) return {};
  section.paragraphs = {fmt::format("Means with standard errors. Full lines: {} models.{}",
                                    options.ours_label,
                                    cut ? " What is far worse than the rest is cut off." : "")};
  section.svgs = {to_svg(charts, 2, 520, 380)};
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
  return {"Calibration",
          {"Share of test targets below the predictive quantile of each level, the mean over runs. "
           "A curve that is too flat: predictions too uncertain at the tails' cost; a difference "
           "that falls from positive to negative: too certain."},
          "",
          {},
          {to_svg(charts, 2, 520, 320)}};
}

Section hinton_figures(const Grid& grid, const ReportOptions& options) {
  Section section{"ARD weights"};
  section.paragraphs = {
      "How much each task's top kernel uses each latent function: 1 / lengthscale², of sum 1 per "
      "task. The area of a square is the weight relative to the task's largest."};
  for (const std::string& model : options.hinton) {
    const Record* record = largest_with_weights(grid, model);
    if (record == nullptr) continue;
    HintonChart chart = hinton_chart(*record, options.tasks);
    chart.title =
        fmt::format("{}, {} = {}, run {}", model, options.size_label, record->size, record->run);
    section.svgs.push_back(to_svg(chart));
  }
  if (section.svgs.empty()) return {};
  return section;
}

}  // namespace mdgp::experiments
