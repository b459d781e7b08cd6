#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands.h"
#include "mdgp/baselines/baseline.h"
#include "mdgp/data/encode.h"
#include "mdgp/io/model_file.h"
#include "mdgp/linalg/parallel.h"
#include "output.h"

namespace mdgp::program {
namespace {

// A cell of CSV, quoted where it must be.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

// The columns that one task fills. In the wide form every task has its own, with its name before
// them; in the long form all tasks share one set.
struct Columns {
  std::vector<std::string> names;  // mean, sd, q0.05, label, p_yes, log_density
  std::size_t find(const std::string& name) const {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }
};

void add(Columns& columns, const std::string& name) {
  if (columns.find(name) == columns.names.size()) columns.names.push_back(name);
}

void add_task(const TaskColumn& task, const std::vector<double>& levels, Columns& columns) {
  if (task.labelled()) {
    add(columns, "label");
    for (const std::string& label : task.labels) add(columns, fmt::format("p_{}", label));
    return;
  }
  add(columns, "mean");
  add(columns, "sd");
  for (const double level : levels) add(columns, fmt::format("q{}", level));
}

using Cells = std::vector<std::string>;

class Predictor {
 public:
  Predictor(const FittedModel& fitted, const PredictOptions& options, bool targets)
      : schema_(fitted.schema),
        posterior_(make_posterior(fitted.spec, fitted.model)),
        options_(options),
        targets_(targets) {
    for (const TaskColumn& task : schema_.tasks) {
      if (schema_.wide || columns_.empty()) columns_.emplace_back();
      add_task(task, options_.quantiles, columns_.back());
    }
    if (targets_) {
      for (Columns& columns : columns_) add(columns, "log_density");
    }
  }

  std::string header() const {
    std::string line = "row";
    if (!schema_.wide) line.append(",").append(quoted(schema_.task_column));
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      for (const std::string& name : columns_[c].names) {
        line += ',';
        line += quoted(schema_.wide ? fmt::format("{}_{}", schema_.tasks[c].name, name) : name);
      }
    }
    return line + '\n';
  }

  // The lines of a piece of the table whose first row has that number.
  std::string lines(const Table& table, Index first_row) {
    const Encoded encoded =
        encode(schema_, table, targets_ ? Targets::if_there : Targets::unwanted);
    std::size_t width = 0;
    for (const Columns& columns : columns_) width += columns.names.size();
    std::vector<Cells> cells(static_cast<std::size_t>(table.rows), Cells(width));
    std::size_t first_column = 0;
    for (std::size_t t = 0; t < schema_.tasks.size(); ++t) {
      fill(encoded, t, first_row, first_column, cells);
      if (schema_.wide) first_column += columns_[t].names.size();
    }
    incomplete_ += table.rows - static_cast<Index>(encoded.row.size());
    return join(table, first_row, cells);
  }

  Index incomplete() const { return incomplete_; }

 private:
  // Rows of the task, in one batch; in the long form only those that name it.
  void fill(const Encoded& encoded, std::size_t t, Index first_row, std::size_t first_column,
            std::vector<Cells>& cells) const {
    std::vector<Index> rows;
    for (std::size_t i = 0; i < encoded.row.size(); ++i) {
      if (schema_.wide || encoded.task[i] == static_cast<int>(t))
        rows.push_back(static_cast<Index>(i));
    }
    if (rows.empty()) return;
    const int task = static_cast<int>(t);
    const TaskColumn& column = schema_.tasks[t];
    const Columns& columns = schema_.wide ? columns_[t] : columns_.front();
    const auto cell = [&](std::size_t i, const std::string& name) -> std::string& {
      const auto row = static_cast<std::size_t>(encoded.row[static_cast<std::size_t>(rows[i])]);
      return cells[row][first_column + columns.find(name)];
    };
    mdgp::PredictOptions how{options_.samples, options_.seed};
    for (const Index i : rows) {
      how.rows.push_back(static_cast<std::uint64_t>(first_row + encoded.row[at(i)]));
    }
    const Matrix x = encoded.data.x(rows, Eigen::all);
    const Mixture f = posterior_.latent(view_of(x), task, how);
    const Prediction p = posterior_.predict(f, task);
    if (column.labelled()) {
      fill_labels(column, p, rows.size(), cell);
    } else {
      fill_numbers(column, task, f, p, rows.size(), cell);
    }
    if (targets_) fill_density(encoded, rows, task, f, cell);
  }

  template <class Cell>
  void fill_labels(const TaskColumn& column, const Prediction& p, std::size_t rows,
                   Cell cell) const {
    const bool binary = column.kind == TaskKind::binary;
    for (std::size_t i = 0; i < rows; ++i) {
      const auto r = static_cast<Index>(i);
      std::vector<double> probability;
      for (Index k = 0; k < static_cast<Index>(column.labels.size()); ++k) {
        probability.push_back(!binary ? p.mean(r, k) : k == 1 ? p.mean(r, 0) : 1.0 - p.mean(r, 0));
      }
      const auto best = std::max_element(probability.begin(), probability.end());
      cell(i, "label") =
          quoted(column.labels[static_cast<std::size_t>(best - probability.begin())]);
      for (std::size_t k = 0; k < probability.size(); ++k) {
        cell(i, fmt::format("p_{}", column.labels[k])) = shortest(probability[k]);
      }
    }
  }

