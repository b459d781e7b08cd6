#include "grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

#include "mdgp/metrics/metrics.h"

namespace mdgp::experiments {
namespace {

std::vector<GridRow> make_rows(const std::vector<Record>& records,
                               const std::vector<std::string>& order) {
  const auto place = [&](const std::string& model) {
    return std::find(order.begin(), order.end(), model) - order.begin();
  };
  std::set<std::string> settings;
  std::set<std::tuple<std::ptrdiff_t, std::string, std::string>> keys;
  for (const Record& r : records) {
    settings.insert(r.settings);
    keys.emplace(place(r.model), r.model, r.settings);
  }
  std::vector<GridRow> rows;
  for (const auto& key : keys) {
    GridRow row{"", std::get<1>(key), std::get<2>(key)};
    row.label = settings.size() > 1 && !row.settings.empty()
                    ? fmt::format("{} [{}]", row.model, row.settings)
                    : row.model;
    rows.push_back(std::move(row));
  }
  return rows;
}

// The runs that all rows have.
std::vector<int> common_runs(const std::vector<Cell>& column,
                             const std::vector<std::size_t>& rows) {
  std::vector<int> common;
  if (rows.empty()) return common;
  for (const auto& each : column[rows.front()].values) {
    const int run = each.first;
    const bool all = std::all_of(rows.begin(), rows.end(),
                                 [&](std::size_t row) { return column[row].values.contains(run); });
    if (all) common.push_back(run);
  }
  return common;
}

// Until at least half of the most runs that one of them has are common to all.
std::vector<std::size_t> without_beginners(const std::vector<Cell>& column,
                                           std::vector<std::size_t> rows) {
  const auto fewer = [&](std::size_t a, std::size_t b) {
    return column[a].values.size() < column[b].values.size();
  };
  if (rows.empty()) return rows;
  const std::size_t most = column[*std::max_element(rows.begin(), rows.end(), fewer)].values.size();
  while (2 * common_runs(column, rows).size() < most) {
    rows.erase(std::min_element(rows.begin(), rows.end(), fewer));
  }
  return rows;
}

int best_of_all(const std::vector<Cell>& column, bool lower_is_better) {
  std::vector<std::size_t> all(column.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return best_row(column, all, lower_is_better);
}

double mean_on(const Cell& cell, const std::vector<int>& runs) {
  double sum = 0.0;
  for (const int run : runs) sum += cell.values.at(run);
  return sum / static_cast<double>(runs.size());
}

}  // namespace

std::vector<double> values_of(const Cell& cell) {
  std::vector<double> values;
  for (const auto& each : cell.values) values.push_back(each.second);
  return values;
}

Cell make_cell(std::map<int, double> values, int failed) {
  Cell cell{std::move(values), failed, kNan, kNan};
  if (cell.empty()) return cell;
  const MeanError m = mean_error(values_of(cell));
  cell.mean = m.mean;
  if (cell.values.size() > 1) cell.error = m.error;
  return cell;
}

Grid::Grid(const std::vector<Record>& records, const std::vector<std::string>& order)
    : rows_(make_rows(records, order)) {
  std::set<Index> sizes;
  for (const Record& record : records) {
    sizes.insert(record.size);
    const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const GridRow& r) {
      return r.model == record.model && r.settings == record.settings;
    });
    runs_[{static_cast<std::size_t>(row - rows_.begin()), record.size}][record.run] = &record;
  }
  sizes_.assign(sizes.begin(), sizes.end());
}

int Grid::most_runs() const {
  std::size_t most = 0;
  for (const auto& each : runs_) most = std::max(most, each.second.size());
  return static_cast<int>(most);
}

const Grid::Runs& Grid::runs(std::size_t row, Index size) const {
  static const Runs none;
  const auto found = runs_.find({row, size});
  return found == runs_.end() ? none : found->second;
}

Cell Grid::cell(std::size_t row, Index size, const std::string& score) const {
  std::map<int, double> values;
  int failed = 0;
  for (const auto& each : runs(row, size)) {
    const auto& scores = each.second->scores;
    const auto found = scores.find(score);
    if (found != scores.end() && std::isfinite(found->second)) {
      values[each.first] = found->second;
    } else if (found != scores.end() || scores.empty()) {
      ++failed;
    }
  }
  return make_cell(std::move(values), failed);
}

Cell Grid::seconds(std::size_t row, Index size) const {
  std::map<int, double> values;
  for (const auto& each : runs(row, size)) {
    const Record& record = *each.second;
    if (!record.scores.empty() && std::isfinite(record.seconds)) {
      values[each.first] = record.seconds;
    }
  }
  return make_cell(std::move(values), 0);
}

std::vector<Cell> Grid::column(Index size, const std::string& score) const {
  std::vector<Cell> cells;
  for (std::size_t row = 0; row < rows_.size(); ++row) cells.push_back(cell(row, size, score));
  return cells;
}

bool Grid::has(const std::string& score) const {
  return std::any_of(runs_.begin(), runs_.end(), [&](const auto& each) {
    return !cell(each.first.first, each.first.second, score).empty();
  });
}

Comparison compare(const Cell& a, const Cell& b) {
  std::vector<double> left, right;
  double sum = 0.0;
  for (const auto& each : a.values) {
    const auto other = b.values.find(each.first);
    if (other == b.values.end()) continue;
    left.push_back(each.second);
    right.push_back(other->second);
    sum += each.second - other->second;
  }
  Comparison out{left.size(), kNan, kNan};
  if (!left.empty()) out.difference = sum / static_cast<double>(left.size());
  if (left.size() >= kFewestForTest) out.p = wilcoxon(left, right);
  return out;
}

int best_row(const std::vector<Cell>& column, const std::vector<std::size_t>& candidates,
             bool lower_is_better) {
  std::vector<std::size_t> rows;
  for (const std::size_t row : candidates) {
    if (!column[row].empty()) rows.push_back(row);
  }
  if (const auto established = without_beginners(column, rows); established.size() > 1) {
    rows = established;
  }
  const std::vector<int> common = common_runs(column, rows);
  if (common.empty()) return -1;
  return static_cast<int>(
      *std::min_element(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
        const double left = mean_on(column[a], common), right = mean_on(column[b], common);
        return lower_is_better ? left < right : left > right;
      }));
}

std::vector<bool> best_rows(const std::vector<Cell>& column, bool lower_is_better) {
  const int best = best_of_all(column, lower_is_better);
  std::vector<bool> out(column.size(), false);
  if (best < 0) return out;
  for (std::size_t row = 0; row < column.size(); ++row) {
    const double p = compare(column[row], column[static_cast<std::size_t>(best)]).p;
    out[row] = static_cast<int>(row) == best || p >= kLevel;  // false where p is NaN
  }
  return out;
}

bool has_untested(const std::vector<Cell>& column, bool lower_is_better) {
  const int best = best_of_all(column, lower_is_better);
  return best >= 0 && std::any_of(column.begin(), column.end(), [&](const Cell& cell) {
           const Comparison c = compare(cell, column[static_cast<std::size_t>(best)]);
           return !cell.empty() && c.runs < kFewestForTest;
         });
}

double median(std::vector<double> values) {
  if (values.empty()) return kNan;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

}  // namespace mdgp::experiments
