#include "mdgp/io/run_plan.h"

#include <chrono>
#include <cmath>

#include "mdgp/baselines/forest.h"
#include "mdgp/baselines/network.h"
#include "mdgp/baselines/train_forest.h"
#include "mdgp/inference/exact.h"
#include "mdgp/inference/label_start.h"
#include "mdgp/inference/natural_gradient.h"
#include "mdgp/inference/sample_hyperparameters.h"
#include "mdgp/inference/tails.h"
#include "mdgp/inference/train_lbfgs.h"
#include "mdgp/linalg/check.h"
#include "mdgp/models/hyperparameters.h"

namespace mdgp {
namespace {

// What the linear part of the top layer starts with for latent functions, as a share of its prior's
// median: it begins as the exact GP on x, and takes up what they turn out to be worth.
constexpr double kLatentVariance = 0.1;

void hide_latents(Model& model) {
  for (const Process& process : model.cascade.layers.back().processes) {
    for_leaves(process.kernel, [&](const Kernel& leaf) {
      if (!is_linear(leaf)) return;
      View variance = model.parameters.view(leaf.parameters.front());  // [inputs, ...]
      if (variance.rows() != process.inputs) return;                   // one for all inputs
      variance.topRows(process.inputs - model.cascade.inputs) *= kLatentVariance;
    });
  }
}

// Whether tasks have anything in common; those of idgp and exact-gp have not.
bool shares_latents(const FitPlan& plan) {
  return !is_shallow(plan.spec.model) && !plan.spec.inner.front().shared.empty();
}

void start_as_exact(const FitPlan& plan, const DataSet& data, Model& model) {
  ExactOptions exact;
  exact.most_observations = plan.prefit;
  exact.search.iterations = 50;
  exact.alike = shares_latents(plan);
  exact.seed = plan.initialise.seed;
  fit_hyperparameters(model, plan.spec, data, exact);
  hide_latents(model);
}

}  // namespace

Model start_model(const FitPlan& plan, const DataSet& data, StartValues values) {
  ModelSpec spec = plan.spec;
  if (is_network(spec.model)) {
    Model network = make_network_model(spec);
    initialise_network(spec, plan.initialise.noise, plan.initialise.seed, network);
    set_count_rates(network, data);
    return network;
  }
  if (!plan.train_inducing.empty()) spec.top_inducing = plan.train_inducing;
  Model model = make_model(spec);
  initialise(model, data, plan.initialise);
  if (!plan.priors) return model;
  set_priors(model);
  start_at_priors(model, plan.initialise.seed);
  if (plan.label_start) set_label_priors(model, *plan.label_start);
  const bool found = values == StartValues::found;
  if (found && plan.label_start) start_on_labels(model, data, *plan.label_start);
  if (found && plan.prefit > 0) start_as_exact(plan, data, model);
  if (plan.prefit > 0) set_top_trainable(model, false);
  return model;
}

Model finish_model(const FitPlan& plan, const DataSet& data, Model trained,
                   const std::function<bool(double done)>& go_on) {
  Model model = std::move(trained);
  if (!plan.train_inducing.empty()) {
    Model full = make_model(plan.spec);
    copy_but_top(model, full);
    place_top_inducing_inputs(full, data, plan.initialise);
    settle_top(full, data, plan.settle_samples, plan.train.seed);
    model = std::move(full);
  }
  fit_tails(model, data);
  if (plan.hyperparameter_samples > 0) {
    SampleOptions draw;
    draw.samples = plan.hyperparameter_samples;
    draw.alike = shares_latents(plan);
    draw.inner_samples = plan.settle_samples;
    draw.seed = plan.initialise.seed;
    draw.go_on = go_on;
    sample_hyperparameters(model, plan.spec, data, draw);
  }
  return model;
}

TrainSummary train_plan(const FitPlan& plan, const TrainOptions& options, const DataSet& data,
                        Model& model, TrainState& state, const TrainCallback& callback) {
  if (!is_network(plan.spec.model)) return train(model, data, options, state, callback);
  return train(model, network_objective(plan.spec, model), data, options, state, callback);
}

LbfgsSummary search_plan(const FitPlan& plan, const DataSet& data, Model& model,
                         const std::function<bool(int evaluations, double best)>& go_on) {
  ExactOptions exact;
  LbfgsOptions search = plan.exact ? exact.search : LbfgsOptions{};
  search.iterations = static_cast<int>(plan.train.steps);
  search.go_on = go_on;
  if (!plan.exact) return train_lbfgs(model, data, search, plan.train.seed);
  exact.search = search;
  exact.priors = plan.priors;
  exact.seed = plan.initialise.seed;
  return train_exact(model, plan.spec, data, exact);
}

PlanResult run_plan(const FitPlan& plan, const DataSet& data) {
  const auto start = std::chrono::steady_clock::now();
  PlanResult result;
  result.spec = plan.spec;
  if (!is_forest(plan.spec.model)) result.model = start_model(plan, data);
  if (is_forest(plan.spec.model)) {
    FittedForest forest = train_forest(plan.spec, data, {plan.spec.forest.trees, plan.train.seed});
    result.spec = std::move(forest.spec);
    result.model = std::move(forest.model);
  } else if (plan.exact || plan.lbfgs) {
    const LbfgsSummary summary = search_plan(plan, data, result.model);
    result.bound = summary.value;
    result.steps = summary.iterations;
  } else {
    TrainState state;
    const TrainSummary summary = train_plan(plan, plan.train, data, result.model, state);
    if (summary.termination == Termination::failed) throw NumericalError(summary.message);
    result.steps = summary.steps;
    result.failures = summary.failures;
    if (!summary.records.empty()) result.bound = summary.records.back().value.bound;
  }
  result.model = finish_model(plan, data, std::move(result.model));
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace mdgp
