// What every experiment keeps of a fit in its record.
#pragma once

#include "mdgp/io/run_plan.h"
#include "record.h"

namespace mdgp::experiments {

// Seconds, bound, steps and failures.
void add_fit(const PlanResult& result, Record& record);

// The ARD weights; nothing for a baseline.
void add_ard(const Model& model, Record& record);

}  // namespace mdgp::experiments
