// Hyperparameters of the top layer drawn from their posterior, in place of the most probable ones.
// With few observations of a task many lengthscales and variances explain them about as well, and
// the best of them is too sure of itself: predictions do better as the average over draws
// (docs/accuracy.md).
//
// The logarithm of element j of a hyperparameter of task t is, before there are data,
//   log θ_tj = location_j + spread_j s_j + own_j z_tj,   s_j, z_tj ~ N(0, 1),
// so that tasks look at the same inputs, more or less; of what correlated tasks have one of (the
// lengthscales) own_j is 0, and of the weights that mix them, W, the right is W_tj itself. The s_j
// of linear variances are correlated, and so are the z_tj of each task: as the inputs are, but for
// the sign, since inputs that go together tend to matter alike. s and z are drawn by elliptical
// slice sampling (Murray, Adams and MacKay 2010), which has nothing to tune, on the marginal
// likelihood of the exact GP on x.
#pragma once

#include <functional>

#include "mdgp/inference/minibatch.h"
#include "mdgp/models/model.h"

namespace mdgp {

struct SampleOptions {
  Index samples = 50;
  Index burn_in = 500, thin = 20;  // sweeps of each chain: before its first draw, and per draw
  // False: tasks have nothing in common, all spread is their own; not for correlated tasks.
  bool alike = true;
  Index inner_samples = 4;  // of the layers below, for q on top; deep models
  std::uint64_t seed = 1;
  // Called now and then with the share that is done, not from several threads at once; false stops,
  // and leaves the model without members.
  std::function<bool(double done)> go_on = {};
};

// Sets model.members, at most as many as check_members allows. The top layer has Gaussian noise and
// sees x; the layers below stay as they are, and q on top is the best for each draw.
void sample_hyperparameters(Model& model, const ModelSpec& spec, const DataSet& data,
                            const SampleOptions& options = {});

}  // namespace mdgp
