#include "mdgp/inference/exact.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mdgp/inference/free_vector.h"
#include "mdgp/inference/initialise.h"
#include "mdgp/inference/regression.h"
#include "mdgp/linalg/check.h"
#include "mdgp/linalg/parallel.h"
#include "mdgp/models/hyperparameters.h"
#include "mdgp/random/order.h"

namespace mdgp {
namespace {

const std::vector<Process>& top(const Model& model) {
  return model.cascade.layers.back().processes;
}

int noise_id(const Model& model, int task) {
  const Likelihood& likelihood = model.likelihoods[at(task)];
  if (!has_gaussian_noise(likelihood.type->name)) {
    refuse("exact GP", "likelihood", likelihood.type->name, "gaussian");
  }
  return likelihood.parameters[0];
}

// log p(y) of one process's observations; a task's noise has the sum of the derivatives at its
// rows.
double log_marginal(const Model& model, const Process& process, const Regression& rows, Tape& tape,
                    double* gradient) {
  const Index n = rows.y.rows();
  check_size("log_marginal_likelihood", process.name + "'s inducing inputs", process.inducing, n);
  Vector noise_gradient;
  const double value = log_marginal(process, model.parameters, model.cascade.jitter, rows,
                                    noise_of(model, rows), tape, gradient, &noise_gradient);
  if (gradient == nullptr) return value;
  for (Index i = 0; i < n; ++i) {
    gradient[model.parameters[noise_id(model, rows.task[at(i)])].offset] += noise_gradient[i];
  }
  return value;
}

// The observations of the process that has most.
Index largest_process(const ModelSpec& spec, const DataSet& data) {
  if (is_coregionalised(spec.model)) return static_cast<Index>(data.observations.size());
  const auto counts = observation_counts(data, static_cast<Index>(spec.tasks.size()));
  return *std::max_element(counts.begin(), counts.end());
}

constexpr Index kLeastOfTask = 2;

// A random choice of observations, so many that the largest process has about what options allow,
// and of each task a few if it has any.
DataSet choose_observations(const ModelSpec& spec, const DataSet& data,
                            const ExactOptions& options) {
  const DrawKey key{options.seed, Purpose::initialisation, 1'000'001};
  const std::vector<Index> order = random_order(key, static_cast<Index>(data.observations.size()));
  const double share = static_cast<double>(options.most_observations) /
                       static_cast<double>(largest_process(spec, data));
  const auto count = static_cast<std::size_t>(share * static_cast<double>(order.size()));
  std::vector<Index> seen(spec.tasks.size(), 0);
  std::vector<Index> chosen;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto task = static_cast<std::size_t>(data.observations[at(order[i])].task);
    if (i < count || seen[task] < kLeastOfTask) chosen.push_back(order[i]), ++seen[task];
  }
  std::sort(chosen.begin(), chosen.end());
  DataSet some{data.x, {}};
  for (const Index i : chosen) some.observations.push_back(data.observations[at(i)]);
  return some;
}

// Of all processes; each has a tape, whose memory serves again.
double log_marginal(const Model& model, const DataSet& data, std::vector<Tape>& tapes,
                    Vector* gradient) {
  if (gradient != nullptr) gradient->setZero(model.parameters.size());
  const std::vector<Process>& processes = top(model);
  std::vector<double> values(processes.size());
  if (tapes.empty()) tapes = std::vector<Tape>(processes.size());
  parallel_for(static_cast<Index>(processes.size()), [&](Index i, int) {
    const Regression rows = top_regression(model, processes[at(i)], data);
    values[at(i)] = log_marginal(model, processes[at(i)], rows, tapes[at(i)],
                                 gradient != nullptr ? gradient->data() : nullptr);
  });
  return std::accumulate(values.begin(), values.end(), 0.0);
}

LbfgsSummary search(Model& model, const DataSet& data, const LbfgsOptions& options) {
  std::vector<int> left_out;
  for (const Process& process : top(model)) {
    left_out.insert(left_out.end(), {process.Z, process.q_mu, process.q_sqrt});
  }
  const FreeVector packing(model.parameters, left_out);
  Vector gradient, x;
  std::vector<Tape> tapes;
  // In units of their priors the parameters are alike, and few iterations do.
  const Vector scales = packing.prior_scales(model.parameters);
  const auto objective = [&](const Vector& scaled, Vector& free_gradient) {
    packing.write(scaled.cwiseProduct(scales), model.parameters);
    const double value =
        log_marginal(model, data, tapes, &gradient) + log_prior(model.parameters, &gradient);
    packing.pull_back(model.parameters, gradient, free_gradient);
    free_gradient.array() *= scales.array();
    return value;
  };
  packing.read(model.parameters, x);
  x.array() /= scales.array();
  log_marginal_likelihood(model, data);  // what is wrong with the input is said
  const LbfgsSummary summary = maximise(objective, x, options);
  packing.write(x.cwiseProduct(scales), model.parameters);  // the best that was found
  return summary;
}

}  // namespace

