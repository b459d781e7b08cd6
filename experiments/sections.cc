#include "sections.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mdgp::experiments {
namespace {

std::string size_name(const ReportOptions& options, Index size) {
  return fmt::format("{} = {}", options.size_label, size);
}

std::vector<std::string> size_header(const Grid& grid, const ReportOptions& options) {
  std::vector<std::string> header = {"model"};
  for (const Index size : grid.sizes()) header.push_back(size_name(options, size));
  return header;
}

std::string paper_note(const PaperFigure& figure) {
  return fmt::format("paper {}", mean_text(figure.mean, figure.error, 2));
}

std::string plural(std::size_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

TableCell score_cell(const Cell& cell, const ScoreColumn& score, int most_runs) {
  TableCell out{cell.empty() ? "–" : mean_text(cell.mean, cell.error, score.decimals)};
  std::vector<std::string> notes;
  const auto done = static_cast<int>(cell.values.size());
  if (!cell.empty() && done < most_runs) notes.push_back(plural(cell.values.size(), "run"));
  if (cell.failed > 0) notes.push_back(fmt::format("{} failed", cell.failed));
  if (!notes.empty()) out.notes = {fmt::format("{}", fmt::join(notes, ", "))};
  return out;
}

// Models of the paper that have no row here, in its order.
std::vector<std::string> paper_only(const Grid& grid, const ReportOptions& options,
                                    const std::vector<ScoreAt>& columns) {
  std::vector<std::string> models;
  for (const PaperFigure& f : options.paper) {
    const bool in_rows = std::any_of(grid.rows().begin(), grid.rows().end(),
                                     [&](const GridRow& row) { return row.model == f.model; });
    const bool here = std::any_of(columns.begin(), columns.end(), [&](const ScoreAt& c) {
      return c.score.name == f.score && c.size == f.size;
    });
    const bool known = std::find(models.begin(), models.end(), f.model) != models.end();
    if (here && !in_rows && !known) models.push_back(f.model);
  }
  return models;
}

void add_paper_note(const ReportOptions& options, const ScoreAt& column, const std::string& model,
                    TableCell& cell) {
  if (const auto figure = find_paper(options, column.score.name, model, column.size)) {
    cell.notes.push_back(paper_note(*figure));
  }
}

ReportTable score_table(const Grid& grid, const ReportOptions& options,
                        const std::vector<ScoreAt>& columns) {
  ReportTable table{{"model"}, {}};
  for (const GridRow& row : grid.rows()) table.rows.push_back({{row.label}});
  for (const ScoreAt& c : columns) {
    table.header.push_back(c.label);
    const std::vector<Cell> column = grid.column(c.size, c.score.name);
    const std::vector<bool> best = best_rows(column, c.score.lower_is_better);
    for (std::size_t row = 0; row < column.size(); ++row) {
      TableCell cell = score_cell(column[row], c.score, grid.most_runs());
      cell.bold = best[row];
      add_paper_note(options, c, grid.rows()[row].model, cell);
      table.rows[row].push_back(std::move(cell));
    }
  }
  for (const std::string& model : paper_only(grid, options, columns)) {
    table.rows.push_back({{model}});
    for (const ScoreAt& c : columns) {
      table.rows.back().emplace_back();
      add_paper_note(options, c, model, table.rows.back().back());
    }
  }
  return table;
}

std::string bold_means(const Grid& grid, const std::vector<ScoreAt>& columns) {
  if (grid.most_runs() < static_cast<int>(kFewestForTest)) {
    return "Bold: the best of the column. Fewer than six runs are too few for a test.";
  }
  const bool untested = std::any_of(columns.begin(), columns.end(), [&](const ScoreAt& c) {
    return has_untested(grid.column(c.size, c.score.name), c.score.lower_is_better);
  });
  return fmt::format(
      "Bold: the best of the column, and every model that a paired Wilcoxon signed-rank test on "
      "the "
      "same runs does not tell from it at 5 %.{}",
      untested
          ? " Those with fewer than six runs in common with it are too few for a test, and not "
            "bold."
          : "");
}

// Rows by sizes of a number that is not a score; rows and sizes without any are left out.
template <class Value>
ReportTable plain_table(const Grid& grid, const ReportOptions& options, const Value& value) {
  std::vector<std::vector<double>> values(grid.rows().size());
  std::vector<bool> used(grid.sizes().size(), false);
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t row = 0; row < values.size(); ++row) {
    for (std::size_t i = 0; i < used.size(); ++i) {
      const double v = value(row, grid.sizes()[i]);
      values[row].push_back(v);
      if (!std::isfinite(v)) continue;
      used[i] = true;
      smallest = std::min(smallest, v);
    }
  }
  ReportTable table{{"model"}, {}};
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) table.header.push_back(size_name(options, grid.sizes()[i]));
  }
  for (std::size_t row = 0; row < values.size(); ++row) {
    std::vector<TableCell> cells = {{grid.rows()[row].label}};
    bool any = false;
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (used[i]) cells.push_back({number(values[row][i], smallest < 0.95 ? 2 : 1)});
      any = any || std::isfinite(values[row][i]);
    }
    if (any) table.rows.push_back(std::move(cells));
  }
  return table;
}

