#include "mdgp/io/run_plan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mdgp/linalg/parallel.h"
#include "mdgp/posterior/posterior.h"
#include "testing/plans.h"
#include "testing/random_model.h"

namespace mdgp {
namespace {

// Two tasks of five inputs, of which three matter.
DataSet some_data(Index rows, unsigned seed) {
  fixture::Random random(seed);
  DataSet data{random.normals(rows, 5), {}};
  for (Index r = 0; r < rows; ++r) {
    const int task = static_cast<int>(r % 2);
    const double f = std::sin(data.x(r, 0)) + 0.5 * data.x(r, 1) * data.x(r, 2);
    data.observations.push_back({r, task, (task == 0 ? f : 1.0 - f) + 0.1 * random.normal()});
  }
  return data;
}

FitPlan plan_for(const char* model, const DataSet& data) {
  Schema schema;
  for (Index d = 0; d < data.x.cols(); ++d) schema.inputs.push_back({.name = "x", .words = {}});
  schema.tasks.assign(2, TaskColumn{.name = "y", .labels = {}});
  FitSettings settings;
  settings.model = model;
  // Drawing for 40 targets of a task takes minutes with the sanitizers; FewTargetsGiveMembers
  // draws.
  if (MDGP_SANITIZED && data.x.rows() > 14) settings.hyperparameter_samples = 0;
  return choose(settings, schema, data);
}

double error_of(const Model& model, const DataSet& test) {
  const Posterior posterior(model);
  double sum = 0.0;
  for (const Observation& o : test.observations) {
    const Matrix x = test.x.row(o.row);
    sum += std::pow(posterior.predict(view_of(x), o.task).mean(0, 0) - o.y, 2);
  }
  return std::sqrt(sum / static_cast<double>(test.observations.size()));
}

TEST(RunPlan, EveryModelLearns) {
  const DataSet data = some_data(80, 1), test = some_data(60, 2);
  for (const char* model : {"smdgp", "mmdgp", "cmdgp", "idgp", "exact-gp", "exact-icm"}) {
    const PlanResult result = run_plan(plan_for(model, data), data);
    EXPECT_LT(error_of(result.model, test), 0.6) << model;  // the targets vary by 0.9
    EXPECT_TRUE(result.failures.empty()) << model;
  }
}

TEST(RunPlan, TheTopLayerTakesAllObservationsIn) {
  const DataSet data = some_data(300, 3);
  const FitPlan plan = plan_for("smdgp", data);
  const Model start = start_model(plan, data);
  EXPECT_EQ(start.parameters.view("f0.Z").rows(), 100);
  EXPECT_FALSE(start.parameters[start.parameters.find("likelihood0.variance")].trainable);
  const PlanResult result = run_plan(plan, data);
  EXPECT_EQ(result.model.parameters.view("f0.Z").rows(), 150);
  EXPECT_EQ(result.steps, 100);
}

// With other priors or fixed parameters a resumed training would go elsewhere.
void expect_same_objective(const FitPlan& plan, const DataSet& data) {
  const Model found = start_model(plan, data);
  const Model resumed = start_model(plan, data, StartValues::from_checkpoint);
  const std::vector<Parameter>&all = found.parameters.table, &others = resumed.parameters.table;
  ASSERT_EQ(all.size(), others.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Parameter &a = all[i], &b = others[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.trainable, b.trainable) << a.name;
    if (!a.trainable) continue;
    EXPECT_EQ(a.prior.kind, b.prior.kind) << a.name;
    EXPECT_EQ(a.prior.location, b.prior.location) << a.name;
    EXPECT_EQ(a.prior.scale, b.prior.scale) << a.name;
    EXPECT_EQ(a.prior.around, b.prior.around) << a.name;
  }
  EXPECT_NE(found.parameters.values, resumed.parameters.values);
}

TEST(RunPlan, AResumedTrainingHasTheSameObjective) {
  const DataSet data = some_data(60, 6);
  for (const char* name : {"smdgp", "mmdgp", "cmdgp", "idgp"}) {
    SCOPED_TRACE(name);
    expect_same_objective(plan_for(name, data), data);
  }
}

TEST(RunPlan, AResumedTrainingOnLabelsHasTheSameObjective) {
  DataSet data = some_data(60, 6);
  for (Observation& o : data.observations) o.y = o.y > 0.5 ? 1.0 : 0.0;
  for (const char* name : {"smdgp", "mmdgp", "cmdgp"}) {
    SCOPED_TRACE(name);
    FitSettings settings;
    settings.model = name;
    const FitPlan plan =
        choose(settings, fixture::schema_of({TaskKind::binary, TaskKind::binary}, 5), data);
    ASSERT_TRUE(plan.label_start.has_value());
    expect_same_objective(plan, data);
  }
}

// Only what an input has a variance of: with as many tasks as inputs of the top layer, the weights
// that mix tasks have the same shape.
TEST(RunPlan, LatentsStartSmallAndMixingWeightsAsFound) {
  const Index inputs = 5, width = 3;
  DataSet data = some_data(60, 7);
  for (Observation& o : data.observations) o.task = static_cast<int>(o.row % (inputs + width));
  FitSettings settings;
  settings.model = "cmdgp";
  settings.hyperparameter_samples = 0;
  const std::vector<TaskKind> kinds(static_cast<std::size_t>(inputs + width), TaskKind::regression);
  const FitPlan plan = choose(settings, fixture::schema_of(kinds, inputs), data);
  const Model start = start_model(plan, data);
  const auto first_to_last = [&](const char* name) {
    const ConstView values = start.parameters.view(name);
    return values.topRows(width).cwiseAbs().mean() / values.bottomRows(inputs).cwiseAbs().mean();
  };
  EXPECT_LT(first_to_last("f.kernel.linear_3.variance"), 0.3);
  EXPECT_GT(first_to_last("f.kernel.coregion.kappa"), 0.3);
}

// Its model, which must be the same with one thread and with three.
Model model_with_any_threads(const FitPlan& plan, const DataSet& data) {
  const int before = num_threads();
  set_num_threads(1);
  Model one = run_plan(plan, data).model;
  set_num_threads(3);
  const Model three = run_plan(plan, data).model;
  set_num_threads(before);
  EXPECT_EQ(one.parameters.values, three.parameters.values) << plan.spec.model;
  EXPECT_EQ(one.members, three.members) << plan.spec.model;
  return one;
}

TEST(RunPlan, GivesTheSameBitsWithAnyNumberOfThreads) {
  const DataSet data = some_data(80, 4);
  for (const char* model : {"mmdgp", "cmdgp", "exact-gp"}) {
    model_with_any_threads(plan_for(model, data), data);
  }
}

TEST(RunPlan, FewTargetsGiveMembers) {
  const DataSet data = some_data(14, 5);
  for (const char* model : {"smdgp", "cmdgp"}) {
    const Model with = model_with_any_threads(plan_for(model, data), data);
    EXPECT_EQ(with.members.size(), 50U) << model;
  }
}

}  // namespace
}  // namespace mdgp
