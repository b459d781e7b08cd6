// The FAIMS study of the paper, simulated; docs/experiments.md describes it.
#pragma once

#include "faims_data.h"

namespace mdgp::experiments {

constexpr Index kPatients = 125, kCases = 48;
constexpr Index kFields = 32, kVoltages = 48;  // of a spectrum, which is their grid, flattened

// Compounds, patients and noise are a study's own; studies of different numbers have nothing in
// common but their form.
FaimsData simulate_faims(std::uint64_t study);

}  // namespace mdgp::experiments
