// A model judged on rows whose targets are known, task by task.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mdgp/data/encode.h"
#include "mdgp/posterior/posterior.h"

namespace mdgp {

// By name, in the order in which they are shown. Regression and counts: rmse, smse, nlpp,
// coverage50, coverage80, coverage95 in the target's own units, regression also srmse and snlpp on
// targets standardised by the task's training mean and deviation (as the paper reports them).
// Labels: accuracy, log_loss, roc_auc (two labels), calibration_error.
using Scores = std::vector<std::pair<std::string, double>>;

struct TaskScores {
  std::string task;
  TaskKind kind = TaskKind::regression;
  Index rows = 0;
  Scores scores;
};

struct Evaluation {
  std::vector<TaskScores> tasks;  // those that were observed
  Scores overall;                 // of each score the mean over the tasks that have it
};

// Collects pieces of a table.
class Evaluator {
 public:
  Evaluator(const Posterior& posterior, const Schema& schema, PredictOptions options);
  // numbers: of the rows of data.x in the table (PredictOptions::rows); empty: 0, 1, …
  void add(const DataSet& data, const std::vector<std::uint64_t>& numbers = {});
  Evaluation finish() const;

 private:
  struct Collected {
    std::vector<double> y, mean, log_density, distribution, distribution_below;
    std::vector<double> probability;  // labels: row by row
  };
  void add_task(const Matrix& x, const Vector& y, std::size_t task, const PredictOptions& options);

  const Posterior& posterior_;
  const Schema& schema_;
  PredictOptions options_;
  std::vector<Collected> collected_;
};

}  // namespace mdgp
