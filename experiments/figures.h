// The figures of a report's page.
#pragma once

#include "grid.h"
#include "mdgp/report/hinton_svg.h"
#include "report.h"
#include "table.h"

namespace mdgp::experiments {

// Sections without data are empty.
// Scores against the size, with standard errors.
Section score_figures(const Grid& grid, const ReportOptions& options);
// The share of test targets below each level, at the two largest sizes that have it.
Section calibration_figures(const Grid& grid, const ReportOptions& options);
// The ARD weights of options.hinton, each at the largest size that has them.
Section hinton_figures(const Grid& grid, const ReportOptions& options);

// Processes that one task alone sees come as columns h[0], h[1], … in which each task has its own.
// Columns in three groups: shared, private, x.
HintonChart hinton_chart(const Record& record, const std::vector<std::string>& tasks);

// The mean over runs of lists["calibration"], 19 levels; empty where no run has it.
std::vector<double> mean_calibration(const Grid::Runs& runs);

}  // namespace mdgp::experiments
