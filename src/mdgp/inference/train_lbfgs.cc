#include "mdgp/inference/train_lbfgs.h"

#include <algorithm>
#include <limits>

#include "mdgp/inference/bound.h"
#include "mdgp/inference/free_vector.h"
#include "mdgp/inference/natural_gradient.h"
#include "mdgp/linalg/check.h"

namespace mdgp {
namespace {

bool is_conjugate(const Model& model) {
  return !model.cascade.deep() &&
         std::all_of(model.likelihoods.begin(), model.likelihoods.end(),
                     [](const Likelihood& l) { return has_gaussian_noise(l.type->name); });
}

std::vector<int> all_q(const Model& model) {
  std::vector<int> ids;
  for_processes(model.cascade, [&](const Process& process, std::size_t, std::size_t) {
    ids.push_back(process.q_mu);
    ids.push_back(process.q_sqrt);
  });
  return ids;
}

}  // namespace

LbfgsSummary train_lbfgs(Model& model, const DataSet& data, const LbfgsOptions& options,
                         std::uint64_t seed) {
  model.members.clear();
  const bool conjugate = is_conjugate(model);
  const FreeVector packing(model.parameters, conjugate ? all_q(model) : std::vector<int>{});
  Bound bound(model);
  BoundOptions bound_options;
  bound_options.noise.seed = seed;
  const Batch batch{view_of(data.x), &data.observations, nullptr};
  Vector gradient, best;
  double best_value = -std::numeric_limits<double>::infinity();
  const auto objective = [&](const Vector& x, Vector& free_gradient) {
    packing.write(x, model.parameters);
    BoundValue value = bound(batch, bound_options, &gradient);
    if (conjugate) {
      for_processes(model.cascade, [&](const Process& process, std::size_t, std::size_t) {
        natural_gradient_step(process, gradient, 1.0, model.parameters);
      });
      value = bound(batch, bound_options, &gradient);
    }
    const double total = value.bound + log_prior(model.parameters, &gradient);
    packing.pull_back(model.parameters, gradient, free_gradient);
    if (total > best_value && free_gradient.allFinite()) {
      best_value = total;
      best = model.parameters.values;
    }
    return total;
  };
  Vector x;
  packing.read(model.parameters, x);
  bound(batch, bound_options,
        nullptr);  // what is wrong with the input is said, not searched around
  const LbfgsSummary summary = maximise(objective, x, options);
  if (best.size() > 0) model.parameters.values = best;
  return summary;
}

}  // namespace mdgp
