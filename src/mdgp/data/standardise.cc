#include "mdgp/data/standardise.h"

#include <vector>

#include "mdgp/data/targets.h"

namespace mdgp {
namespace {

// Its units, in which the values stand, become those of the values.
template <class Column>
void change_units(const std::vector<double>& values, Column& column) {
  const Moments1 own = moments_of(values);
  column.mean += column.deviation * own.mean;
  if (own.deviation > 0.0) column.deviation *= own.deviation;
}

}  // namespace

void standardise_by(const DataSet& train, Schema& schema) {
  Index c = 0;
  for (InputColumn& input : schema.inputs) {
    const auto values = train.x.col(c);
    if (!input.text) change_units({values.begin(), values.end()}, input);
    c += input.width();
  }
  for (std::size_t t = 0; t < schema.tasks.size(); ++t) {
    TaskColumn& task = schema.tasks[t];
    std::vector<double> values;
    for (const Observation& o : train.observations) {
      if (o.task == static_cast<int>(t)) values.push_back(o.y);
    }
    task.observed = static_cast<Index>(values.size());
    if (task.kind == TaskKind::count) task.mean = 0.0, task.deviation = 1.0;  // not standardised
    if (!task.labelled()) change_units(values, task);
  }
}

}  // namespace mdgp