void add_paper_times(const Grid& grid, const ReportOptions& options, ReportTable& table) {
  const bool any = std::any_of(options.paper.begin(), options.paper.end(),
                               [](const auto& f) { return f.score == "bound_ms" && f.size == 0; });
  if (!any) return;
  table.header.push_back(options.paper_times);
  for (auto& cells : table.rows) {
    const auto row = std::find_if(grid.rows().begin(), grid.rows().end(),
                                  [&](const GridRow& r) { return r.label == cells.front().text; });
    const auto figure = find_paper(options, "bound_ms", row->model, 0);
    cells.push_back({figure ? mean_text(figure->mean, figure->error, 2) : "–"});
  }
}

std::string all_seconds(const Grid& grid) {
  double sum = 0.0;
  std::size_t fits = 0;
  for (std::size_t row = 0; row < grid.rows().size(); ++row) {
    for (const Index size : grid.sizes()) {
      for (const double s : values_of(grid.seconds(row, size))) sum += s, ++fits;
    }
  }
  return fmt::format("All {} together: {} min.", plural(fits, "fit"), number(sum / 60.0, 1));
}

// "49.3 80.6 95.1", below it the differences from nominal, in per cent.
TableCell interval_cell(const Grid& grid, const ReportOptions& options, std::size_t row,
                        Index size) {
  std::vector<std::string> shares, differences;
  bool any = false, within = true;
  for (const IntervalColumn& interval : options.intervals) {
    const double share = grid.cell(row, size, interval.name).mean;
    const double difference = share - interval.nominal;
    shares.push_back(number(100.0 * share, 1));
    differences.push_back(signed_number(100.0 * difference, 1));
    any = any || std::isfinite(share);
    within = within && std::abs(difference) <= options.interval_tolerance;
  }
  if (!any) return {"–"};
  constexpr const char* kGap = "\u2002";  // a wide space, which HTML keeps
  return {fmt::format("{}", fmt::join(shares, kGap)),
          within,
          {fmt::format("{}", fmt::join(differences, kGap))}};
}

}  // namespace

const std::string& label_of(const ScoreColumn& score) {
  return score.label.empty() ? score.name : score.label;
}

std::optional<PaperFigure> find_paper(const ReportOptions& options, const std::string& score,
                                      const std::string& model, Index size) {
  for (const PaperFigure& f : options.paper) {
    if (f.score == score && f.model == model && f.size == size) return f;
  }
  return std::nullopt;
}

bool is_ours(const ReportOptions& options, const GridRow& row) {
  return std::find(options.ours.begin(), options.ours.end(), row.model) != options.ours.end();
}

std::vector<std::size_t> rows_of_ours(const Grid& grid, const ReportOptions& options, bool ours) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < grid.rows().size(); ++row) {
    if (is_ours(options, grid.rows()[row]) == ours) rows.push_back(row);
  }
  return rows;
}

