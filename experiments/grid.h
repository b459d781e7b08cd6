// The records of an experiment as a grid of rows (models) and sizes, and who is best in a column.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "record.h"

namespace mdgp::experiments {

// One score of one row at one size.
struct Cell {
  std::map<int, double> values;    // finite ones by their run
  int failed = 0;                  // runs without a finite value
  double mean = 0.0, error = 0.0;  // of the values; NaN where there are none, or one

  bool empty() const { return values.empty(); }
};

Cell make_cell(std::map<int, double> values, int failed);

struct GridRow {
  std::string label;  // the model, with the settings where there are several
  std::string model, settings;
};

class Grid {
 public:
  using Runs = std::map<int, const Record*>;

  // Rows of `order` come first, then others by name. The records must live as long as the grid.
  Grid(const std::vector<Record>& records, const std::vector<std::string>& order);

  const std::vector<GridRow>& rows() const { return rows_; }
  const std::vector<Index>& sizes() const { return sizes_; }
  int most_runs() const;

  const Runs& runs(std::size_t row, Index size) const;
  // A run without any score failed; one that lacks this score only was not measured.
  Cell cell(std::size_t row, Index size, const std::string& score) const;
  Cell seconds(std::size_t row, Index size) const;
  std::vector<Cell> column(Index size, const std::string& score) const;  // by row
  bool has(const std::string& score) const;                              // any finite value

 private:
  std::vector<GridRow> rows_;
  std::vector<Index> sizes_;
  std::map<std::pair<std::size_t, Index>, Runs> runs_;
};

inline constexpr std::size_t kFewestForTest = 6;  // two-sided 5 % cannot be reached below
inline constexpr double kLevel = 0.05;

struct Comparison {
  std::size_t runs = 0;     // that both have
  double difference = 0.0;  // mean of a - b over these; NaN where there is none
  double p = 0.0;           // NaN where there are too few for a test
};
Comparison compare(const Cell& a, const Cell& b);

// The row (of those given) whose mean is best on the runs that they have in common, or -1. A row
// that would leave less than half of the runs in common is not a candidate, unless only one were
// left. -1 also where no run is common.
int best_row(const std::vector<Cell>& column, const std::vector<std::size_t>& candidates,
             bool lower_is_better);

// The best row and those that a paired Wilcoxon test does not tell from it.
std::vector<bool> best_rows(const std::vector<Cell>& column, bool lower_is_better);
// Whether a row has too few runs in common with the best for a test.
bool has_untested(const std::vector<Cell>& column, bool lower_is_better);

double median(std::vector<double> values);  // NaN where there are none
std::vector<double> values_of(const Cell& cell);

}  // namespace mdgp::experiments
