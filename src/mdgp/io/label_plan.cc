#include "mdgp/io/label_plan.h"

#include <algorithm>

namespace mdgp {
namespace {

constexpr Index kMostObservations = 10'000;
// Inducing inputs of an inner process, by its layer: shared alone, both, private alone. So chosen
// that all cost about the same.
constexpr Index kShared = 1000, kSharedAndPrivate = 800, kPrivate = 600;
constexpr Index kTopInducing = 100;  // for each task
// With fewer labels per input, lengthscales that are free learn the noise, and tasks that are
// thought alike learn more from each other.
constexpr Index kLabelsPerInput = 20;
constexpr double kNoiseSpreadOfFew = 0.2, kLengthscaleSpreadOfFew = 0.6;
constexpr double kCommonOfFew = 1.0, kOwnOfFew = 0.3;
constexpr Index kSteps = 20, kBatch = 300;
constexpr double kRate = 0.005;

Index functions_of(const TaskSpec& task) { return label_functions(task.likelihood, task.classes); }

bool is_few(const DataSet& data) {
  return static_cast<Index>(data.observations.size()) < kLabelsPerInput * data.x.cols();
}

Index inner_inducing(const LayerSpec& layer) {
  return layer.priv.empty() ? kShared : layer.shared.empty() ? kPrivate : kSharedAndPrivate;
}

// Each of its processes has a function for every label.
void set_layers(const FitSettings& s, const DataSet& data, ModelSpec& spec) {
  const Index functions = functions_of(spec.tasks.front());
  const bool few = is_few(data);
  for (LayerSpec& layer : spec.inner) {
    for (Index& width : layer.shared) width = functions;
    for (Index& width : layer.priv) width = functions;
    layer.inducing = std::min(inner_inducing(layer), data.x.rows());
    layer.kernel = few ? "linear + rbf" : "rbf";
    layer.mean = MeanFunction::zero;  // the start regresses on labels, not on what a mean leaves
  }
  spec.top.kernel = few ? "linear" : "linear + rbf";
  // One weight for all that the top sees, but where a task has a top of its own above functions
  // that all share: it could learn from x anew what they know.
  const bool alone = spec.inner.front().shared.empty();
  spec.top.ard = !few || !(is_coregionalised(spec.model) || alone);
  spec.top.inducing = std::min(kTopInducing, data.x.rows());
  if (is_coregionalised(spec.model)) {
    spec.top.inducing =
        std::min(kTopInducing * static_cast<Index>(spec.tasks.size()), data.x.rows());
  }
  // What few labels say is as good as linear in x, so the top sees x too.
  spec.propagate_inputs = s.propagate_inputs.value_or(few);
}

bool suits(const FitSettings& s, const DataSet& data) {
  return s.priors.value_or(true) && s.preset.empty() && !s.width && !s.inducing && !s.kernel &&
         !s.lengthscale && s.mean.value_or("zero") == "zero" &&
         !s.propagate_inputs.value_or(false) &&
         static_cast<Index>(data.observations.size()) <= kMostObservations;
}

}  // namespace

bool suits_label_start(const FitSettings& s, const Schema& schema, const DataSet& data) {
  const auto labels = [](const TaskColumn& task) {
    return task.labelled() ? task.labels.size() : 0;
  };
  const std::size_t first = labels(schema.tasks.front());
  return first > 0 && suits(s, data) && s.depth.value_or(2) == 2 &&
         std::all_of(schema.tasks.begin(), schema.tasks.end(),
                     [&](const TaskColumn& task) { return labels(task) == first; });
}

bool suits_label_start(const FitSettings& s, const ModelSpec& spec, const DataSet& data) {
  const Index first = functions_of(spec.tasks.front());
  return first > 0 && suits(s, data) && !is_shallow(spec.model) && spec.inner.size() == 1 &&
         std::all_of(spec.tasks.begin(), spec.tasks.end(),
                     [&](const TaskSpec& task) { return functions_of(task) == first; });
}

void plan_label_start(const FitSettings& s, const DataSet& data, FitPlan& plan) {
  set_layers(s, data, plan.spec);
  plan.priors = true;
  plan.label_start = LabelStartOptions{.seed = plan.initialise.seed};
  if (is_few(data)) {
    plan.label_start->noise_spread = kNoiseSpreadOfFew;
    plan.label_start->lengthscale_spread = kLengthscaleSpreadOfFew;
    plan.label_start->common = kCommonOfFew;
    plan.label_start->own = kOwnOfFew;
  }
  TrainOptions& train = plan.train;
  train.steps = s.steps.value_or(kSteps);
  train.batch_rows = s.batch.value_or(kBatch);
  if (train.batch_rows >= data.x.rows()) train.batch_rows = 0;
  train.adam.learning_rate = s.learning_rate.value_or(kRate);
  if (!s.natural_gradient) train.natural = NaturalGradient::none;
}

}  // namespace mdgp
