#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "figures.h"

namespace mdgp::experiments {
namespace {

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

HintonChart hinton_chart(const Record& record, const std::vector<std::string>& tasks) {
  HintonBuilder builder(record, tasks);
  builder.add_named('g', {"shared", "#1f77b4"});
  builder.add_private({"private: each task's own", "#d62728"});
  builder.add_named('x', {"inputs x", "#6b7280"});
  return builder.chart();
}

Section hinton_figures(const Grid& grid, const ReportOptions& options) {
  Section section{"ARD weights"};
  section.paragraphs = {
      "How much each latent function and input matters to each task: how far the task's function "
      "is expected to change as that one moves by 1, of sum 1 per task. The area of a square is "
      "the weight relative to the task's largest."};
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
