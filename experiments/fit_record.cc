#include "fit_record.h"

#include "mdgp/posterior/inspect.h"

namespace mdgp::experiments {

void add_fit(const PlanResult& result, Record& record) {
  record.seconds = result.seconds;
  record.scores["bound"] = result.bound;
  record.scores["steps"] = static_cast<double>(result.steps);
  record.scores["failures"] = static_cast<double>(result.failures.size());
}

void add_ard(const Model& model, Record& record) {
  if (model.cascade.layers.empty()) return;  // a baseline
  const ArdWeights ard = ard_weights(model);
  record.ard_columns = ard.columns;
  for (Index task = 0; task < ard.weights.rows(); ++task) {
    const Vector row = ard.weights.row(task);
    record.ard_weights.emplace_back(row.begin(), row.end());
  }
}

}  // namespace mdgp::experiments
