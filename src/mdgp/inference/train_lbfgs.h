// Training with L-BFGS on all rows: shallow models, and deep ones with their draws held fixed.
#pragma once

#include "mdgp/inference/lbfgs.h"
#include "mdgp/inference/minibatch.h"
#include "mdgp/models/model.h"

namespace mdgp {

// Where the model is shallow and every likelihood is Gaussian, the best q for given other
// parameters is one natural step away, so only those others are searched: at every point q is set
// to its best, and as the bound is flat in q there, its partial derivatives are those of the
// search. Otherwise q is searched too.
LbfgsSummary train_lbfgs(Model& model, const DataSet& data, const LbfgsOptions& options = {},
                         std::uint64_t seed = 1);

}  // namespace mdgp
