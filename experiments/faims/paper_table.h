// The paper's figures for FAIMS.
#pragma once

#include <vector>

#include "report.h"

namespace mdgp::experiments {

// paper.tex, table:faims, as if of that size.
std::vector<PaperFigure> faims_paper_figures(Index size);

}  // namespace mdgp::experiments
