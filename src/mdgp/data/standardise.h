// The units of training rows, where they are a part of those that the schema was made from.
#pragma once

#include "mdgp/data/schema.h"
#include "mdgp/inference/minibatch.h"

namespace mdgp {

// Sets means, deviations and numbers of targets of the schema to those of `train`, which was
// encoded by the schema as it is now: encoded anew, its numbers have mean 0 and deviation 1. A
// column that it has only one value of keeps its deviation.
void standardise_by(const DataSet& train, Schema& schema);

}  // namespace mdgp
