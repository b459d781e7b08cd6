// The FAIMS study of the paper, simulated; docs/experiments.md describes it.
#pragma once

#include "faims_data.h"

namespace mdgp::experiments {

constexpr Index kPatients = 125, kCases = 48;
constexpr Index kFields = 32, kVoltages = 48;  // of a spectrum, which is their grid, flattened

FaimsData simulate_faims();

}  // namespace mdgp::experiments