  template <class Cell>
  void fill_numbers(const TaskColumn& column, int task, const Mixture& f, const Prediction& p,
                    std::size_t rows, Cell cell) const {
    const bool scaled = column.kind == TaskKind::regression;
    const double shift = scaled ? column.mean : 0.0, scale = scaled ? column.deviation : 1.0;
    const std::vector<double>& levels = options_.quantiles;
    const Matrix q = levels.empty() ? Matrix() : posterior_.quantiles(f, task, levels);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto r = static_cast<Index>(i);
      cell(i, "mean") = shortest(shift + scale * p.mean(r, 0));
      cell(i, "sd") = shortest(scale * std::sqrt(p.variance(r, 0)));
      for (std::size_t l = 0; l < levels.size(); ++l) {
        cell(i, fmt::format("q{}", levels[l])) =
            shortest(shift + scale * q(r, static_cast<Index>(l)));
      }
    }
  }

  template <class Cell>
  void fill_density(const Encoded& encoded, const std::vector<Index>& rows, int task,
                    const Mixture& f, Cell cell) const {
    const TaskColumn& column = schema_.tasks[static_cast<std::size_t>(task)];
    std::vector<double> target(encoded.row.size(), std::nan(""));
    for (const Observation& o : encoded.data.observations) {
      if (o.task == task) target[static_cast<std::size_t>(o.row)] = o.y;
    }
    // q(f) of the rows that have a target, in their order.
    std::vector<std::size_t> observed;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!std::isnan(target[static_cast<std::size_t>(rows[i])])) observed.push_back(i);
    }
    if (observed.empty()) return;
    const Index n = static_cast<Index>(observed.size());
    Mixture g{f.samples, Matrix(n * f.samples, f.mean.cols()),
              Matrix(n * f.samples, f.mean.cols())};
    Vector y(n);
    for (Index i = 0; i < n; ++i) {
      const auto from = static_cast<Index>(observed[static_cast<std::size_t>(i)]);
      g.mean.middleRows(i * f.samples, f.samples) = f.mean.middleRows(from * f.samples, f.samples);
      g.variance.middleRows(i * f.samples, f.samples) =
          f.variance.middleRows(from * f.samples, f.samples);
      y[i] = target[static_cast<std::size_t>(rows[static_cast<std::size_t>(from)])];
    }
    const Vector density = posterior_.log_density(g, task, y);
    const double shift = column.kind == TaskKind::regression ? std::log(column.deviation) : 0.0;
    for (Index i = 0; i < n; ++i) {
      cell(observed[static_cast<std::size_t>(i)], "log_density") = shortest(density[i] - shift);
    }
  }

  std::string join(const Table& table, Index first_row, const std::vector<Cells>& cells) const {
    const Column* task = schema_.wide ? nullptr : table.find(schema_.task_column);
    std::string out;
    for (std::size_t r = 0; r < cells.size(); ++r) {
      out += fmt::format("{}", first_row + static_cast<Index>(r) + 1);
      if (task != nullptr) {
        out += ',';
        if (task->code[r] >= 0) out += quoted(task->words[static_cast<std::size_t>(task->code[r])]);
      }
      for (const std::string& cell : cells[r]) {
        out += ',';
        out += cell;
      }
      out += '\n';
    }
    return out;
  }

  const Schema& schema_;
  Posterior posterior_;
  const PredictOptions& options_;
  bool targets_;
  std::vector<Columns> columns_;
  Index incomplete_ = 0;
};

bool has_targets(const Schema& schema, const std::vector<std::string>& names) {
  const auto there = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (!schema.wide) return there(schema.target_column);
  return std::any_of(schema.tasks.begin(), schema.tasks.end(),
                     [&](const TaskColumn& task) { return there(task.name); });
}

}  // namespace

int predict(const PredictOptions& options) {
  if (options.threads > 0) set_num_threads(options.threads);
  const std::string out = options.out == "-" ? "" : options.out;  // standard output
  if (!out.empty()) {
    check_output(out, {{options.table, "the table"}, {options.model, "the model"}});
  }
  const FittedModel fitted = load_model(options.model);
  TableReader reader(options.table);
  const bool targets = has_targets(fitted.schema, reader.names());
  const ColumnChoice choice = schema_columns(fitted.schema, reader.names(), reader.source(),
                                             targets ? Targets::if_there : Targets::unwanted);
  Predictor predictor(fitted, options, targets);
  Output output(out);
  output.write(predictor.header());
  Index row = 0;
  while (true) {
    const Table table = reader.next(kPieceRows, choice);
    if (table.rows == 0) break;
    output.write(predictor.lines(table, row));
    row += table.rows;
  }
  output.close();
  if (predictor.incomplete() > 0) {
    const Index count = predictor.incomplete();
    fmt::print(stderr, "mdgp: {} with an empty input {} no prediction\n",
               count == 1 ? "1 row" : fmt::format("{} rows", count), count == 1 ? "has" : "have");
  }
  return 0;
}

}  // namespace mdgp::program
