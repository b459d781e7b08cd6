#include "mdgp/io/run_plan.h"

#include <chrono>
#include <cmath>

#include "mdgp/inference/exact.h"
#include "mdgp/inference/train_lbfgs.h"
#include "mdgp/models/hyperparameters.h"

namespace mdgp {
namespace {

// How much less the top layer sees of a latent function than of x when training starts: it begins
// as the exact GP on x, and takes up what the latent functions turn out to be worth.
constexpr double kLatentLengthscale = 3.0, kLatentVariance = 0.1;

void hide_latents(Model& model) {
  for (const Process& process : model.cascade.layers.back().processes) {
    const Index latents = process.inputs - model.cascade.inputs;
    for (std::size_t i = 0; i < model.parameters.table.size(); ++i) {
      const Parameter& p = model.parameters.table[i];
      if (!p.name.starts_with(process.name + ".kernel.") || p.rows != process.inputs) continue;
      model.parameters.view(static_cast<int>(i)).topRows(latents) *=
          p.name.ends_with("lengthscales") ? kLatentLengthscale : kLatentVariance;
    }
  }
}

}  // namespace

Model start_model(const FitPlan& plan, const DataSet& data) {
  Model model = make_model(plan.spec);
  initialise(model, data, plan.initialise);
  if (!plan.priors) return model;
  set_priors(model);
  start_at_priors(model, plan.initialise.seed);
  if (plan.prefit > 0) {
    ExactOptions exact;
    exact.most_observations = plan.prefit;
    exact.search.iterations = 60;
    exact.seed = plan.initialise.seed;
    fit_hyperparameters(model, plan.spec, data, exact);
    hide_latents(model);
  }
  return model;
}

PlanResult run_plan(const FitPlan& plan, const DataSet& data) {
  const auto start = std::chrono::steady_clock::now();
  PlanResult result;
  result.model = start_model(plan, data);
  if (plan.exact || plan.lbfgs) {
    LbfgsSummary summary;
    if (plan.exact) {
      ExactOptions exact;
      exact.priors = plan.priors;
      exact.seed = plan.initialise.seed;
      summary = train_exact(result.model, plan.spec, data, exact);
    } else {
      summary = train_lbfgs(result.model, data, {}, plan.train.seed);
    }
    result.bound = summary.value;
    result.steps = summary.iterations;
  } else {
    TrainState state;
    const TrainSummary summary = train(result.model, data, plan.train, state);
    result.steps = summary.steps;
    result.failures = summary.failures;
    if (!summary.records.empty()) result.bound = summary.records.back().value.bound;
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace mdgp
