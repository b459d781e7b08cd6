// What the tests of io/choose.h plan for.
#pragma once

#include <string>
#include <vector>

#include "mdgp/io/choose.h"

namespace mdgp::fixture {

inline Schema schema_of(const std::vector<TaskKind>& kinds, Index inputs = 3) {
  Schema schema;
  for (Index d = 0; d < inputs; ++d) schema.inputs.push_back({.name = "x", .words = {}});
  for (const TaskKind kind : kinds) {
    TaskColumn task{.name = "y", .kind = kind, .labels = {}};
    if (kind == TaskKind::binary) task.labels = {"no", "yes"};
    if (kind == TaskKind::classes) task.labels = {"a", "b", "c"};
    schema.tasks.push_back(task);
  }
  return schema;
}

inline const std::vector<TaskKind> kOne = {TaskKind::regression};
inline const std::vector<TaskKind> kTwo = {TaskKind::regression, TaskKind::regression};

inline FitPlan plan(const FitSettings& settings, const std::vector<TaskKind>& kinds, Index rows) {
  return choose(settings, schema_of(kinds), {Matrix::Random(rows, 3), {}});
}
inline FitPlan plan(const std::vector<TaskKind>& kinds, Index rows) {
  return plan({}, kinds, rows);
}

template <class F>
FitSettings with(F set) {
  FitSettings settings;
  set(settings);
  return settings;
}

// Several inputs, few rows, nothing but regression.
inline FitPlan plan_for(const FitSettings& settings, Index rows, Index inputs = 6) {
  DataSet data{Matrix::Random(rows, inputs), {}};
  for (Index r = 0; r < rows; ++r) data.observations.push_back({r, static_cast<int>(r % 2), 0.5});
  return choose(settings, schema_of(kTwo, inputs), data);
}

}  // namespace mdgp::fixture
