// The figures of the paper's SARCOS experiment: NLPP, RMSE and the time of one bound.
#pragma once

#include <array>
#include <vector>

#include "report.h"

namespace mdgp::experiments {

// Scores "nlpp", "rmse" and, of size 0, "bound_ms". Models have the program's names. The same RMSE
// stand as "relative_rmse": the paper does not give their unit (docs/accuracy.md has the evidence).
std::vector<PaperFigure> sarcos_paper_figures();

// Its numbers of training points.
inline constexpr std::array<Index, 6> kPaperSizes = {100, 200, 500, 1000, 2000, 5000};

}  // namespace mdgp::experiments
