#include "mdgp/metrics/evaluate.h"

#include <algorithm>
#include <cmath>

#include "mdgp/metrics/metrics.h"

namespace mdgp {
namespace {

constexpr double kLevels[] = {0.5, 0.8, 0.95};
constexpr const char* kCoverage[] = {"coverage50", "coverage80", "coverage95"};

Vector to_vector(const std::vector<double>& v) {
  return Eigen::Map<const Vector>(v.data(), static_cast<Index>(v.size()));
}

void append(const Vector& from, std::vector<double>& to) {
  to.insert(to.end(), from.data(), from.data() + from.size());
}

// The share of targets in the central interval of each level. Where y is a whole number its place
// in the distribution is a range [below, up_to]; it counts by the part of it that is inside.
double inside(const std::vector<double>& below, const std::vector<double>& up_to, double level) {
  const double low = 0.5 - 0.5 * level, high = 0.5 + 0.5 * level;
  double sum = 0.0;
  for (std::size_t i = 0; i < up_to.size(); ++i) {
    const double length = up_to[i] - below[i];
    if (length > 1e-12) {
      sum += std::max(std::min(up_to[i], high) - std::max(below[i], low), 0.0) / length;
    } else {
      sum += up_to[i] >= low && up_to[i] <= high ? 1.0 : 0.0;
    }
  }
  return sum / static_cast<double>(up_to.size());
}

}  // namespace

Evaluator::Evaluator(const Posterior& posterior, const Schema& schema, PredictOptions options)
    : posterior_(posterior), schema_(schema), options_(options), collected_(schema.tasks.size()) {}

void Evaluator::add(const DataSet& data, const std::vector<std::uint64_t>& numbers) {
  for (std::size_t t = 0; t < schema_.tasks.size(); ++t) {
    std::vector<Index> rows;
    std::vector<double> y;
    PredictOptions options = options_;
    options.rows.clear();
    for (const Observation& o : data.observations) {
      if (o.task != static_cast<int>(t)) continue;
      rows.push_back(o.row);
      y.push_back(o.y);
      options.rows.push_back(numbers.empty() ? static_cast<std::uint64_t>(o.row)
                                             : numbers[at(o.row)]);
    }
    if (!rows.empty()) add_task(data.x(rows, Eigen::all), to_vector(y), t, options);
  }
}

void Evaluator::add_task(const Matrix& x, const Vector& y, std::size_t t,
                         const PredictOptions& options) {
  Collected& c = collected_[t];
  const int task = static_cast<int>(t);
  const TaskColumn& column = schema_.tasks[t];
  const Mixture f = posterior_.latent(view_of(x), task, options);
  const Prediction p = posterior_.predict(f, task);
  append(y, c.y);
  append(posterior_.log_density(f, task, y), c.log_density);
  if (column.kind == TaskKind::classes) {
    for (Index i = 0; i < p.mean.rows(); ++i) {
      for (Index k = 0; k < p.mean.cols(); ++k) c.probability.push_back(p.mean(i, k));
    }
    return;
  }
  append(p.mean.col(0), c.mean);
  if (column.kind == TaskKind::binary) return;
  append(posterior_.distribution(f, task, y), c.distribution);
  if (column.kind == TaskKind::count) {
    append(posterior_.distribution(f, task, y.array() - 1.0), c.distribution_below);
  }
}

namespace {

struct Labelled {
  std::vector<int> label;
  Matrix probability;  // [n, labels]
};

Scores label_scores(const Labelled& l) {
  Scores scores = {{"accuracy", accuracy(l.label, view_of(l.probability))},
                   {"log_loss", log_loss(l.label, view_of(l.probability))}};
  if (l.probability.cols() == 2) {
    scores.emplace_back("roc_auc", roc_auc(l.label, l.probability.col(1)));
  }
  scores.emplace_back("calibration_error", calibration_error(l.label, view_of(l.probability)));
  return scores;
}

Labelled labelled(const std::vector<double>& y, const std::vector<double>& probability, bool binary,
                  Index labels) {
  Labelled l{{}, Matrix(static_cast<Index>(y.size()), labels)};
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto row = static_cast<Index>(i);
    l.label.push_back(static_cast<int>(y[i]));
    for (Index k = 0; k < labels; ++k) {
      l.probability(row, k) =
          binary ? (k == 1 ? probability[i] : 1.0 - probability[i])
                 : probability[i * static_cast<std::size_t>(labels) + static_cast<std::size_t>(k)];
    }
  }
  return l;
}

// Means over the tasks that have each score, in the order of their first appearance.
Scores mean_scores(const std::vector<TaskScores>& tasks) {
  Scores overall;
  std::vector<Index> counts;
  for (const TaskScores& task : tasks) {
    for (const auto& [name, value] : task.scores) {
      if (std::isnan(value)) continue;
      const auto found = std::find_if(overall.begin(), overall.end(),
                                      [&, key = name](const auto& s) { return s.first == key; });
      const auto place = static_cast<std::size_t>(found - overall.begin());
      if (found == overall.end()) {
        overall.emplace_back(name, 0.0);
        counts.push_back(0);
      }
      overall[place].second += value;
      ++counts[place];
    }
  }
  for (std::size_t i = 0; i < overall.size(); ++i) {
    overall[i].second /= static_cast<double>(counts[i]);
  }
  return overall;
}

}  // namespace

Evaluation Evaluator::finish() const {
  Evaluation evaluation;
  for (std::size_t t = 0; t < collected_.size(); ++t) {
    const Collected& c = collected_[t];
    const TaskColumn& column = schema_.tasks[t];
    if (c.y.empty()) continue;
    TaskScores task{column.name, column.kind, static_cast<Index>(c.y.size()), {}};
    if (column.labelled()) {
      const bool binary = column.kind == TaskKind::binary;
      task.scores = label_scores(labelled(c.y, binary ? c.mean : c.probability, binary,
                                          static_cast<Index>(column.labels.size())));
      evaluation.tasks.push_back(std::move(task));
      continue;
    }
    const bool regression = column.kind == TaskKind::regression;
    const double scale = regression ? column.deviation : 1.0;
    const Vector y = to_vector(c.y), mean = to_vector(c.mean);
    const double standard_rmse = rmse(y, mean), standard_nlpp = nlpp(to_vector(c.log_density));
    task.scores = {{"rmse", scale * standard_rmse},
                   {"smse", smse(y, mean)},
                   {"nlpp", standard_nlpp + std::log(scale)}};
    if (regression) {
      task.scores.emplace_back("srmse", standard_rmse);
      task.scores.emplace_back("snlpp", standard_nlpp);
    }
    for (std::size_t k = 0; k < std::size(kLevels); ++k) {
      task.scores.emplace_back(
          kCoverage[k],
          inside(regression ? c.distribution : c.distribution_below, c.distribution, kLevels[k]));
    }
    evaluation.tasks.push_back(std::move(task));
  }
  evaluation.overall = mean_scores(evaluation.tasks);
  return evaluation;
}

}  // namespace mdgp