std::vector<Index> observation_counts(const DataSet& data, Index tasks) {
  std::vector<Index> counts(at(tasks), 0);
  for (const Observation& o : data.observations) ++counts[at(o.task)];
  return counts;
}

Regression top_regression(const Model& model, const Process& process, const DataSet& data) {
  std::vector<const Observation*> mine;
  for (int t = 0; t < model.cascade.tasks; ++t) {
    if (!process.serves(t)) continue;
    for (const Observation& o : data.observations) {
      if (o.task == t) mine.push_back(&o);
    }
  }
  Regression out{
      process_inputs(model, process, data, mine), {}, Matrix(static_cast<Index>(mine.size()), 1)};
  for (const Observation* o : mine) {
    out.y(static_cast<Index>(out.task.size()), 0) = o->y;
    out.task.push_back(o->task);
  }
  return out;
}

Vector noise_of(const Model& model, const Regression& rows) {
  Vector out(rows.y.rows());
  for (Index i = 0; i < out.size(); ++i) {
    out[i] = model.parameters.view(noise_id(model, rows.task[at(i)]))(0, 0);
  }
  return out;
}

void place_on_observations(Model& model, const DataSet& data) {
  for (const Process& process : top(model)) {
    const Regression rows = top_regression(model, process, data);
    check_size("place_on_observations", process.name + "'s inducing inputs", process.inducing,
               rows.y.rows());
    model.parameters.view(process.Z) = rows.x;
    model.parameters.table[at(process.Z)].trainable = false;
  }
}

double log_marginal_likelihood(const Model& model, const DataSet& data, Vector* gradient) {
  if (model.cascade.deep()) refuse("log_marginal_likelihood", "model", "deep", "shallow");
  std::vector<Tape> tapes;
  return log_marginal(model, data, tapes, gradient);
}

void set_best_posterior(Model& model, const DataSet& data) {
  if (model.cascade.deep()) refuse("set_best_posterior", "model", "deep", "shallow");
  const std::vector<Process>& processes = top(model);
  parallel_for(static_cast<Index>(processes.size()), [&](Index p, int) {
    const Regression rows = top_regression(model, processes[at(p)], data);
    set_posterior(processes[at(p)], model.cascade.jitter, rows, noise_of(model, rows),
                  model.parameters);
  });
}

ModelSpec exact_spec(const ModelSpec& spec, const DataSet& data) {
  ModelSpec shallow = spec;
  shallow.model = is_coregionalised(spec.model) ? "exact-icm" : "exact-gp";
  shallow.top_inducing = observation_counts(data, static_cast<Index>(spec.tasks.size()));
  for (Index& count : shallow.top_inducing) count = std::max<Index>(count, 1);
  return shallow;
}

LbfgsSummary fit_hyperparameters(Model& model, const ModelSpec& spec, const DataSet& data,
                                 const ExactOptions& options) {
  const DataSet some = largest_process(spec, data) > options.most_observations
                           ? choose_observations(spec, data, options)
                           : data;
  Model small = make_model(exact_spec(spec, some));
  initialise(small, some, {.seed = options.seed, .noise = 0.05});
  if (options.priors) {
    set_priors(small);
    if (options.alike) set_alike(small);
    start_at_priors(small, options.seed);
  }
  place_on_observations(small, some);
  const LbfgsSummary summary = search(small, some, options.search);
  copy_hyperparameters(small, model);
  return summary;
}

LbfgsSummary train_exact(Model& model, const ModelSpec& spec, const DataSet& data,
                         const ExactOptions& options) {
  model.members.clear();
  place_on_observations(model, data);
  const LbfgsSummary summary = fit_hyperparameters(model, spec, data, options);
  set_best_posterior(model, data);
  return summary;
}

}  // namespace mdgp
