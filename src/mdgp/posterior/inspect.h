// Looking inside a fitted model: what each task makes of the latent functions below it, and what
// these look like.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mdgp/posterior/posterior.h"

namespace mdgp {

// How much each input of the top layer matters to each task (paper.tex: ARD on the top kernels
// switches off the latent functions that a task has no use for): the variance, under the prior, of
// the change of the task's function as that input alone moves from 0 to 1; per task divided by
// their sum, unless that is 0. So an input matters by a short lengthscale or by a large
// linear variance, whatever the kernel is made of. A relative number: it does not know how much a
// latent function itself varies (inner_functions does).
struct ArdWeights {
  // Of the layer below the top, in order; none in a shallow model.
  std::vector<std::string> processes;
  std::vector<bool> shared;

  // The columns of all these processes, then those of x where the top sees it.
  std::vector<std::string> columns;  // "g0[2]", "h1[0]", "x[3]"
  Matrix weights;                    // [tasks, columns]; NaN where a task does not see the column
};

// The mean over members where there are any. Throws std::invalid_argument for a baseline.
ArdWeights ard_weights(const Model& model);

// The outputs of one inner layer as a task sees them.
struct LayerFunctions {
  std::vector<std::string> columns;  // "g0[0]", "g0[1]", "h1[0]"
  Matrix mean, variance;             // [rows, columns]
};

// Every inner layer from the bottom, none in a shallow model. The first layer's mean and variance
// are exact; further up they are those of the mixture over `samples` draws of the layers below (law
// of total variance). Draws depend on the row's number, not on the task: the shared functions of
// layers with nothing private below them are the same for all tasks.
std::vector<LayerFunctions> inner_functions(const Posterior& posterior, const ConstView& x,
                                            int task, Index samples, std::uint64_t seed);

}  // namespace mdgp
