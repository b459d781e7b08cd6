#include "scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace mdgp::program {
namespace {

struct Heading {
  std::string_view score, title;
};
constexpr std::array kHeadings = {
    Heading{"rmse", "RMSE"},          Heading{"smse", "SMSE"},
    Heading{"nlpp", "NLPP"},          Heading{"srmse", "std. RMSE"},
    Heading{"snlpp", "std. NLPP"},    Heading{"accuracy", "accuracy"},
    Heading{"log_loss", "log loss"},  Heading{"roc_auc", "ROC-AUC"},
    Heading{"coverage50", "in 50 %"}, Heading{"coverage80", "in 80 %"},
    Heading{"coverage95", "in 95 %"}, Heading{"calibration_error", "cal. error"},
};

const double* find(const Scores& scores, std::string_view name) {
  for (const auto& [key, value] : scores) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::string cell(const Scores& scores, std::string_view name) {
  const double* value = find(scores, name);
  if (value == nullptr) return "";
  if (std::isnan(*value)) return "-";
  return std::abs(*value) >= 1e4 ? fmt::format("{:.3g}", *value) : fmt::format("{:.3f}", *value);
}

}  // namespace

void print_scores(const Evaluation& evaluation) {
  std::size_t width = 7;
  for (const TaskScores& task : evaluation.tasks) width = std::max(width, task.task.size());
  fmt::print("{:<{}}{:>8}", "task", width, "rows");
  for (const Heading& h : kHeadings) {
    if (find(evaluation.overall, h.score) != nullptr) fmt::print("{:>11}", h.title);
  }
  fmt::print("\n");
  const auto line = [&](std::string_view name, const std::string& rows, const Scores& scores) {
    fmt::print("{:<{}}{:>8}", name, width, rows);
    for (const Heading& h : kHeadings) {
      if (find(evaluation.overall, h.score) != nullptr) fmt::print("{:>11}", cell(scores, h.score));
    }
    fmt::print("\n");
  };
  for (const TaskScores& task : evaluation.tasks) {
    line(task.task, fmt::format("{}", task.rows), task.scores);
  }
  if (evaluation.tasks.size() > 1) line("mean", "", evaluation.overall);
}

}  // namespace mdgp::program
