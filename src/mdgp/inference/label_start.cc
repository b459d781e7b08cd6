#include "mdgp/inference/label_start.h"

#include <algorithm>
#include <cmath>

#include "mdgp/inference/free_vector.h"
#include "mdgp/inference/initialise.h"
#include "mdgp/inference/regression.h"
#include "mdgp/linalg/check.h"
#include "mdgp/random/normal.h"

namespace mdgp {
namespace {

// What f of a sure label is, in units of the code below: so that its likelihood is nearly sure too.
// Robust-max knows no units.
double scale_of(const Likelihood& likelihood) {
  const std::string_view name = likelihood.type->name;
  return name == "softmax" ? 2.0 : name == "bernoulli" ? 1.5 : 1.0;
}

// A label as C numbers: ±1 for yes and no; else its indicator, of zero mean and unit variance where
// all labels are equally frequent.
Eigen::RowVectorXd code_of(double label, Index functions) {
  if (functions == 1) return Eigen::RowVectorXd::Constant(1, label > 0.5 ? 1.0 : -1.0);
  const double share = 1.0 / static_cast<double>(functions);
  Eigen::RowVectorXd code = Eigen::RowVectorXd::Constant(functions, -share);
  code[static_cast<Index>(label)] += 1.0;
  return code / std::sqrt(share * (1.0 - share));
}

// Of the observations that a process has, as many as that at most, task by task.
std::vector<const Observation*> choose(const Process& process, Index tasks, const DataSet& data,
                                       Index most, std::uint64_t seed) {
  std::vector<const Observation*> mine;
  for (const Observation& o : data.observations) {
    if (process.serves(o.task)) mine.push_back(&o);
  }
  if (static_cast<Index>(mine.size()) > most) {
    const DrawKey key{seed, Purpose::initialisation, 1'000'002};
    const auto order = [&](const Observation* o) {
      return uniform(key, static_cast<std::uint64_t>(o->row * tasks + o->task), 0);
    };
    std::sort(mine.begin(), mine.end(), [&](auto a, auto b) { return order(a) < order(b); });
    mine.resize(at(most));
  }
  std::stable_sort(mine.begin(), mine.end(), [](auto a, auto b) { return a->task < b->task; });
  return mine;
}

// These observations as the process sees them.
Regression observed(const Model& model, const Process& process, const DataSet& data,
                    const std::vector<const Observation*>& mine, Index functions) {
  const auto n = static_cast<Index>(mine.size());
  Regression rows{process_inputs(model, process, data, mine), {}, Matrix(n, functions)};
  for (Index i = 0; i < n; ++i) {
    rows.task.push_back(mine[at(i)]->task);
    rows.y.row(i) = code_of(mine[at(i)]->y, functions);
  }
  return rows;
}

std::vector<int> kernel_parameters(const Process& process) {
  std::vector<int> ids;
  for_leaves(process.kernel, [&](const Kernel& leaf) {
    ids.insert(ids.end(), leaf.parameters.begin(), leaf.parameters.end());
  });
  return ids;
}

// All parameters but the kernel's.
std::vector<int> others(const Model& model, const Process& process) {
  const std::vector<int> mine = kernel_parameters(process);
  std::vector<int> out;
  for (int id = 0; id < static_cast<int>(model.parameters.table.size()); ++id) {
    if (std::find(mine.begin(), mine.end(), id) == mine.end()) out.push_back(id);
  }
  return out;
}

void set_priors(Model& model, const Process& process, const LabelStartOptions& options) {
  for (const int id : kernel_parameters(process)) {
    Parameter& p = model.parameters.table[static_cast<std::size_t>(id)];
    if (p.prior.kind == Prior::none) continue;
    if (options.lengthscale_spread > 0.0 && p.name.ends_with("lengthscales")) {
      p.prior.scale = options.lengthscale_spread;
    }
    if (options.common > 0.0 && p.name.ends_with("coregion.W")) {
      p.prior.location = options.common;
      model.parameters.view(id).setConstant(options.common);
    }
    if (options.own > 0.0 && p.name.ends_with("coregion.kappa")) {
      p.prior.location = std::log(options.own);
      model.parameters.view(id).setConstant(options.own);
    }
  }
}

// Sets the kernel to what explains the rows best; returns the noise.
double search(Model& model, const Process& process, const Regression& rows,
              const LabelStartOptions& options) {
  Parameters& parameters = model.parameters;
  const FreeVector packing(parameters, others(model, process));
  const double location = std::log(options.noise * rows.y.array().square().mean());
  Vector scales(packing.size() + 1);
  scales << packing.prior_scales(parameters), 1.0;
  Tape tape;
  Vector gradient, noise_gradient, free_gradient;
  const auto objective = [&](const Vector& scaled, Vector& out) {
    const Vector x = scaled.cwiseProduct(scales);
    packing.write(x.head(packing.size()), parameters);
    const double noise = std::exp(x[packing.size()]);
    const double z = (x[packing.size()] - location) / options.noise_spread;
    gradient.setZero(parameters.size());
    const double value = log_marginal(process, parameters, model.cascade.jitter, rows,
                                      Vector::Constant(rows.y.rows(), noise), tape, gradient.data(),
                                      &noise_gradient) +
                         log_prior(parameters, &gradient) - 0.5 * z * z;
    packing.pull_back(parameters, gradient, free_gradient);
    out.resize(packing.size() + 1);
    out << free_gradient, noise * noise_gradient.sum() - z / options.noise_spread;
    out.array() *= scales.array();
    return value;
  };
  Vector start, x(packing.size() + 1);
  packing.read(parameters, start);
  x << start, location;
  x.array() /= scales.array();
  maximise(objective, x, options.search);
  packing.write(x.cwiseProduct(scales).head(packing.size()), parameters);
  return std::exp(x[packing.size()] * scales[packing.size()]);
}

// Beside shared functions, private ones are for what is left.
bool starts_on_labels(const Layer& layer, const Process& process, bool top) {
  return top || process.shared() || !layer.processes.front().shared();
}

}  // namespace

Index label_functions(std::string_view likelihood, Index classes) {
  return classes > 0 ? classes : likelihood == "bernoulli" ? 1 : 0;
}

Index label_functions(const std::vector<Likelihood>& likelihoods) {
  const auto of = [](const Likelihood& l) { return label_functions(l.type->name, l.classes); };
  const Index functions = likelihoods.empty() ? 0 : of(likelihoods.front());
  const bool alike = std::all_of(likelihoods.begin(), likelihoods.end(),
                                 [&](const Likelihood& l) { return of(l) == functions; });
  return alike ? functions : 0;
}

void set_label_priors(Model& model, const LabelStartOptions& options) {
  const std::vector<Layer>& layers = model.cascade.layers;
  for (const Process& process : layers.front().processes) {
    if (starts_on_labels(layers.front(), process, layers.size() == 1)) {
      set_priors(model, process, options);
    }
  }
}

void start_on_labels(Model& model, const DataSet& data, const LabelStartOptions& options) {
  const Index functions = label_functions(model.likelihoods);
  check_positive("start_on_labels", "label functions", static_cast<double>(functions));
  for (std::size_t l = 0; l < model.cascade.layers.size(); ++l) {
    if (l > 0 && l + 1 == model.cascade.layers.size()) {
      place_top_inducing_inputs(model, data, {.seed = options.seed});
    }
    const bool top = l + 1 == model.cascade.layers.size();
    for (const Process& process : model.cascade.layers[l].processes) {
      if (!starts_on_labels(model.cascade.layers[l], process, top)) continue;
      if (process.width < functions) {
        refuse("start_on_labels", process.name + "'s outputs", std::to_string(process.width),
               "as many as labels at least");
      }
      const auto rows = [&](Index most) {
        Regression chosen =
            observed(model, process, data,
                     choose(process, model.cascade.tasks, data, most, options.seed), functions);
        if (top) chosen.y *= scale_of(model.likelihoods.front());
        return chosen;
      };
      const double noise = search(model, process, rows(options.most_observations), options);
      const Regression all = rows(static_cast<Index>(data.observations.size()));
      set_posterior(process, model.cascade.jitter, all, Vector::Constant(all.y.rows(), noise),
                    model.parameters);
    }
  }
}

}  // namespace mdgp
