// The recipe for labels, as settings and data ask for it.
#include "mdgp/io/label_plan.h"

#include <gtest/gtest.h>

#include "mdgp/io/run_plan.h"
#include "mdgp/linalg/parallel.h"
#include "testing/random_model.h"

namespace mdgp {
namespace {

Schema labelled(std::vector<std::size_t> labels, Index inputs) {
  Schema schema;
  for (Index d = 0; d < inputs; ++d) schema.inputs.push_back({.name = "x", .words = {}});
  for (const std::size_t count : labels) {
    TaskColumn task{.name = "y", .kind = TaskKind::classes, .labels = {}};
    if (count == 2) task.kind = TaskKind::binary;
    for (std::size_t l = 0; l < count; ++l) task.labels.push_back(std::to_string(l));
    schema.tasks.push_back(task);
  }
  return schema;
}

// Two tasks; yes where the first input is positive.
DataSet some_rows(Index rows, Index inputs) {
  fixture::Random random(5);
  DataSet data{random.normals(rows, inputs), {}};
  for (Index r = 0; r < rows; ++r) {
    data.observations.push_back({r, static_cast<int>(r % 2), data.x(r, 0) > 0.0 ? 1.0 : 0.0});
  }
  return data;
}

TEST(LabelPlan, IsForEquallyManyLabelsInEveryTask) {
  const DataSet data = some_rows(100, 3);
  EXPECT_TRUE(suits_label_start({}, labelled({2, 2}, 3), data));
  EXPECT_TRUE(suits_label_start({}, labelled({5, 5}, 3), data));
  EXPECT_FALSE(suits_label_start({}, labelled({5, 4}, 3), data));
  Schema mixed = labelled({2, 2}, 3);
  mixed.tasks[1].kind = TaskKind::regression;
  EXPECT_FALSE(suits_label_start({}, mixed, data));
}

TEST(LabelPlan, WhatIsSetStays) {
  const DataSet data = some_rows(100, 3);
  const Schema schema = labelled({2, 2}, 3);
  EXPECT_EQ(choose({}, schema, data).spec.model, "cmdgp");
  EXPECT_TRUE(choose({}, schema, data).label_start.has_value());
  for (const auto set :
       {+[](FitSettings& s) { s.width = 4; }, +[](FitSettings& s) { s.inducing = 9; },
        +[](FitSettings& s) { s.kernel = "rbf"; }, +[](FitSettings& s) { s.mean = "identity"; },
        +[](FitSettings& s) { s.priors = false; },
        +[](FitSettings& s) { s.preset = "paper-faims"; }, +[](FitSettings& s) { s.depth = 3; },
        +[](FitSettings& s) { s.model = "igp"; }}) {
    FitSettings settings;
    set(settings);
    EXPECT_FALSE(choose(settings, schema, data).label_start.has_value());
  }
}

TEST(LabelPlan, FewLabelsPerInputHaveNarrowPriors) {
  const Schema schema = labelled({2, 2}, 6);
  const LabelStartOptions few = *choose({}, schema, some_rows(119, 6)).label_start;
  const LabelStartOptions many = *choose({}, schema, some_rows(120, 6)).label_start;
  EXPECT_GT(few.lengthscale_spread, 0.0);
  EXPECT_GT(few.common, 0.0);
  EXPECT_GT(few.own, 0.0);
  EXPECT_EQ(many.lengthscale_spread, 0.0);
  EXPECT_EQ(many.common, 0.0);
  EXPECT_EQ(many.own, 0.0);
}

TEST(LabelPlan, FewLabelsAreNearlyLinearInTheInputs) {
  const Schema schema = labelled({2, 2}, 6);
  const auto spec = [&](const char* model, Index rows, std::optional<bool> propagate = {}) {
    FitSettings settings;
    settings.model = model;
    settings.propagate_inputs = propagate;
    return choose(settings, schema, some_rows(rows, 6)).spec;
  };
  for (const char* model : {"smdgp", "mmdgp", "cmdgp", "idgp"}) {
    EXPECT_TRUE(spec(model, 119).propagate_inputs) << model;
    EXPECT_EQ(spec(model, 119).inner[0].kernel, "linear + rbf") << model;
    EXPECT_FALSE(spec(model, 119, false).propagate_inputs) << model;
    EXPECT_FALSE(spec(model, 120).propagate_inputs) << model;
    EXPECT_EQ(spec(model, 120).inner[0].kernel, "rbf") << model;
    EXPECT_TRUE(spec(model, 120).top.ard) << model;
  }
  // Tops of their own above shared functions weigh each input by itself.
  EXPECT_TRUE(spec("smdgp", 119).top.ard);
  EXPECT_TRUE(spec("mmdgp", 119).top.ard);
  EXPECT_FALSE(spec("cmdgp", 119).top.ard);
  EXPECT_FALSE(spec("idgp", 119).top.ard);
}

TEST(LabelPlan, SameBitsWithAnyNumberOfThreads) {
  const DataSet data = some_rows(80, 4);
  const FitPlan plan = choose({}, labelled({2, 2}, 4), data);
  const int before = num_threads();
  set_num_threads(1);
  const Vector one = run_plan(plan, data).model.parameters.values;
  set_num_threads(3);
  const Vector three = run_plan(plan, data).model.parameters.values;
  set_num_threads(before);
  EXPECT_TRUE((one.array() == three.array()).all());
}

}  // namespace
}  // namespace mdgp
