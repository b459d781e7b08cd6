// The ARD weights of a fitted model in its record.
#pragma once

#include "mdgp/models/model.h"
#include "record.h"

namespace mdgp::experiments {

// Nothing where the top kernels have none.
void add_ard(const Model& model, Record& record);

}  // namespace mdgp::experiments
