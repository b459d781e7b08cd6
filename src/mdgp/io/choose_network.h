// The plan for a network.
#pragma once

#include "mdgp/io/choose.h"

namespace mdgp {

// settings.model is a network's. Throws OptionError for options that are about Gaussian processes.
FitPlan choose_network(const FitSettings& settings, const Schema& schema, const DataSet& data);

}  // namespace mdgp
