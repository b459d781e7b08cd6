// The figures of the paper's SARCOS experiment: NLPP, RMSE and the time of one bound.
#pragma once

#include <vector>

#include "report.h"

namespace mdgp::experiments {

// Scores "nlpp", "rmse" and, of size 0, "bound_ms". Models have the program's names.
std::vector<PaperFigure> sarcos_paper_figures();

}  // namespace mdgp::experiments
