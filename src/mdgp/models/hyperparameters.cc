#include "mdgp/models/hyperparameters.h"

#include <cmath>

#include "mdgp/random/normal.h"

namespace mdgp {
namespace {

constexpr double kLengthscale = 1.5;  // times the square root of the number of inputs
constexpr double kLengthscaleSpread = 1.0, kVarianceSpread = 1.0, kLinearSpread = 1.5;
constexpr double kMixing = 0.3, kOwn = 0.5, kOwnSpread = 0.7;  // W and kappa of coregionalisation
constexpr double kNoise = 0.03, kNoiseSpread = 1.0;
constexpr double kStart = 0.7;  // spread of the start of mixing weights, in that of their prior

Prior log_normal(double median, double spread) {
  return {Prior::log_normal, std::log(median), spread};
}

Parameter& parameter(Model& model, int id) {
  return model.parameters.table[static_cast<std::size_t>(id)];
}

void fix(Model& model, int id, double value) {
  parameter(model, id).trainable = false;
  model.parameters.view(id).setConstant(value);
}

// `scaled`: something else carries the scale of the whole kernel.
void set_kernel_priors(Model& model, const Kernel& kernel, Index inputs, bool scaled) {
  for (const Kernel& child : kernel.children) set_kernel_priors(model, child, inputs, scaled);
  const auto count = static_cast<double>(inputs);
  const std::string_view type = kernel.type->name;
  for (const int id : kernel.parameters) {
    const std::string& name = model.parameters[id].name;
    if (type == "white") continue;
    if (name.ends_with("lengthscales")) {
      parameter(model, id).prior = log_normal(kLengthscale * std::sqrt(count), kLengthscaleSpread);
    } else if (name.ends_with("coregion.W")) {
      parameter(model, id).prior = {Prior::normal, 0.0, kMixing};
    } else if (name.ends_with("coregion.kappa")) {
      parameter(model, id).prior = log_normal(kOwn, kOwnSpread);
    } else if (type == "linear") {
      parameter(model, id).prior = log_normal(1.0 / count, kLinearSpread);
    } else if (scaled) {
      fix(model, id, 1.0);
    } else if (type == "constant") {
      parameter(model, id).prior = log_normal(1.0, kVarianceSpread);
    } else if (name.ends_with("variance")) {
      parameter(model, id).prior = log_normal(kOwn, kVarianceSpread);
    }
  }
}

bool is_q(const Model& model, int id) {
  const std::string& name = model.parameters[id].name;
  return name.ends_with(".Z") || name.ends_with(".q_mu") || name.ends_with(".q_sqrt");
}

}  // namespace

void copy_hyperparameters(const Model& from, Model& to) {
  for (std::size_t i = 0; i < from.parameters.table.size(); ++i) {
    const auto id = static_cast<int>(i);
    if (is_q(from, id)) continue;
    const Parameter& source = from.parameters[id];
    for (std::size_t j = 0; j < to.parameters.table.size(); ++j) {
      Parameter& target = to.parameters.table[j];
      if (target.name != source.name || target.cols != source.cols || target.rows < source.rows) {
        continue;
      }
      target.prior = source.prior;
      target.trainable = source.trainable;
      to.parameters.view(static_cast<int>(j)).bottomRows(source.rows) = from.parameters.view(id);
    }
  }
}

void set_priors(Model& model) {
  for_processes(model.cascade, [&](const Process& process, std::size_t layer, std::size_t) {
    const bool inner = layer + 1 < model.cascade.layers.size();
    // The scale of an inner function and the lengthscales above it do the same.
    set_kernel_priors(model, process.kernel, process.inputs,
                      inner || is_coregionalised(process.kernel));
  });
  for (const Likelihood& likelihood : model.likelihoods) {
    if (likelihood.type->name != "gaussian") continue;
    parameter(model, likelihood.parameters[0]).prior = log_normal(kNoise, kNoiseSpread);
  }
}

void start_at_priors(Model& model, std::uint64_t seed) {
  const DrawKey key{seed, Purpose::initialisation, 1'000'000};
  for (std::size_t i = 0; i < model.parameters.table.size(); ++i) {
    const Parameter& p = model.parameters.table[i];
    View view = model.parameters.view(static_cast<int>(i));
    if (p.prior.kind == Prior::log_normal) view.setConstant(std::exp(p.prior.location));
    if (p.prior.kind != Prior::normal) continue;
    for (Index k = 0; k < view.size(); ++k) {
      view.data()[k] =
          p.prior.location +
          kStart * p.prior.scale * normal(key, static_cast<std::uint64_t>(p.offset + k), 0);
    }
  }
}

}  // namespace mdgp
