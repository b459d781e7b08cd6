#include "mdgp/baselines/network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>

#include "mdgp/linalg/check.h"
#include "mdgp/random/normal.h"

namespace mdgp {
namespace {

struct Kind {
  std::string_view name;
  std::size_t hidden;
  bool bayesian;
};
constexpr std::array kKinds = {Kind{"mann2", 1, false}, Kind{"mann3", 2, false},
                               Kind{"mbnn2", 1, true}, Kind{"mbnn3", 2, true}};

// As draws are named (network_pass.cc).
constexpr Index kMostUnits = Index{1} << 16U;

// What deviations start with, beside the deviation of Glorot's weights: enough noise to learn from,
// too little to drown them.
constexpr double kStartDeviation = 0.05;

const Kind* find_kind(std::string_view name) {
  for (const Kind& kind : kKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

void check_spec(const ModelSpec& spec, const Kind& kind) {
  constexpr const char* kHere = "make_network_model";
  const NetworkSpec& network = spec.network;
  check_positive(kHere, "inputs", static_cast<double>(spec.inputs));
  check_positive(kHere, "number of tasks", static_cast<double>(spec.tasks.size()));
  if (network.units.size() != kind.hidden) {
    refuse(kHere, "network.units", fmt::format("[{}]", fmt::join(network.units, ", ")),
           fmt::format("{} numbers for {}", kind.hidden, kind.name));
  }
  for (const Index units : network.units) {
    if (units < 1 || units > kMostUnits) {
      refuse(kHere, "network.units", fmt::format("{}", units),
             fmt::format("from 1 to {}", kMostUnits));
    }
  }
  if (!(network.dropout >= 0.0 && network.dropout < 1.0)) {
    refuse(kHere, "network.dropout", fmt::format("{}", network.dropout), "from 0 to below 1");
  }
  if (!(network.l2 >= 0.0) || !std::isfinite(network.l2)) {
    refuse(kHere, "network.l2", fmt::format("{}", network.l2), "finite and not negative");
  }
  if (!(network.kl_weight > 0.0) || !std::isfinite(network.kl_weight)) {
    refuse(kHere, "network.kl_weight", fmt::format("{}", network.kl_weight), "finite and positive");
  }
  for (const TaskSpec& task : spec.tasks) {
    // Its density has no slope where f is known: nothing would be learned.
    if (task.likelihood == "robustmax") {
      refuse(kHere, "likelihood", task.likelihood, "softmax for classes in a network");
    }
  }
}

void add_dense(const std::string& name, Index inputs, Index outputs, bool bayesian,
               Parameters& parameters) {
  const auto add = [&](const std::string& part, Index rows) {
    parameters.add(fmt::format("{}.{}", name, part), rows, outputs, Constraint::none, 0.0);
    if (!bayesian) return;
    parameters.add(fmt::format("{}.{}.log_deviation", name, part), rows, outputs, Constraint::none,
                   0.0);
  };
  add("weights", inputs);
  add("bias", 1);
}

Dense find_dense(const std::string& name, bool bayesian, bool fan_in,
                 const Parameters& parameters) {
  Dense dense;
  dense.weights = parameters.find(name + ".weights");
  dense.bias = parameters.find(name + ".bias");
  if (!bayesian) return dense;
  dense.weights_log_deviation = parameters.find(name + ".weights.log_deviation");
  dense.bias_log_deviation = parameters.find(name + ".bias.log_deviation");
  if (fan_in) dense.prior_variance = 1.0 / static_cast<double>(parameters[dense.weights].rows);
  return dense;
}

void initialise_dense(const Dense& dense, std::uint64_t seed, Parameters& parameters) {
  View weights = parameters.view(dense.weights);
  const double fans = static_cast<double>(weights.rows() + weights.cols());
  const double limit = std::sqrt(6.0 / fans);
  const DrawKey key{seed, Purpose::initialisation, static_cast<std::uint32_t>(dense.weights)};
  for (Index j = 0; j < weights.cols(); ++j) {
    for (Index i = 0; i < weights.rows(); ++i) {
      const double u = uniform(key, static_cast<std::uint64_t>(i), static_cast<std::uint32_t>(j));
      weights(i, j) = limit * (2.0 * u - 1.0);
    }
  }
  parameters.view(dense.bias).setZero();
  if (dense.weights_log_deviation < 0) return;
  const double log_deviation = std::log(kStartDeviation * std::sqrt(2.0 / fans));
  parameters.view(dense.weights_log_deviation).setConstant(log_deviation);
  parameters.view(dense.bias_log_deviation).setConstant(log_deviation);
}

}  // namespace

bool is_network(std::string_view model) { return find_kind(model) != nullptr; }

bool is_bayesian_network(std::string_view model) {
  const Kind* kind = find_kind(model);
  return kind != nullptr && kind->bayesian;
}

std::vector<Index> network_units(std::string_view model, Index units) {
  const Kind* kind = find_kind(model);
  return std::vector<Index>(kind != nullptr ? kind->hidden : 0, units);
}

Model make_network_model(const ModelSpec& spec) {
  const Kind* kind = find_kind(spec.model);
  if (kind == nullptr) {
    refuse("make_network_model", "model", spec.model, "mann2, mann3, mbnn2 or mbnn3");
  }
  check_spec(spec, *kind);
  Model model;
  model.cascade.inputs = spec.inputs;
  model.cascade.tasks = static_cast<Index>(spec.tasks.size());
  model.parameters.most = spec.most_parameters;
  Index width = spec.inputs;
  for (std::size_t l = 0; l < spec.network.units.size(); ++l) {
    const Index units = spec.network.units[l];
    add_dense(fmt::format("hidden{}", l), width, units, kind->bayesian, model.parameters);
    width = units;
  }
  for (std::size_t t = 0; t < spec.tasks.size(); ++t) {
    const Index outputs = std::max(spec.tasks[t].classes, 1);
    add_dense(fmt::format("head{}", t), width, outputs, kind->bayesian, model.parameters);
  }
  add_likelihoods(spec.tasks, model);
  return model;
}

Network network_of(const ModelSpec& spec, const Parameters& parameters) {
  Network network;
  network.bayesian = is_bayesian_network(spec.model);
  network.dropout = network.bayesian ? 0.0 : spec.network.dropout;
  network.l2 = network.bayesian ? 0.0 : spec.network.l2;
  network.kl_weight = spec.network.kl_weight;
  const auto find = [&](const std::string& name) {
    return find_dense(name, network.bayesian, spec.network.fan_in_prior, parameters);
  };
  for (std::size_t l = 0; l < spec.network.units.size(); ++l) {
    network.hidden.push_back(find(fmt::format("hidden{}", l)));
  }
  for (std::size_t t = 0; t < spec.tasks.size(); ++t) {
    network.heads.push_back(find(fmt::format("head{}", t)));
  }
  return network;
}

void initialise_network(const ModelSpec& spec, double noise, std::uint64_t seed, Model& model) {
  const Network network = network_of(spec, model.parameters);
  for (const Dense& dense : network.hidden) initialise_dense(dense, seed, model.parameters);
  for (const Dense& dense : network.heads) initialise_dense(dense, seed, model.parameters);
  for (const Likelihood& likelihood : model.likelihoods) {
    if (likelihood.type->name != "gaussian") continue;
    model.parameters.view(likelihood.parameters[0]).setConstant(noise);
  }
}

}  // namespace mdgp
