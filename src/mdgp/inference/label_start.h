// Where classification starts. Every function of the first layer is given a label: it starts as the
// exact GP that regresses on the indicators of that label over all tasks which its process serves,
// so that shared functions know from the first step what all tasks say together, and private ones
// what their own says. Training then moves everything to where the bound wants it.
#pragma once

#include <cstdint>
#include <string_view>

#include "mdgp/inference/lbfgs.h"
#include "mdgp/inference/minibatch.h"
#include "mdgp/models/model.h"

namespace mdgp {

struct LabelStartOptions {
  LbfgsOptions search = {.iterations = 40, .gradient_tolerance = 1e-3, .value_tolerance = 1e-5};
  // With more observations of a process than these, the kernel is searched with a random choice.
  Index most_observations = 1000;
  // The prior of the noise, in variances of the targets, and where its search starts: labels that a
  // GP would interpolate are rarely as sure as that.
  double noise = 1.0, noise_spread = 0.3;  // median, and deviation of the logarithm
  // In place of the deviation that the prior of the first layer's lengthscales has (0: that one).
  double lengthscale_spread = 0.0;
  // In place of the medians that the priors of W and kappa have there: what coregionalised tasks
  // have in common and of their own (0: those).
  double common = 0.0, own = 0.0;
  std::uint64_t seed = 1;
};

// The functions that the labels of a task take up: one per class, one for yes and no, 0 where it
// has no labels.
Index label_functions(std::string_view likelihood, Index classes);
// Those of all tasks; 0 where they do not all have equally many, and there is no such start.
Index label_functions(const std::vector<Likelihood>& likelihoods);

// The priors of the first layer that the options change, and its values that go with them.
void set_label_priors(Model& model, const LabelStartOptions& options);

// Sets kernels and q of the first layer, whose processes must have that many outputs at least, and
// whose Z are where they shall be. Those beyond them keep the q they have.
void start_on_labels(Model& model, const DataSet& data, const LabelStartOptions& options = {});

}  // namespace mdgp
