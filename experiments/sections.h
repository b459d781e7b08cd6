// The tables of a report.
#pragma once

#include <optional>

#include "grid.h"
#include "report.h"
#include "table.h"

namespace mdgp::experiments {

const std::string& label_of(const ScoreColumn& score);
std::optional<PaperFigure> find_paper(const ReportOptions& options, const std::string& score,
                                      const std::string& model, Index size);
bool is_ours(const ReportOptions& options, const GridRow& row);
std::vector<std::size_t> rows_of_ours(const Grid& grid, const ReportOptions& options, bool ours);

// A column of a table: one score at one size.
struct ScoreAt {
  ScoreColumn score;
  Index size = 0;
  std::string label;
};
std::vector<ScoreAt> by_size(const Grid& grid, const ReportOptions& options,
                             const ScoreColumn& score);
// Every score that some fit has, at the first size.
std::vector<ScoreAt> by_score(const Grid& grid, const ReportOptions& options);

// Rows by sizes: mean (standard error), the best in bold, the paper's figures below.
Section score_section(const Grid& grid, const ReportOptions& options, const ScoreColumn& score);
// The same, rows by scores.
Section scores_section(const Grid& grid, const ReportOptions& options);
// Medians of the seconds of a fit.
Section time_section(const Grid& grid, const ReportOptions& options);
// The following are empty where nothing was measured: milliseconds of one bound, shares inside the
// predictive intervals.
Section bound_section(const Grid& grid, const ReportOptions& options);
Section interval_section(const Grid& grid, const ReportOptions& options);

}  // namespace mdgp::experiments
