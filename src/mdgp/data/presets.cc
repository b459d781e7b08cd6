#include "mdgp/data/presets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <limits>
#include <stdexcept>

namespace mdgp {
namespace {

// All: Adam alone, a constant learning rate, one sample, inner posteriors that start narrow.
Preset paper(std::string_view name) {
  Preset p;
  p.name = name;
  p.train.natural = NaturalGradient::none;
  p.train.schedule = Schedule::constant;
  p.train.adam.learning_rate = 0.01;
  p.train.steps = 10000;
  p.initialise.inner_q_sqrt = 1e-5;
  p.lbfgs_up_to = std::numeric_limits<Index>::max();
  return p;
}

Preset sarcos() {
  Preset p = paper("paper-sarcos");
  p.initialise.inducing = InducingInputs::random_rows;
  p.initialise.shared = {{10.0, 1.0}};
  p.initialise.priv = {{10.0, 0.5}};
  p.initialise.top = {{10.0, 1.0}};
  p.initialise.noise_variance = 1e-6;
  p.train.batch_rows = 500;
  p.batch_above = 1000;
  p.lbfgs_up_to = 1000;
  return p;
}

Preset mnist() {
  Preset p = paper("paper-mnist");
  p.width = 30;
  p.inducing = 50;
  p.inducing_per_task = true;
  p.initialise.shared = {{40.0, 30.0}};
  p.initialise.priv = {{20.0, 60.0}};
  p.initialise.top = {{20.0, 30.0}};
  p.train.batch_rows = 100;
  p.network_rate = 1e-3;
  return p;
}

Preset faims() {
  Preset p = paper("paper-faims");
  p.width = 3;
  p.inducing = 30;
  p.inducing_per_task = true;
  p.initialise.shared = {{0.5, 1.5}};
  p.initialise.priv = {{1.5, 1.5}};
  p.initialise.top = {{1.0, 2.0}};
  p.train.adam.learning_rate = 0.001;
  p.train.steps = 20000;
  return p;
}

const std::array<Preset, 3>& presets() {
  static const std::array<Preset, 3> all = {sarcos(), mnist(), faims()};
  return all;
}

}  // namespace

const Preset& find_preset(std::string_view name) {
  for (const Preset& preset : presets()) {
    if (preset.name == name) return preset;
  }
  throw std::invalid_argument(fmt::format("find_preset: '{}' is not a preset; there are {}", name,
                                          fmt::join(preset_names(), ", ")));
}

std::vector<std::string_view> preset_names() {
  std::vector<std::string_view> names;
  for (const Preset& preset : presets()) names.push_back(preset.name);
  return names;
}

ModelSpec preset_spec(const Preset& preset, std::string_view model, Index inputs,
                      std::vector<TaskSpec> tasks) {
  const auto count = static_cast<Index>(tasks.size());
  ModelSpec spec = default_spec(model, inputs, std::move(tasks), 2, preset.width, preset.inducing);
  if (!preset.inducing_per_task) return spec;
  for (LayerSpec& layer : spec.inner) {
    if (!layer.shared.empty()) layer.inducing = preset.inducing * count;
  }
  if (model == "cgp" || model == "cmdgp") spec.top.inducing = preset.inducing * count;
  return spec;
}

TrainOptions preset_training(const Preset& preset, Index rows) {
  TrainOptions options = preset.train;
  if (rows <= preset.batch_above) options.batch_rows = 0;
  return options;
}

TrainOptions preset_network_training(const Preset& preset, bool bayesian) {
  TrainOptions options = preset.train;
  options.batch_rows = preset.network_batch;
  options.adam.learning_rate = bayesian ? preset.bayesian_rate : preset.network_rate;
  return options;
}

}  // namespace mdgp
