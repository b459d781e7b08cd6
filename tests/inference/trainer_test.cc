#include "mdgp/inference/trainer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mdgp/inference/initialise.h"
#include "mdgp/linalg/check.h"
#include "mdgp/linalg/parallel.h"
#include "mdgp/posterior/posterior.h"
#include "mdgp/random/normal.h"

namespace mdgp {
namespace {

// Two tasks that share a wave, each row observed for one of them.
DataSet waves(Index rows) {
  const DrawKey key{9, Purpose::data, 0};
  DataSet data{Matrix(rows, 1), {}};
  for (Index r = 0; r < rows; ++r) {
    const auto row = static_cast<std::uint64_t>(r);
    const double x = 4.0 * uniform(key, row, 0) - 2.0;
    const int task = static_cast<int>(r % 2);
    data.x(r, 0) = x;
    data.observations.push_back(
        {r, task, std::sin(3.0 * x) * (task == 0 ? 1.0 : -0.5) + 0.05 * normal(key, row, 4)});
  }
  return data;
}

Model start(const DataSet& data, const std::string& name = "smdgp") {
  Model model = make_model(default_spec(name, 1, {TaskSpec{}, TaskSpec{}}, 2, 2, 12));
  initialise(model, data, {.lengthscale = 0.5});
  return model;
}

TrainOptions quick(Index steps) {
  TrainOptions options;
  options.steps = steps;
  options.batch_rows = 40;
  options.record_every = 1;
  return options;
}

TEST(Train, ImprovesTheBoundOfEveryModel) {
  const DataSet data = waves(120);
  for (const std::string_view name : model_names()) {
    Model model = start(data, std::string(name));
    TrainState state;
    const TrainSummary summary = train(model, data, quick(300), state);
    EXPECT_EQ(summary.termination, Termination::steps_done) << name;
    EXPECT_TRUE(summary.failures.empty()) << name;
    EXPECT_GT(summary.records.back().value.bound, summary.records.front().value.bound + 50) << name;
    EXPECT_EQ(state.step, 300);
  }
}

TEST(Train, GivesTheSameBitsWithAnyNumberOfThreads) {
  const DataSet data = waves(120);
  const auto run = [&](int threads) {
    set_num_threads(threads);
    Model model = start(data);
    TrainState state;
    train(model, data, quick(30), state);
    return model.parameters.values;
  };
  const Vector one = run(1);
  for (const int threads : {2, 3, 1}) EXPECT_EQ(run(threads), one) << threads << " threads";
}

TEST(Train, ResumedEqualsUninterrupted) {
  const DataSet data = waves(120);
  for (const Schedule schedule : {Schedule::cosine, Schedule::plateau}) {
    TrainOptions options = quick(40);
    options.schedule = schedule;
    options.kl_warmup = 20;
    options.balance = BatchBalance::balanced;
    Model whole = start(data);
    TrainState whole_state;
    train(whole, data, options, whole_state);

    Model parts = start(data);
    TrainState state;
    for (const Index stop_at : {7, 8, 33}) {
      const TrainSummary summary = train(
          parts, data, options, state, [&](const TrainRecord&, const Model&, const TrainState& s) {
            return s.step == stop_at ? TrainAction::stop : TrainAction::go_on;
          });
      EXPECT_EQ(summary.termination, Termination::stopped);
      EXPECT_EQ(state.step, stop_at);
      const TrainState copied = state;  // as if it had been to a file and back
      state = copied;
    }
    train(parts, data, options, state);
    EXPECT_EQ(parts.parameters.values, whole.parameters.values);
  }
}

TEST(Train, StopsWhereNothingImproves) {
  const DataSet data = waves(60);
  Model model = start(data, "igp");
  TrainOptions options = quick(100000);
  options.batch_rows = 0;
  options.schedule = Schedule::constant;
  options.natural_step = 1.0;
  options.patience = 100;
  TrainState state;
  const TrainSummary summary = train(model, data, options, state);
  EXPECT_EQ(summary.termination, Termination::converged);
  EXPECT_LT(state.step, 20000);
}

TEST(Train, StopsOnAHeldOutScore) {
  const DataSet data = waves(60);
  Model model = start(data);
  TrainOptions options = quick(5000);
  options.patience = 100;
  options.validate_every = 10;
  int calls = 0;
  options.validate = [&](const Model&) { return static_cast<double>(-++calls); };
  TrainState state;
  EXPECT_EQ(train(model, data, options, state).termination, Termination::converged);
  EXPECT_EQ(state.step, 110);
}

// A learning rate that throws the parameters out of range: the run goes back, shortens its step and
// says so.
TEST(Train, GoesBackAfterAStepOutOfRange) {
  const DataSet data = waves(60);
  Model model = start(data);
  TrainOptions options = quick(60);
  options.adam.learning_rate = 400.0;
  options.schedule = Schedule::constant;
  TrainState state;
  const TrainSummary summary = train(model, data, options, state);
  ASSERT_FALSE(summary.failures.empty());
  EXPECT_NE(summary.failures[0].find("half the step"), std::string::npos) << summary.failures[0];
  EXPECT_LT(state.rate_scale, 1.0);
  EXPECT_EQ(summary.termination, Termination::steps_done);
  EXPECT_TRUE(model.parameters.values.allFinite());
  EXPECT_NO_THROW(check_model("test", model));
  Bound bound(model);
  EXPECT_NO_THROW(bound({view_of(data.x), &data.observations, nullptr}, {}));
}

// Grows with the first inducing input, and fails beyond a wall as a bound does where K(Z, Z) is not
// positive definite.
struct Wall {
  const Model& model;
  const double start = model.parameters.view("g0.Z")(0, 0), wall = start + 0.5;

