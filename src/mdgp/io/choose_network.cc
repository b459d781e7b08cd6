#include "mdgp/io/choose_network.h"

#include <fmt/format.h>

#include <algorithm>

#include "mdgp/baselines/network.h"
#include "mdgp/data/presets.h"
#include "mdgp/io/choose_parts.h"

namespace mdgp {
namespace {

constexpr Index kUnits = 128, kBatch = 64;
constexpr Index kSteps = 10000, kMostSteps = 50000, kEpochs = 100;
constexpr const char *kFanIn = "fan-in", *kStandard = "standard";  // --weight-prior
constexpr double kRate = 1e-3, kBayesianRate = 3e-3, kNoise = 0.05;

const char* prior_name(const NetworkSpec& network) {
  return network.fan_in_prior ? kFanIn : kStandard;
}

void check_options(const FitSettings& s, const std::string& model) {
  refuse_options(s,
                 {"depth", "width", "inducing", "kernel", "mean", "propagate-inputs", "rank",
                  "priors", "hyperparameter-samples", "lengthscale", "inducing-inputs",
                  "natural-gradient", "natural-step"},
                 fmt::format("for Gaussian processes; {} is a network", model));
  if (s.optimiser == "lbfgs") {
    contradiction(
        fmt::format("--optimiser lbfgs: for igp and cgp; {} is trained with adam", model));
  }
  if (s.classification == "robustmax") {
    contradiction(
        fmt::format("--classification robustmax: not for networks; {} takes softmax", model));
  }
  if (is_bayesian_network(model)) {
    refuse_options(s, {"dropout", "l2"},
                   fmt::format("for mann2 and mann3; {} has a prior instead", model));
  } else {
    refuse_options(s, {"kl-warmup", "weight-prior", "kl-weight"},
                   fmt::format("for models with a KL; {} has none", model));
  }
}

ModelSpec choose_spec(const FitSettings& s, const std::string& model, const Schema& schema,
                      const DataSet& data) {
  ModelSpec spec;
  spec.model = model;
  spec.inputs = data.x.cols();
  spec.tasks = task_specs(s, schema);
  spec.inner.clear();
  spec.network.units = network_units(model, s.units.value_or(kUnits));
  spec.network.dropout = s.dropout.value_or(spec.network.dropout);
  spec.network.l2 = s.l2.value_or(spec.network.l2);
  const bool paper = !s.preset.empty();
  spec.network.fan_in_prior = s.weight_prior.value_or(paper ? kStandard : kFanIn) == kFanIn;
  spec.network.kl_weight = s.kl_weight.value_or(paper ? 1.0 : spec.network.kl_weight);
  return spec;
}

TrainOptions choose_training(const FitSettings& s, bool bayesian, Index rows) {
  TrainOptions train;
  if (s.preset.empty()) {
    train.batch_rows = kBatch;
    train.steps = std::clamp(kEpochs * rows / kBatch, kSteps, kMostSteps);
    train.adam.learning_rate = bayesian ? kBayesianRate : kRate;
  } else {
    train = preset_network_training(find_preset(s.preset), bayesian);
  }
  train.natural = NaturalGradient::none;
  apply_training(s, rows, train);
  return train;
}

std::vector<std::string> explain(const FitPlan& plan, const Schema& schema, const DataSet& data) {
  const NetworkSpec& network = plan.spec.network;
  const bool bayesian = is_bayesian_network(plan.spec.model);
  const std::size_t hidden = network.units.size(), tasks = plan.spec.tasks.size();
  return {fmt::format("{}: {}network, {} hidden {} of {} units, {}", plan.spec.model,
                      bayesian ? "Bayesian " : "", hidden, hidden == 1 ? "layer" : "layers",
                      network.units.front(),
                      tasks == 1 ? std::string("one task")
                                 : fmt::format("a head for each of {} tasks", tasks)),
          fmt::format("{} ({} rows, {} inputs)",
                      bayesian ? fmt::format("{} normal prior on weights, KL times {:g}",
                                             prior_name(network), network.kl_weight)
                               : fmt::format("dropout {:g}, l2 {:g}", network.dropout, network.l2),
                      data.x.rows(), schema.input_width()),
          steps_text(plan.train, plan.fills_time)};
}

std::map<std::string, std::string> settings_of(const FitSettings& settings, const FitPlan& plan) {
  FitSettings all = settings;
  all.units = plan.spec.network.units.front();
  if (is_bayesian_network(plan.spec.model)) {
    all.weight_prior = prior_name(plan.spec.network);
    all.kl_weight = plan.spec.network.kl_weight;
  } else {
    all.dropout = plan.spec.network.dropout;
    all.l2 = plan.spec.network.l2;
  }
  all.regression = settings.regression.value_or("gaussian");
  all.noise = plan.initialise.noise;
  all.optimiser = "adam";
  note_training(plan.train, all);
  return option_texts(all);
}

}  // namespace

FitPlan choose_network(const FitSettings& settings, const Schema& schema, const DataSet& data) {
  const std::string model = *settings.model;
  check_options(settings, model);
  FitPlan plan;
  plan.spec = choose_spec(settings, model, schema, data);
  choose_tails(settings, false, plan.spec);
  plan.initialise.seed = settings.seed;
  plan.initialise.noise = settings.noise.value_or(kNoise);
  plan.train = choose_training(settings, is_bayesian_network(model), data.x.rows());
  plan.settings = settings_of(settings, plan);
  plan.fills_time = settings.time > 0.0;
  plan.reasons = explain(plan, schema, data);
  return plan;
}

}  // namespace mdgp
