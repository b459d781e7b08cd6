// Who is ahead: the best of our models against the others, the targets and the paper.
#pragma once

#include "grid.h"
#include "report.h"
#include "table.h"

namespace mdgp::experiments {

// One score at one size.
struct SummaryRow {
  Index size = 0;
  int best = -1, other = -1;   // rows: the best of ours and of the others; -1: none
  Comparison against_other{};  // best minus other, on the runs that both have
  bool ahead = false;          // of every other row, on the runs that both have
  double largest_p = 0.0;      // of the tests against every other row; NaN: some had no test
  double target = 0.0;         // NaN: none
  bool met = false;
};

std::vector<SummaryRow> summarise(const Grid& grid, const ReportOptions& options,
                                  const ScoreColumn& score);

// A row of the paper against the same model here.
struct PaperComparison {
  std::size_t row;
  Index size;
  double difference;  // ours minus the paper's
  bool beaten;
};
std::vector<PaperComparison> against_paper(const Grid& grid, const ReportOptions& options,
                                           const ScoreColumn& score);

Section summary_section(const Grid& grid, const ReportOptions& options, const ScoreColumn& score);
// Empty where no model has a row in the paper.
Section paper_section(const Grid& grid, const ReportOptions& options, const ScoreColumn& score);

// The same of all scores in one table each, at the first size.
Section scores_summary(const Grid& grid, const ReportOptions& options);
Section scores_paper(const Grid& grid, const ReportOptions& options);

}  // namespace mdgp::experiments
