#include "summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sections.h"

namespace mdgp::experiments {
namespace {

constexpr const char* kSelected =
    "The best is chosen on the runs that it is tested on, which favours it: p is not corrected for "
    "that, nor for there being several comparisons.";

bool better(double difference, const ScoreColumn& score) {
  return score.lower_is_better ? difference < 0.0 : difference > 0.0;
}

double find_target(const ReportOptions& options, const ScoreColumn& score, Index size) {
  for (const Target& t : options.targets) {
    if (t.score == score.name && t.size == size) return t.value;
  }
  return kNan;
}

// Against every other row that has values.
void compare_all(const std::vector<Cell>& column, const std::vector<std::size_t>& others,
                 const ScoreColumn& score, SummaryRow& out) {
  out.ahead = out.other >= 0;
  out.largest_p = out.other >= 0 ? 0.0 : kNan;
  for (const std::size_t row : others) {
    if (column[row].empty()) continue;
    const Comparison c = compare(column[static_cast<std::size_t>(out.best)], column[row]);
    out.ahead = out.ahead && better(c.difference, score);
    // Once NaN, it stays NaN.
    if (!(c.p <= out.largest_p)) out.largest_p = std::isnan(out.largest_p) ? kNan : c.p;
  }
}

SummaryRow summarise_size(const Grid& grid, const ReportOptions& options, const ScoreColumn& score,
                          Index size) {
  const std::vector<Cell> column = grid.column(size, score.name);
  const std::vector<std::size_t> others = rows_of_ours(grid, options, false);
  SummaryRow out{.size = size};
  out.best = best_row(column, rows_of_ours(grid, options, true), score.lower_is_better);
  out.other = best_row(column, others, score.lower_is_better);
  out.target = find_target(options, score, size);
  out.largest_p = kNan;
  if (out.best < 0) return out;
  const Cell& best = column[static_cast<std::size_t>(out.best)];
  if (out.other >= 0)
    out.against_other = compare(best, column[static_cast<std::size_t>(out.other)]);
  compare_all(column, others, score, out);
  const double gap = best.mean - out.target;
  out.met = gap == 0.0 || better(gap, score);
  return out;
}

// "N = 100, 200", "every N" or "no N".
template <class Wanted>
std::string sizes_where(const std::vector<SummaryRow>& rows, const std::string& label,
                        const Wanted& wanted) {
  std::vector<Index> sizes;
  for (const SummaryRow& row : rows) {
    if (row.best >= 0 && wanted(row)) sizes.push_back(row.size);
  }
  if (sizes.empty()) return fmt::format("no {}", label);
  if (sizes.size() == rows.size()) return fmt::format("every {}", label);
  return fmt::format("{} = {}", label, fmt::join(sizes, ", "));
}

std::vector<std::string> sentences(const std::vector<SummaryRow>& rows,
                                   const ReportOptions& options) {
  const auto where = [&](const auto& wanted) {
    return sizes_where(rows, options.size_label, wanted);
  };
  const bool tested = std::any_of(rows.begin(), rows.end(), [](const SummaryRow& r) {
    return r.best >= 0 && r.other >= 0 && std::isfinite(r.against_other.p);
  });
  const std::string significant =
      where([](const SummaryRow& r) { return r.ahead && r.largest_p < kLevel; });
  std::vector<std::string> out;
  const bool others =
      std::any_of(rows.begin(), rows.end(), [](const SummaryRow& r) { return r.other >= 0; });
  if (others) {
    out.push_back(fmt::format(
        "The best {} model is ahead of every other at {}; {}.", options.ours_label,
        where([](const SummaryRow& r) { return r.ahead; }),
        tested ? fmt::format("significantly (paired Wilcoxon, 5 %, against each of them) at {}",
                             significant)
               : "the runs are too few for a test"));
    if (tested) out.emplace_back(kSelected);
  }
  const bool targets = std::any_of(rows.begin(), rows.end(),
                                   [](const SummaryRow& r) { return std::isfinite(r.target); });
  if (!targets) return out;
  const auto with = [&](bool met) {
    return where([met](const SummaryRow& r) { return std::isfinite(r.target) && r.met == met; });
  };
  out.push_back(fmt::format("Target met at {}; missed at {}.", with(true), with(false)));
  return out;
}

TableCell name_and_mean(const Grid& grid, const ScoreColumn& score, int row, Index size) {
  if (row < 0) return {"–"};
  const auto r = static_cast<std::size_t>(row);
  const Cell cell = grid.cell(r, size, score.name);
  return {mean_text(cell.mean, cell.error, score.decimals), false, {grid.rows()[r].label}};
}

TableCell target_cell(const Grid& grid, const ScoreColumn& score, const SummaryRow& row) {
  if (!std::isfinite(row.target)) return {"–"};
  TableCell out{number(row.target, score.decimals)};
  if (row.best < 0) return out;
  const double mean = grid.cell(static_cast<std::size_t>(row.best), row.size, score.name).mean;
  out.bold = row.met;
  out.notes = {fmt::format("{} {}", row.met ? "met" : "missed",
                           signed_number(mean - row.target, score.decimals))};
  return out;
}

std::string paper_sentence(const std::vector<PaperComparison>& rows, const Grid& grid,
                           const ReportOptions& options) {
  std::size_t beaten = 0, all = 0;
  std::vector<std::string> lost;
  for (const PaperComparison& c : rows) {
    const GridRow& row = grid.rows()[c.row];
    if (!is_ours(options, row)) continue;
    ++all;
    if (c.beaten) {
      ++beaten;
    } else {
      lost.push_back(fmt::format("{} at {}", row.label, c.size));
    }
  }
  return fmt::format("{} models beat their own figure in the paper in {} of {} cells{}.",
                     options.ours_label, beaten, all,
                     lost.empty() ? "" : fmt::format("; not {}", fmt::join(lost, ", ")));
}

ReportTable summary_table(const ReportOptions& options, const std::string& first) {
  return {{first, fmt::format("best {}", options.ours_label), "best other", "difference", "p",
           "largest p, any other", "target"},
          {}};
}

std::vector<TableCell> summary_cells(const Grid& grid, const ScoreColumn& score,
                                     const SummaryRow& row, const std::string& first) {
  const Comparison& c = row.against_other;
  const bool compared = row.best >= 0 && row.other >= 0;
  const bool wins = compared && better(c.difference, score) && c.p < kLevel;
  return {{first},
          name_and_mean(grid, score, row.best, row.size),
          name_and_mean(grid, score, row.other, row.size),
          {compared ? signed_number(c.difference, score.decimals) : "–", wins},
          {compared ? p_text(c.p) : "–"},
          {p_text(row.largest_p)},
          target_cell(grid, score, row)};
}

constexpr const char* kPaperBold = "Our mean minus the paper's; bold where ours is better.";

// Rows that have no figure in the paper are left out.
ReportTable paper_table(const Grid& grid, const ReportOptions& options,
                        const std::vector<ScoreAt>& columns) {
  ReportTable table{{"model"}, {}};
  for (const ScoreAt& c : columns) table.header.push_back(c.label);
  for (std::size_t row = 0; row < grid.rows().size(); ++row) {
    std::vector<TableCell> cells = {{grid.rows()[row].label}};
    bool any = false;
    for (const ScoreAt& c : columns) {
      const auto figure = find_paper(options, c.score.name, grid.rows()[row].model, c.size);
      const Cell cell = grid.cell(row, c.size, c.score.name);
      const bool compared = figure && !cell.empty();
      const double difference = compared ? cell.mean - figure->mean : kNan;
      cells.push_back(compared ? TableCell{signed_number(difference, c.score.decimals),
                                           better(difference, c.score)}
                               : TableCell{"–"});
      any = any || compared;
    }
    if (any) table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

std::vector<SummaryRow> summarise(const Grid& grid, const ReportOptions& options,
                                  const ScoreColumn& score) {
  std::vector<SummaryRow> rows;
  for (const Index size : grid.sizes()) rows.push_back(summarise_size(grid, options, score, size));
  return rows;
}

std::vector<PaperComparison> against_paper(const Grid& grid, const ReportOptions& options,
                                           const ScoreColumn& score) {
  std::vector<PaperComparison> out;
  for (std::size_t row = 0; row < grid.rows().size(); ++row) {
    for (const Index size : grid.sizes()) {
      const auto figure = find_paper(options, score.name, grid.rows()[row].model, size);
      const Cell cell = grid.cell(row, size, score.name);
      if (!figure || cell.empty()) continue;
      const double difference = cell.mean - figure->mean;
      out.push_back({row, size, difference, better(difference, score)});
    }
  }
  return out;
}

Section summary_section(const Grid& grid, const ReportOptions& options, const ScoreColumn& score) {
  if (!grid.has(score.name)) return {};
  const std::vector<SummaryRow> rows = summarise(grid, options, score);
  Section section{fmt::format("Summary: {}", label_of(score)), sentences(rows, options)};
  ReportTable table = summary_table(options, options.size_label);
  for (const SummaryRow& row : rows) {
    table.rows.push_back(summary_cells(grid, score, row, fmt::format("{}", row.size)));
  }
  section.tables = {std::move(table)};
  return section;
}

Section scores_summary(const Grid& grid, const ReportOptions& options) {
  Section section{"Summary"};
  section.paragraphs = {
      fmt::format("The best {} model against the best other on the same runs; p: paired Wilcoxon.",
                  options.ours_label),
      kSelected};
  ReportTable table = summary_table(options, "score");
  for (const ScoreAt& c : by_score(grid, options)) {
    const SummaryRow row = summarise_size(grid, options, c.score, c.size);
    table.rows.push_back(summary_cells(grid, c.score, row, c.label));
  }
  section.tables = {std::move(table)};
  return section;
}

Section paper_section(const Grid& grid, const ReportOptions& options, const ScoreColumn& score) {
  const std::vector<PaperComparison> all = against_paper(grid, options, score);
  if (all.empty()) return {};
  return {fmt::format("Against the paper: {}", label_of(score)),
          {paper_sentence(all, grid, options), kPaperBold},
          "",
          {paper_table(grid, options, by_size(grid, options, score))}};
}

Section scores_paper(const Grid& grid, const ReportOptions& options) {
  const std::vector<ScoreAt> columns = by_score(grid, options);
  const bool any = std::any_of(columns.begin(), columns.end(), [&](const ScoreAt& c) {
    return !against_paper(grid, options, c.score).empty();
  });
  if (!any) return {};
  return {"Against the paper", {kPaperBold}, "", {paper_table(grid, options, columns)}};
}

}  // namespace mdgp::experiments