std::vector<ScoreAt> by_size(const Grid& grid, const ReportOptions& options,
                             const ScoreColumn& score) {
  std::vector<ScoreAt> columns;
  for (const Index size : grid.sizes()) columns.push_back({score, size, size_name(options, size)});
  return columns;
}

std::vector<ScoreAt> by_score(const Grid& grid, const ReportOptions& options) {
  std::vector<ScoreAt> columns;
  for (const ScoreColumn& score : options.scores) {
    if (grid.has(score.name)) columns.push_back({score, grid.sizes().front(), label_of(score)});
  }
  return columns;
}

Section score_section(const Grid& grid, const ReportOptions& options, const ScoreColumn& score) {
  Section section{label_of(score)};
  if (!grid.has(score.name)) {
    section.paragraphs = {"No fit has this score yet."};
    return section;
  }
  const int runs = grid.most_runs();
  const std::vector<ScoreAt> columns = by_size(grid, options, score);
  section.paragraphs = {
      fmt::format("Mean{} over {}; {} is better. {}", runs > 1 ? " (standard error)" : "",
                  plural(static_cast<std::size_t>(runs), "run"),
                  score.lower_is_better ? "lower" : "higher", bold_means(grid, columns))};
  section.tables = {score_table(grid, options, columns)};
  return section;
}

Section scores_section(const Grid& grid, const ReportOptions& options) {
  const int runs = grid.most_runs();
  std::vector<std::string> lower;
  for (const ScoreColumn& score : options.scores) {
    if (score.lower_is_better) lower.push_back(label_of(score));
  }
  const std::vector<ScoreAt> columns = by_score(grid, options);
  Section section{"Scores"};
  section.paragraphs = {fmt::format(
      "{}. Mean{} over {}; higher is better{}. {}", size_name(options, grid.sizes().front()),
      runs > 1 ? " (standard error)" : "", plural(static_cast<std::size_t>(runs), "run"),
      lower.empty() ? "" : fmt::format(", except for {}", fmt::join(lower, ", ")),
      bold_means(grid, columns))};
  section.tables = {score_table(grid, options, columns)};
  return section;
}

Section time_section(const Grid& grid, const ReportOptions& options) {
  Section section{"Time"};
  section.paragraphs = {
      fmt::format("Seconds of one fit, the median over runs. {}", all_seconds(grid))};
  section.tables = {plain_table(grid, options, [&](std::size_t row, Index size) {
    return median(values_of(grid.seconds(row, size)));
  })};
  return section;
}

Section bound_section(const Grid& grid, const ReportOptions& options) {
  Section section{"Cost of one bound"};
  if (!grid.has("bound_ms")) return {};
  section.paragraphs = {"Milliseconds of one bound with its gradient, the median over runs."};
  section.tables = {plain_table(grid, options, [&](std::size_t row, Index size) {
    return median(values_of(grid.cell(row, size, "bound_ms")));
  })};
  add_paper_times(grid, options, section.tables.back());
  return section;
}

Section interval_section(const Grid& grid, const ReportOptions& options) {
  std::vector<std::string> levels;
  bool any = false;
  for (const IntervalColumn& interval : options.intervals) {
    levels.push_back(number(100.0 * interval.nominal, 0));
    any = any || grid.has(interval.name);
  }
  if (!any) return {};
  Section section{"Intervals"};
  section.paragraphs = {fmt::format(
      "Per cent of the test targets inside the central {} % predictive intervals, the mean over "
      "runs; below it the difference from nominal. Bold: all within {} points of nominal.",
      fmt::join(levels, ", "), number(100.0 * options.interval_tolerance, 0))};
  ReportTable table{size_header(grid, options), {}};
  for (std::size_t row = 0; row < grid.rows().size(); ++row) {
    table.rows.push_back({{grid.rows()[row].label}});
    for (const Index size : grid.sizes()) {
      table.rows.back().push_back(interval_cell(grid, options, row, size));
    }
  }
  section.tables = {std::move(table)};
  return section;
}

}  // namespace mdgp::experiments
