// Random models with columns to match, as if they were fitted.
#pragma once

#include "mdgp/io/model_file.h"
#include "testing/random_model.h"

namespace mdgp::fixture {

inline std::string numbered(const char* name, std::size_t i) {
  return std::string(name).append(std::to_string(i));
}

// A column of numbers for each input, a task for each likelihood.
inline Schema random_schema(const ModelSpec& spec, Random& random) {
  Schema schema;
  for (std::size_t d = 0; d < at(spec.inputs); ++d) {
    schema.inputs.push_back(
        {numbered("x", d), false, {}, random.normal(), random.uniform(0.1, 3.0)});
  }
  for (std::size_t t = 0; t < spec.tasks.size(); ++t) {
    TaskColumn task{.name = numbered("y", t), .labels = {}, .observed = 10};
    const std::string& likelihood = spec.tasks[t].likelihood;
    if (spec.tasks[t].classes > 0) {
      task.kind = TaskKind::classes;
      for (int k = 0; k < spec.tasks[t].classes; ++k) task.labels.push_back(numbered("k", at(k)));
    } else if (likelihood == "bernoulli") {
      task.kind = TaskKind::binary;
      task.labels = {"no", "yes"};
    } else {
      task.kind = likelihood == "poisson" ? TaskKind::count : TaskKind::regression;
      task.mean = random.normal();
      task.deviation = random.uniform(0.1, 3.0);
    }
    schema.tasks.push_back(std::move(task));
  }
  return schema;
}

inline FittedModel fitted_model(const ModelSpec& spec, unsigned seed) {
  Random random(seed);
  FittedModel fitted;
  fitted.schema = random_schema(spec, random);
  fitted.spec = spec;
  fitted.model = random_model(spec, seed);
  fitted.settings = {{"kernel", spec.inner.front().kernel}, {"seed", "1"}};
  fitted.training = {"rows.csv", 40, 80, 100, "all steps done", {{0, -123.25}, {50, -1.0 / 3.0}},
                     {}};
  return fitted;
}

// The model's inputs as combinations of `columns` columns.
inline void reduce_columns(FittedModel& fitted, Index columns, Random& random) {
  fitted.schema.inputs.resize(at(columns), {.name = "more", .words = {}});
  fitted.schema.reduction = "sparse-pca";
  fitted.schema.projection = random.normals(columns, fitted.spec.inputs);
}

// One input, two inducing points: a few hundred numbers.
inline ModelSpec tiny_spec(std::string_view model, std::vector<TaskSpec> tasks) {
  return default_spec(model, 1, std::move(tasks), 2, 2, 2);
}

}  // namespace mdgp::fixture
