#include "mdgp/models/hyperparameters.h"

#include <algorithm>
#include <cmath>

#include "mdgp/random/normal.h"

namespace mdgp {
namespace {

constexpr double kLengthscale = 1.5;  // times the square root of the number of inputs
constexpr double kLengthscaleSpread = 1.0, kVarianceSpread = 1.0, kLinearSpread = 1.5;
constexpr double kOwn = 0.5;
// Of coregionalisation: the deviation of W, and that of the logarithm of kappa around kOwn.
struct Mixing {
  double weights, own_spread;
};
constexpr Mixing kMixing{0.3, 0.7}, kMixingOfFewInputs{1.0, 1.5};
constexpr double kAlikeSpread = 0.5;    // of the tasks' own lengthscales around the first's
constexpr double kPrivateSpread = 0.5;  // of a task's own lengthscales around the shared ones
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

// With few inputs there is much that these do not show and tasks have in common.
Mixing mixing_of(const Model& model) {
  const auto noisy = [](const Likelihood& l) { return has_gaussian_noise(l.type->name); };
  const bool few = model.cascade.inputs <= kFewInputs &&
                   std::all_of(model.likelihoods.begin(), model.likelihoods.end(), noisy);
  return few ? kMixingOfFewInputs : kMixing;
}

// `scaled`: something else carries the scale of the whole kernel.
void set_leaf_priors(Model& model, const Kernel& leaf, Index inputs, bool scaled) {
  const auto count = static_cast<double>(inputs);
  const std::string_view type = leaf.type->name;
  const Mixing mixing = mixing_of(model);
  for (const int id : leaf.parameters) {
    const std::string& name = model.parameters[id].name;
    if (type == "white") continue;
    if (name.ends_with("lengthscales")) {
      parameter(model, id).prior = log_normal(kLengthscale * std::sqrt(count), kLengthscaleSpread);
    } else if (name.ends_with("coregion.W")) {
      parameter(model, id).prior = {Prior::gaussian, 0.0, mixing.weights};
    } else if (name.ends_with("coregion.kappa")) {
      parameter(model, id).prior = log_normal(kOwn, mixing.own_spread);
    } else if (is_linear(leaf)) {
      parameter(model, id).prior = log_normal(1.0 / count, kLinearSpread);
    } else if (type == "private") {
      parameter(model, id).prior = log_normal(kOwn, kVarianceSpread);
    } else if (scaled) {
      fix(model, id, 1.0);
    } else if (type == "constant") {
      parameter(model, id).prior = log_normal(1.0, kVarianceSpread);
    } else if (name.ends_with("variance")) {
      parameter(model, id).prior = log_normal(kOwn, kVarianceSpread);
    }
  }
}

// The first lengthscales that all tasks share, or -1.
int shared_lengthscales(const Model& model, const Kernel& kernel) {
  int first = -1;
  for_leaves(kernel, [&](const Kernel& leaf) {
    if (first >= 0 || leaf.type->name == "private") return;
    for (const int id : leaf.parameters) {
      if (model.parameters[id].name.ends_with("lengthscales")) first = id;
    }
  });
  return first;
}

// A task's own lengthscales are near the shared ones.
void tie_private(Model& model, const Kernel& kernel) {
  const int shared = shared_lengthscales(model, kernel);
  for_leaves(kernel, [&](const Kernel& leaf) {
    if (leaf.type->name != "private" || shared < 0) return;
    for (const int id : leaf.parameters) {
      Prior& prior = parameter(model, id).prior;
      if (!model.parameters[id].name.ends_with("lengthscales")) continue;
      prior.scale = kPrivateSpread;
      prior.around = shared;
    }
  });
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
      const int around = target.prior.around;  // an id of the other model
      target.prior = source.prior;
      target.prior.around = around;
      target.trainable = source.trainable;
      to.parameters.view(static_cast<int>(j)).bottomRows(source.rows) = from.parameters.view(id);
    }
  }
}

void copy_but_top(const Model& from, Model& to) {
  copy_hyperparameters(from, to);
  const std::size_t top = to.cascade.layers.size() - 1;
  for_processes(to.cascade, [&](const Process& process, std::size_t layer, std::size_t) {
    if (layer == top) return;
    for (const int id : {process.Z, process.q_mu, process.q_sqrt}) {
      to.parameters.view(id) = from.parameters.view(to.parameters[id].name);
    }
  });
}

void set_top_trainable(Model& model, bool trainable) {
  for (const Process& process : model.cascade.layers.back().processes) {
    for_leaves(process.kernel, [&](const Kernel& leaf) {
      for (const int id : leaf.parameters) parameter(model, id).trainable = trainable;
    });
  }
  for (const Likelihood& likelihood : model.likelihoods) {
    for (const int id : likelihood.parameters) parameter(model, id).trainable = trainable;
  }
}

void set_priors(Model& model) {
  for_processes(model.cascade, [&](const Process& process, std::size_t layer, std::size_t) {
    const bool inner = layer + 1 < model.cascade.layers.size();
    // The scale of an inner function and the lengthscales above it do the same.
    const bool scaled = inner || is_coregionalised(process.kernel);
    for_leaves(process.kernel,
               [&](const Kernel& leaf) { set_leaf_priors(model, leaf, process.inputs, scaled); });
    tie_private(model, process.kernel);
  });
  for (const Likelihood& likelihood : model.likelihoods) {
    if (!has_gaussian_noise(likelihood.type->name)) continue;
    parameter(model, likelihood.parameters[0]).prior = log_normal(kNoise, kNoiseSpread);
  }
}

void set_alike(Model& model) {
  const std::vector<Process>& processes = model.cascade.layers.back().processes;
  const std::string first = processes.front().name + ".kernel.";
  for (std::size_t i = 1; i < processes.size(); ++i) {
    const std::string own = processes[i].name + ".kernel.";
    for_leaves(processes[i].kernel, [&](const Kernel& leaf) {
      for (const int id : leaf.parameters) {
        Parameter& p = parameter(model, id);
        const bool of_inputs =
            p.name.ends_with("lengthscales") || (is_linear(leaf) && p.rows == processes[i].inputs);
        if (!of_inputs || p.prior.kind != Prior::log_normal) continue;
        p.prior.around = model.parameters.find(first + p.name.substr(own.size()));
        p.prior.scale = kAlikeSpread;
      }
    });
  }
}

void start_at_priors(Model& model, std::uint64_t seed) {
  const DrawKey key{seed, Purpose::initialisation, 1'000'000};
  for (std::size_t i = 0; i < model.parameters.table.size(); ++i) {
    const Parameter& p = model.parameters.table[i];
    View view = model.parameters.view(static_cast<int>(i));
    if (p.prior.kind == Prior::log_normal) view.setConstant(std::exp(p.prior.location));
    if (p.prior.kind != Prior::gaussian) continue;
    for (Index k = 0; k < view.size(); ++k) {
      view.data()[k] =
          p.prior.location +
          kStart * p.prior.scale * normal(key, static_cast<std::uint64_t>(p.offset + k), 0);
    }
  }
}

}  // namespace mdgp