  double climbed() const { return model.parameters.view("g0.Z")(0, 0) - start; }

  BoundValue operator()(const Batch&, const BoundOptions&, Vector* gradient) const {
    if (start + climbed() > wall) throw NumericalError("not positive definite");
    gradient->setZero(model.parameters.size());
    (*gradient)[model.parameters[model.parameters.find("g0.Z")].offset] = 1.0;
    return {climbed(), climbed(), 0.0};
  }
};

TrainOptions towards_the_wall() {
  TrainOptions options = quick(20);
  options.natural = NaturalGradient::none;
  options.adam.learning_rate = 0.3;
  options.schedule = Schedule::constant;
  return options;
}

TEST(Train, UndoesAStepAfterWhichTheBoundCannotBeEvaluated) {
  const DataSet data = waves(60);
  Model model = start(data);
  const Wall objective{model};
  const TrainOptions options = towards_the_wall();
  TrainState state;
  const TrainSummary summary = train(model, objective, data, options, state);
  EXPECT_EQ(summary.termination, Termination::steps_done) << summary.message;
  EXPECT_EQ(summary.steps, 20);
  EXPECT_FALSE(summary.failures.empty());
  EXPECT_GT(objective.climbed(), 0.45);
  EXPECT_LE(objective.climbed(), 0.5);
}

// An interruption right before the wall changes nothing: what was saved can be evaluated.
TEST(Train, UndoesTheSameStepsWhenResumed) {
  const DataSet data = waves(60);
  const TrainOptions options = towards_the_wall();
  Model whole = start(data), parts = start(data);
  const Wall of_whole{whole}, of_parts{parts};
  TrainState state;
  train(whole, of_whole, data, options, state);
  TrainState resumed;
  while (resumed.step < options.steps) {
    train(parts, of_parts, data, options, resumed,
          [](const TrainRecord&, const Model&, const TrainState&) { return TrainAction::stop; });
  }
  EXPECT_EQ(of_whole.climbed(), of_parts.climbed());
  EXPECT_EQ(state.failures, resumed.failures);
}

TEST(Train, GivesUpWhereTheBoundCanNowhereBeEvaluated) {
  const DataSet data = waves(60);
  Model model = start(data);
  const Objective objective = [](const Batch&, const BoundOptions&, Vector*) -> BoundValue {
    throw NumericalError("not positive definite");
  };
  TrainState state;
  const TrainSummary summary = train(model, objective, data, quick(5), state);
  EXPECT_EQ(summary.termination, Termination::failed);
  EXPECT_NE(summary.message.find("not positive definite"), std::string::npos) << summary.message;
}

// Natural gradients overshoot where exp(f) starts thousands of times too small.
TEST(Train, LearnsLargeCounts) {
  const auto rate = [](double x) { return 5000.0 * std::exp(std::sin(2.0 * x)); };
  DataSet data{Matrix(60, 1), {}};
  for (Index r = 0; r < 60; ++r) {
    data.x(r, 0) = static_cast<double>(r) / 20.0 - 1.5;
    data.observations.push_back({r, 0, std::round(rate(data.x(r, 0)))});
  }
  Model model = make_model(default_spec("smdgp", 1, {{"poisson"}}, 2, 2, 12));
  initialise(model, data);
  TrainState state;
  const TrainSummary summary = train(model, data, quick(600), state);
  EXPECT_TRUE(summary.failures.empty());
  const Prediction p = Posterior(model).predict(view_of(std::as_const(data.x)), 0, {.samples = 20});
  for (Index r = 0; r < 60; ++r) {
    EXPECT_NEAR(p.mean(r, 0) / rate(data.x(r, 0)), 1.0, 0.1) << r;
  }
}

TEST(Train, KeepsFixedParameters) {
  const DataSet data = waves(60);
  Model model = start(data);
  const Matrix Z = model.parameters.view("g0.Z");
  model.parameters.table[static_cast<std::size_t>(model.parameters.find("g0.Z"))].trainable = false;
  TrainState state;
  train(model, data, quick(10), state);
  EXPECT_EQ(Matrix(model.parameters.view("g0.Z")), Z);
}

TEST(Train, TakesNaturalGradientsForTheProcessesNamed) {
  const DataSet data = waves(60);
  Model model = start(data);
  TrainOptions options = quick(1);
  options.natural_processes = {"f1", "g0"};
  options.natural_start = options.natural_step = 1e-9;  // too short to move what it moves
  const Matrix f1 = model.parameters.view("f1.q_mu"), f0 = model.parameters.view("f0.q_mu");
  TrainState state;
  train(model, data, options, state);
  EXPECT_LT((model.parameters.view("f1.q_mu") - f1).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_GT((model.parameters.view("f0.q_mu") - f0).cwiseAbs().maxCoeff(), 5e-3);  // Adam's step
  options.natural_processes = {"f7"};
  EXPECT_THROW(train(model, data, options, state = {}), std::invalid_argument);
}

}  // namespace
}  // namespace mdgp
