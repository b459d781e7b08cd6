// The tails of heavy_tailed likelihoods, from the errors of a model on observations that it leaves
// out.
#pragma once

#include "mdgp/inference/minibatch.h"
#include "mdgp/models/model.h"

namespace mdgp {

// The errors that the top layer, as an exact GP on the mean of the layers below, makes on each
// observation without it, in units of its standard deviation there (regression.h). Of more than
// 2,000 observations of a process, at most so many are taken.
Vector left_out_errors(const Model& model, const DataSet& data);

// The most probable degrees of freedom of the t distribution with variance 1 that the errors have,
// with a prior around 6.
double best_degrees(const Vector& errors);

// Sets the degrees of freedom, one number for all heavy_tailed tasks, to what the errors say.
// Everything else stays.
void fit_tails(Model& model, const DataSet& data);

}  // namespace mdgp
