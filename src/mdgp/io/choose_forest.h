// The plan for a forest.
#pragma once

#include "mdgp/io/choose.h"

namespace mdgp {

// settings.model is a forest's. Throws OptionError for options that are about other models.
FitPlan choose_forest(const FitSettings& settings, const Schema& schema, const DataSet& data);

}  // namespace mdgp
