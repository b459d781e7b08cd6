#include "report_json.h"

#include <nlohmann/json.hpp>

#include "figures.h"
#include "sections.h"
#include "summary.h"

namespace mdgp::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json cell_json(const Cell& cell) {
  return {{"mean", cell.mean},
          {"error", cell.error},
          {"runs", cell.values.size()},
          {"failed", cell.failed}};
}

Json key_of(const GridRow& row, Index size) {
  return {{"model", row.model}, {"settings", row.settings}, {"size", size}};
}

Json score_json(const Grid& grid, const ReportOptions& options, const ScoreColumn& score) {
  Json cells = Json::array();
  for (const Index size : grid.sizes()) {
    const std::vector<Cell> column = grid.column(size, score.name);
    const std::vector<bool> best = best_rows(column, score.lower_is_better);
    for (std::size_t row = 0; row < column.size(); ++row) {
      if (column[row].empty() && column[row].failed == 0) continue;
      Json cell = key_of(grid.rows()[row], size);
      cell.update(cell_json(column[row]));
      cell["best"] = static_cast<bool>(best[row]);
      if (const auto f = find_paper(options, score.name, grid.rows()[row].model, size)) {
        cell["paper"] = {{"mean", f->mean}, {"error", f->error}};
      }
      cells.push_back(std::move(cell));
    }
  }
  return cells;
}

Json row_name(const Grid& grid, int row) {
  return row < 0 ? Json() : Json(grid.rows()[static_cast<std::size_t>(row)].label);
}

Json summary_json(const Grid& grid, const ReportOptions& options, const ScoreColumn& score) {
  Json out = Json::array();
  for (const SummaryRow& row : summarise(grid, options, score)) {
    const bool compared = row.best >= 0 && row.other >= 0;
    out.push_back({{"size", row.size},
                   {"best", row_name(grid, row.best)},
                   {"best_other", row_name(grid, row.other)},
                   {"difference", compared ? Json(row.against_other.difference) : Json()},
                   {"p", compared ? Json(row.against_other.p) : Json()},
                   {"ahead_of_all", row.ahead},
                   {"largest_p", row.largest_p},
                   {"target", row.target},
                   {"target_met", std::isfinite(row.target) ? Json(row.met) : Json()}});
  }
  return out;
}

Json paper_json(const Grid& grid, const ReportOptions& options, const ScoreColumn& score) {
  Json out = Json::array();
  for (const PaperComparison& c : against_paper(grid, options, score)) {
    Json one = key_of(grid.rows()[c.row], c.size);
    one["difference"] = c.difference;
    one["beaten"] = c.beaten;
    out.push_back(std::move(one));
  }
  return out;
}

// Times, intervals and calibration, by row and size.
Json fits_json(const Grid& grid, const ReportOptions& options) {
  Json out = Json::array();
  for (std::size_t row = 0; row < grid.rows().size(); ++row) {
    for (const Index size : grid.sizes()) {
      if (grid.runs(row, size).empty()) continue;
      Json one = key_of(grid.rows()[row], size);
      one["seconds"] = median(values_of(grid.seconds(row, size)));
      one["bound_ms"] = median(values_of(grid.cell(row, size, "bound_ms")));
      for (const IntervalColumn& interval : options.intervals) {
        one[interval.name] = grid.cell(row, size, interval.name).mean;
      }
      one["calibration"] = mean_calibration(grid.runs(row, size));
      out.push_back(std::move(one));
    }
  }
  return out;
}

// Cells as they are shown, without their notes.
Json section_json(const Section& section) {
  Json out = {
      {"heading", section.heading}, {"paragraphs", section.paragraphs}, {"tables", Json::array()}};
  for (const ReportTable& table : section.tables) {
    Json rows = Json::array();
    for (const auto& row : table.rows) {
      Json cells = Json::array();
      for (const TableCell& cell : row) cells.push_back(cell.text);
      rows.push_back(std::move(cells));
    }
    out["tables"].push_back({{"header", table.header}, {"rows", std::move(rows)}});
  }
  return out;
}

}  // namespace

std::string report_json(const Grid& grid, const ReportOptions& options) {
  Json out = {{"title", options.title}, {"command", options.command}, {"notes", options.notes}};
  for (const ScoreColumn& score : options.scores) {
    out["scores"][score.name] = {{"lower_is_better", score.lower_is_better},
                                 {"cells", score_json(grid, options, score)},
                                 {"summary", summary_json(grid, options, score)},
                                 {"against_paper", paper_json(grid, options, score)}};
  }
  out["fits"] = fits_json(grid, options);
  for (const Section& section : options.more) out["more"].push_back(section_json(section));
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace mdgp::experiments
