#include "mdgp/io/exact_start.h"

#include <fmt/format.h>

#include <algorithm>

#include "mdgp/inference/exact.h"
#include "mdgp/io/choose_parts.h"
#include "mdgp/models/hyperparameters.h"

namespace mdgp {
namespace {

constexpr Index kMostObservations = 10'000;
constexpr Index kWidth = 3, kInnerInducing = 50, kSteps = 100, kPrefit = 1500;
// Below the first and above the second, the tasks' own kernels do better than correlated tasks; but
// with few inputs, of which all matter, correlated tasks do from the first observation on.
constexpr Index kCorrelateFrom = 350, kCorrelateTo = 3000;
constexpr Index kPrivateFrom = 1500;
constexpr double kRate = 0.02, kNaturalStep = 0.3, kInnerSpread = 0.5;
// Inducing inputs on top, of a task's own process and of a coregionalised one: at the end, and
// while the layers below are trained.
constexpr Index kOwnInducing = 800, kSharedInducing = 2000;
constexpr Index kOwnTraining = 100, kSharedTraining = 300;
constexpr Index kSettleSamples = 4;

Index count(const DataSet& data) { return static_cast<Index>(data.observations.size()); }

bool suits(const FitSettings& s, const DataSet& data) {
  return s.priors.value_or(true) && s.preset.empty() && !s.noise && !s.lengthscale && !s.inducing &&
         s.propagate_inputs.value_or(true) &&
         has_gaussian_noise(s.regression.value_or("gaussian")) && count(data) <= kMostObservations;
}

std::vector<Index> top_inducing(const ModelSpec& spec, const DataSet& data, Index own,
                                Index shared) {
  std::vector<Index> counts = observation_counts(data, static_cast<Index>(spec.tasks.size()));
  for (Index& each : counts) {
    if (!is_coregionalised(spec.model)) each = std::min(each, own);
    if (is_coregionalised(spec.model) && count(data) > shared) each = each * shared / count(data);
    each = std::max<Index>(each, 1);
  }
  return counts;
}

void set_layers(const FitSettings& s, const DataSet& data, ModelSpec& spec) {
  const ModelSpec narrow =
      default_spec(spec.model, spec.inputs, spec.tasks, 2, s.width.value_or(kWidth));
  for (LayerSpec& layer : spec.inner) {
    layer.shared = narrow.inner.front().shared;
    layer.priv = narrow.inner.front().priv;
    layer.inducing = std::min(kInnerInducing, data.x.rows());
    if (!s.mean) layer.mean = MeanFunction::zero;
  }
  if (s.kernel) return;
  spec.top.kernel = "(matern32 + constant) * (constant + linear)";
  if (is_coregionalised(spec.model) && count(data) >= kPrivateFrom) spec.top.kernel += " + private";
}

}  // namespace

bool suits_exact_start(const FitSettings& settings, const Schema& schema, const DataSet& data) {
  return suits(settings, data) &&
         std::all_of(schema.tasks.begin(), schema.tasks.end(),
                     [](const TaskColumn& task) { return task.kind == TaskKind::regression; });
}

bool suits_exact_start(const FitSettings& settings, const ModelSpec& spec, const DataSet& data) {
  return suits(settings, data) && !is_shallow(spec.model) &&
         std::all_of(spec.tasks.begin(), spec.tasks.end(),
                     [](const TaskSpec& task) { return has_gaussian_noise(task.likelihood); });
}

std::string exact_start_model(const DataSet& data) {
  const bool enough = data.x.cols() <= kFewInputs || count(data) >= kCorrelateFrom;
  return enough && count(data) <= kCorrelateTo ? "cmdgp" : "smdgp";
}

void start_exact(const FitSettings& settings, const DataSet& data, FitPlan& plan) {
  set_layers(settings, data, plan.spec);
  plan.spec.top_inducing = top_inducing(plan.spec, data, kOwnInducing, kSharedInducing);
  plan.train_inducing = top_inducing(plan.spec, data, kOwnTraining, kSharedTraining);
  plan.settle_samples = kSettleSamples;
  plan.priors = true;
  plan.prefit = kPrefit;
  plan.initialise.inner_q_mu = plan.initialise.inner_q_sqrt = kInnerSpread;
  TrainOptions& train = plan.train;
  train.steps = settings.steps.value_or(kSteps);
  train.adam.learning_rate = settings.learning_rate.value_or(kRate);
  train.natural_start = 1.0;
  train.natural_ramp = 10;
  train.natural_step = settings.natural_step.value_or(kNaturalStep);
}

void suit_draws(const FitSettings& settings, FitPlan& plan) {
  if (plan.prefit == 0 || plan.hyperparameter_samples == 0) return;
  if (settings.kernel || !is_coregionalised(plan.spec.model)) return;
  plan.spec.top.kernel = "(matern32 + constant) * (constant + tasklinear)";
}

void limit_draws(const FitSettings& s, FitPlan& plan) {
  if (plan.hyperparameter_samples == 0) return;
  const Index most = most_members(make_model(plan.spec));
  if (plan.hyperparameter_samples <= most) return;
  if (s.hyperparameter_samples) {
    contradiction(fmt::format("--hyperparameter-samples {}: {} at most for a model of this size",
                              *s.hyperparameter_samples, most));
  }
  plan.hyperparameter_samples = most;
}

}  // namespace mdgp
