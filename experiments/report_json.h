// The numbers of a report for other programs.
#pragma once

#include <string>

#include "grid.h"
#include "report.h"

namespace mdgp::experiments {

// What is not a finite number is null.
std::string report_json(const Grid& grid, const ReportOptions& options);

}  // namespace mdgp::experiments
