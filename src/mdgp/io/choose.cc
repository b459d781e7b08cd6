#include "mdgp/io/choose.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "mdgp/baselines/forest.h"
#include "mdgp/baselines/network.h"
#include "mdgp/data/presets.h"
#include "mdgp/inference/exact.h"
#include "mdgp/io/choose_forest.h"
#include "mdgp/io/choose_network.h"
#include "mdgp/io/choose_parts.h"
#include "mdgp/io/exact_start.h"
#include "mdgp/io/label_plan.h"

namespace mdgp {
namespace {

// Rows up to which a step looks at all of them, and the batch above that.
constexpr Index kWholeBatch = 1000, kBatch = 500;
constexpr Index kSteps = 3000, kMostSteps = 20000, kEpochs = 50;
constexpr Index kWidth = 5, kInducing = 100;
constexpr Index kLbfgsRows = 2000;
constexpr double kRate = 0.02, kNoise = 0.05;

constexpr std::pair<MeanFunction, std::string_view> kMeans[] = {
    {MeanFunction::zero, "zero"}, {MeanFunction::identity, "identity"}, {MeanFunction::pca, "pca"}};

// Correlated tasks must have equally many functions.
bool may_correlate(const Schema& schema) {
  const auto functions = [](const TaskColumn& task) {
    return task.kind == TaskKind::classes ? task.labels.size() : 1;
  };
  return std::all_of(schema.tasks.begin(), schema.tasks.end(), [&](const TaskColumn& task) {
    return functions(task) == functions(schema.tasks.front());
  });
}

std::string choose_model(const FitSettings& s, const Schema& schema, const DataSet& data) {
  const bool one_layer = s.depth && *s.depth == 1, several = schema.tasks.size() > 1;
  if (!s.model) {
    if (one_layer) return several && may_correlate(schema) ? "cgp" : "igp";
    if (!several) return "idgp";
    if (suits_exact_start(s, schema, data)) return exact_start_model(data);
    return suits_label_start(s, schema, data) ? "cmdgp" : "mmdgp";
  }
  if (is_shallow(*s.model) && s.depth && *s.depth > 1) {
    contradiction(fmt::format("--depth {}: {} has one layer", *s.depth, *s.model));
  }
  if (!is_shallow(*s.model) && one_layer) {
    contradiction(
        fmt::format("--depth 1: {} has two layers at least; igp and cgp have one", *s.model));
  }
  return *s.model;
}

std::string mean_name(MeanFunction value) {
  for (const auto& [mean, text] : kMeans) {
    if (mean == value) return std::string(text);
  }
  return {};
}

MeanFunction mean_of(const std::string& name) {
  for (const auto& [mean, text] : kMeans) {
    if (name == text) return mean;
  }
  return MeanFunction::identity;
}

ModelSpec choose_spec(const FitSettings& s, const std::string& model, const Schema& schema,
                      const DataSet& data) {
  const Index depth = is_shallow(model) ? 2 : s.depth.value_or(2);
  std::vector<TaskSpec> tasks = task_specs(s, schema);
  if (s.preset.empty()) {
    ModelSpec spec =
        default_spec(model, data.x.cols(), std::move(tasks), depth, s.width.value_or(kWidth),
                     std::min(s.inducing.value_or(kInducing), data.x.rows()));
    spec.propagate_inputs = s.propagate_inputs.value_or(true);
    return spec;
  }
  Preset preset = find_preset(s.preset);
  preset.width = s.width.value_or(preset.width);
  if (s.inducing) {
    preset.inducing = std::min(*s.inducing, data.x.rows());
    preset.inducing_per_task = false;
  }
  ModelSpec spec = preset_spec(preset, model, data.x.cols(), std::move(tasks));
  spec.inner.resize(static_cast<std::size_t>(depth) - 1, spec.inner.front());
  spec.propagate_inputs = s.propagate_inputs.value_or(spec.propagate_inputs);
  return spec;
}

bool all_gaussian(const ModelSpec& spec) {
  return std::all_of(spec.tasks.begin(), spec.tasks.end(),
                     [](const TaskSpec& t) { return has_gaussian_noise(t.likelihood); });
}

void set_layers(const FitSettings& s, const DataSet& data, ModelSpec& spec) {
  for (LayerSpec& layer : spec.inner) {
    layer.kernel = s.kernel.value_or("matern52");
    layer.mean = mean_of(s.mean.value_or("identity"));
  }
  const std::string_view of_tasks = kernel_of_tasks(s.kernel.value_or(""));
  if (!of_tasks.empty() && !is_coregionalised(spec.model)) {
    contradiction(
        fmt::format("--kernel {}: {} is for correlated tasks; every task of {} has its own kernel",
                    *s.kernel, of_tasks, spec.model));
  }
  spec.top.kernel = s.kernel.value_or("matern52");
  spec.rank = s.rank;
  if (s.mean == "pca") spec.pca_rows = data.x;
}

void check_coregionalised(const ModelSpec& spec) {
  if (!is_coregionalised(spec.model)) return;
  for (const TaskSpec& task : spec.tasks) {
    if (task.classes != spec.tasks.front().classes) {
      contradiction(fmt::format(
          "--model {}: its tasks must have equally many classes; use smdgp or mmdgp for tasks of "
          "different kinds",
          spec.model));
    }
  }
}

void check_exact(const ModelSpec& spec) {
  if (!all_gaussian(spec)) {
    contradiction(fmt::format(
        "--model {}: for regression with gaussian noise only; igp and cgp take any task",
        spec.model));
  }
  Index sum = 0, largest = 0;
  for (const Index count : spec.top_inducing) {
    sum += count;
    largest = std::max(largest, count);
  }
  const Index n = is_coregionalised(spec.model) ? sum : largest;
  if (n > kMostExact) {
    contradiction(
        fmt::format("--model {}: {} observations are too many, {} is the most; cgp and "
                    "igp take any number",
                    spec.model, n, kMostExact));
  }
}

InitialiseOptions choose_start(const FitSettings& s) {
  InitialiseOptions start;
  if (!s.preset.empty()) start = find_preset(s.preset).initialise;
  start.seed = s.seed;
  if (s.preset.empty()) start.noise = kNoise;
  if (s.noise) start.noise = *s.noise, start.noise_variance.reset();
  if (s.lengthscale) {
    start.lengthscale = *s.lengthscale;
    start.shared.reset(), start.priv.reset(), start.top.reset();
  }
  if (s.inducing_inputs) {
    start.inducing =
        *s.inducing_inputs == "rows" ? InducingInputs::random_rows : InducingInputs::kmeans;
  }
  return start;
}

TrainOptions choose_training(const FitSettings& s, Index rows) {
  TrainOptions train;
  if (s.preset.empty()) {
    train.batch_rows = rows > kWholeBatch ? kBatch : 0;
    train.steps = std::clamp(kEpochs * rows / kBatch, kSteps, kMostSteps);
    train.adam.learning_rate = kRate;
  } else {
    train = preset_training(find_preset(s.preset), rows);
  }
  apply_training(s, rows, train);
  return train;
}

// L-BFGS where it is sure: one layer, Gaussian noise, few rows.
bool choose_lbfgs(const FitSettings& s, const ModelSpec& spec, Index rows) {
  const bool suits = is_shallow(spec.model) && !is_exact(spec.model);
  if (s.optimiser) {
    if (*s.optimiser == "lbfgs" && !suits) {
      contradiction(
          fmt::format("--optimiser lbfgs: for igp and cgp; {} is trained with adam", spec.model));
    }
    return *s.optimiser == "lbfgs";
  }
  if (!suits) return false;
  if (!s.preset.empty()) return rows <= find_preset(s.preset).lbfgs_up_to;
  return rows <= kLbfgsRows && all_gaussian(spec);
}

// Steps, of Adam or of L-BFGS.
Index choose_iterations(const FitSettings& s, const FitPlan& plan) {
  if (plan.exact) return ExactOptions{}.search.iterations;
  return plan.lbfgs && s.preset.empty() ? LbfgsOptions{}.iterations : plan.train.steps;
}

std::string inducing_text(const FitPlan& plan) {
  const ModelSpec& spec = plan.spec;
  if (plan.exact) return "every observation counts";
  if (spec.top_inducing.empty()) return fmt::format("{} inducing points", spec.top.inducing);
  Index sum = 0;
  for (const Index count : spec.top_inducing) sum += count;
  return fmt::format("{} inducing points on top, {} below", sum, spec.inner.front().inducing);
}

// `chosen`: the optimiser is our choice.
std::vector<std::string> explain(const FitPlan& plan, const Schema& schema, const DataSet& data,
                                 bool chosen) {
  const ModelSpec& spec = plan.spec;
  const auto tasks = spec.tasks.size();
  std::string model = fmt::format("{}: ", spec.model);
  if (tasks == 1) {
    model += is_shallow(spec.model) ? "one task, one layer"
                                    : fmt::format("one task, {} layers", spec.inner.size() + 1);
  } else {
    const char* sharing = spec.model == "mmdgp"   ? "some latent functions shared, some private"
                          : spec.model == "smdgp" ? "all latent functions shared"
                          : is_coregionalised(spec.model) ? "tasks correlated"
                                                          : "nothing shared";
    model += fmt::format(
        "{} tasks, {}{}", tasks, sharing,
        is_shallow(spec.model) ? "" : fmt::format(", {} layers", spec.inner.size() + 1));
  }
  std::vector<std::string> lines = {model};
  std::string size = inducing_text(plan);
  if (!is_shallow(spec.model)) {
    Index width = 0;
    for (const Index w : spec.inner.front().shared) width += w;
    for (const Index w : spec.inner.front().priv) width += w;
    size += fmt::format(", {} latent functions per task{}", width,
                        spec.propagate_inputs ? " beside the inputs" : "");
  }
  lines.push_back(
      fmt::format("{} ({} rows, {} inputs)", size, data.x.rows(), schema.input_width()));
  if (plan.prefit > 0) {
    lines.emplace_back("the top layer starts as an exact GP on the inputs, with priors");
  }
  if (plan.hyperparameter_samples > 0) {
    lines.push_back(fmt::format("predictions average over {} draws of hyperparameters",
                                plan.hyperparameter_samples));
  }
  if (plan.label_start) {
    lines.emplace_back("latent functions start as exact GPs of the labels, one for each");
  }
  lines.push_back(plan.exact ? std::string("exact: L-BFGS on the marginal likelihood")
                  : plan.lbfgs
                      ? std::string(chosen ? "L-BFGS on all rows: few rows and Gaussian noise"
                                           : "L-BFGS on all rows")
                      : steps_text(plan.train, plan.fills_time));
  return lines;
}

// Where training starts from nothing because of options that a better start does not go with.
std::string lost_start(const FitSettings& s, const FitPlan& plan, const DataSet& data) {
  if (plan.prefit > 0 || plan.label_start || is_shallow(plan.spec.model)) return "";
  FitSettings free = s;
  free.noise.reset(), free.lengthscale.reset(), free.inducing.reset();
  free.width.reset(), free.kernel.reset();
  std::vector<std::string_view> keys = {"inducing", "lengthscale"};
  if (suits_exact_start(free, plan.spec, data)) {
    keys.push_back("noise");
  } else if (suits_label_start(free, plan.spec, data)) {
    keys.insert(keys.end(), {"kernel", "width"});
  } else {
    return "";
  }
  std::vector<std::string> given;
  for (const std::string_view key : keys) {
    if (is_set(s, key)) given.push_back(fmt::format("--{}", key));
  }
  return fmt::format("it starts from nothing because of {}; without, from exact GPs, mostly better",
                     fmt::join(given, ", "));
}

std::map<std::string, std::string> settings_of(const FitSettings& settings, const FitPlan& plan) {
  FitSettings all = settings;
  all.model = plan.spec.model;
  if (!is_shallow(plan.spec.model)) {
    all.depth = static_cast<Index>(plan.spec.inner.size()) + 1;
    Index width = 0;
    for (const Index w : plan.spec.inner.front().shared) width += w;
    for (const Index w : plan.spec.inner.front().priv) width += w;
    all.width = width;
  }
  all.inducing = plan.spec.top.inducing;
  all.propagate_inputs = plan.spec.propagate_inputs;
  all.priors = plan.priors;
  all.hyperparameter_samples = plan.hyperparameter_samples;
  const std::string& first = plan.spec.tasks.front().likelihood;  // as choose_tails left it
  all.regression =
      settings.regression.value_or(first == "heavy_tailed" ? first : std::string("gaussian"));
  all.kernel = plan.spec.top.kernel;
  if (!is_shallow(plan.spec.model)) all.mean = mean_name(plan.spec.inner.front().mean);
  all.optimiser = plan.lbfgs || plan.exact ? "lbfgs" : "adam";
  all.inducing_inputs = plan.initialise.inducing == InducingInputs::random_rows ? "rows" : "kmeans";
  all.natural_gradient = natural_name(plan.train.natural);
  all.natural_step = plan.train.natural_step;
  note_training(plan.train, all);
  return option_texts(all);
}

}  // namespace

FitPlan choose(const FitSettings& settings, const Schema& schema, const DataSet& data) {
  if (settings.model && is_forest(*settings.model)) return choose_forest(settings, schema, data);
  refuse_options(settings, {"trees"}, "for forests: irf");
  if (settings.model && is_network(*settings.model)) return choose_network(settings, schema, data);
  refuse_options(settings, {"units", "dropout", "l2", "weight-prior", "kl-weight"},
                 "for networks: mann2, mann3, mbnn2, mbnn3");
  FitPlan plan;
  const std::string model = choose_model(settings, schema, data);
  plan.spec = choose_spec(settings, model, schema, data);
  set_layers(settings, data, plan.spec);
  check_coregionalised(plan.spec);
  plan.exact = is_exact(model);
  if (plan.exact) refuse_options(settings, {"inducing"}, "exact models have none");
  if (!is_coregionalised(model)) {
    refuse_options(settings, {"rank"}, "for correlated tasks: cmdgp, cgp, exact-icm");
  }
  if (plan.exact) {
    plan.spec.top_inducing = observation_counts(data, static_cast<Index>(plan.spec.tasks.size()));
    check_exact(plan.spec);
  }
  plan.initialise = choose_start(settings);
  plan.train = choose_training(settings, data.x.rows());
  plan.lbfgs = choose_lbfgs(settings, plan.spec, data.x.rows());
  if (!settings.steps) plan.train.steps = choose_iterations(settings, plan);
  plan.priors = settings.priors.value_or(plan.exact);
  if (suits_exact_start(settings, plan.spec, data)) start_exact(settings, data, plan);
  if (suits_label_start(settings, plan.spec, data)) plan_label_start(settings, data, plan);
  plan.fills_time =
      settings.time > 0.0 && !plan.exact && !plan.lbfgs && plan.prefit == 0 && !plan.label_start;
  choose_tails(settings, plan.exact || plan.prefit > 0, plan.spec);
  plan.hyperparameter_samples = choose_hyperparameter_samples(
      settings, (plan.exact && plan.priors) || plan.prefit > 0, plan.spec, data);
  suit_draws(settings, plan);
  limit_draws(settings, plan);
  plan.settings = settings_of(settings, plan);
  plan.reasons = explain(plan, schema, data, !settings.optimiser && settings.preset.empty());
  if (const std::string line = lost_start(settings, plan, data); !line.empty()) {
    plan.reasons.push_back(line);
  }
  return plan;
}

}  // namespace mdgp
