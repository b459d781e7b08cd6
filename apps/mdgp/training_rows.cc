#include "training_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "mdgp/data/encode.h"
#include "mdgp/data/reduce.h"
#include "mdgp/data/standardise.h"
#include "mdgp/random/order.h"

namespace mdgp::program {
namespace {

// The rows to be held out: the share, rounded, of those with a target.
std::vector<char> held_rows(const std::vector<char>& observed, double share, std::uint64_t seed) {
  std::vector<Index> rows;
  for (std::size_t r = 0; r < observed.size(); ++r) {
    if (observed[r] != 0) rows.push_back(static_cast<Index>(r));
  }
  rows = in_random_order({seed, Purpose::data, 7}, std::move(rows));
  rows.resize(static_cast<std::size_t>(std::lround(share * static_cast<double>(rows.size()))));
  std::vector<char> held(observed.size(), 0);
  for (const Index r : rows) held[at(r)] = 1;
  return held;
}

// Rows with a target, dealt to training and to what is held out.
void deal(const DataSet& all, double share, std::uint64_t seed, Rows& rows) {
  std::vector<Index> place(static_cast<std::size_t>(all.x.rows()), -1);
  std::vector<char> observed(place.size(), 0);
  for (const Observation& o : all.observations) observed[static_cast<std::size_t>(o.row)] = 1;
  const std::vector<char> held = held_rows(observed, share, seed);
  std::vector<Index> train, held_out;
  for (std::size_t r = 0; r < place.size(); ++r) {
    if (observed[r] == 0) continue;
    auto& list = held[r] != 0 ? held_out : train;
    place[r] = static_cast<Index>(list.size());
    list.push_back(static_cast<Index>(r));
  }
  rows.train = {all.x(train, Eigen::all), {}};
  rows.held_out = {all.x(held_out, Eigen::all), {}};
  for (const Observation& o : all.observations) {
    const auto r = static_cast<std::size_t>(o.row);
    (held[r] != 0 ? rows.held_out : rows.train).observations.push_back({place[r], o.task, o.y});
  }
}

void check_tasks(const Rows& rows) {
  std::set<int> trained;
  for (const Observation& o : rows.train.observations) trained.insert(o.task);
  for (std::size_t t = 0; t < rows.schema.tasks.size(); ++t) {
    if (trained.contains(static_cast<int>(t))) continue;
    throw TableError(fmt::format("{}: task '{}' has no row with all inputs to train on",
                                 rows.source, rows.schema.tasks[t].name));
  }
}

std::string describe_task(const TaskColumn& task) {
  const std::string labels =
      task.labelled() ? fmt::format(" ({} labels)", task.labels.size()) : std::string();
  return fmt::format("{} {}{}", task.name, kind_name(task.kind), labels);
}

void print_rows_of_tasks(const Schema& schema) {
  std::vector<std::string> tasks;
  for (const TaskColumn& task : schema.tasks) {
    if (tasks.size() == 8 && schema.tasks.size() > 9) {
      tasks.push_back(fmt::format("{} more", schema.tasks.size() - 8));
      break;
    }
    tasks.push_back(describe_task(task));
  }
  fmt::print("tasks     {}\n", fmt::join(tasks, ", "));
  const auto count = std::find_if(schema.tasks.begin(), schema.tasks.end(),
                                  [](const auto& task) { return task.kind == TaskKind::count; });
  if (count != schema.tasks.end()) {
    fmt::print(
        "          whole numbers from 0 are taken as counts; --types {}=classes, or =regression, "
        "where they are not\n",
        count->name);
  }
}

}  // namespace

Rows read_rows(const std::string& path, const FitSettings& s) {
  const ColumnRoles roles{s.task, s.target, s.targets, s.inputs, s.types};
  TableReader reader(path);
  const ColumnChoice choice = training_columns(roles, reader.names(), reader.source());
  const Table table = reader.next(std::numeric_limits<Index>::max(), choice);
  SchemaNotes notes;
  Rows rows{make_schema(table, roles, &notes), reader.source(), {}, {}};
  Encoded encoded = encode(rows.schema, table, Targets::required);
  deal(encoded.data, s.valid, s.seed, rows);
  if (s.valid > 0.0) {  // the model's units are those of what it is trained on
    standardise_by(rows.train, rows.schema);
    encoded = encode(rows.schema, table, Targets::required);
    deal(encoded.data, s.valid, s.seed, rows);
  }
  check_tasks(rows);
  reduce_inputs(s.reduce, s.components, s.seed, rows.schema, rows.train.x);
  rows.held_out.x = rows.schema.reduce(rows.held_out.x);
  if (s.valid > 0.0 && rows.held_out.x.rows() == 0) {
    throw TableError(fmt::format("--valid {}: none of {} rows is held out; give a larger share",
                                 s.valid, rows.train.x.rows()));
  }

  fmt::print("table     {}: {} rows, {} inputs, {} targets\n", rows.source, table.rows,
             rows.schema.column_width(), encoded.data.observations.size());
  print_rows_of_tasks(rows.schema);
  if (rows.schema.projection.size() > 0) {
    fmt::print("          inputs reduced to {} components ({})\n", rows.schema.input_width(),
               rows.schema.reduction);
  }
  if (const auto dropped = table.rows - encoded.data.x.rows(); dropped > 0) {
    fmt::print("          {} with an empty input {} left out\n",
               dropped == 1 ? "1 row" : fmt::format("{} rows", dropped),
               dropped == 1 ? "is" : "are");
  }
  if (!notes.left_out.empty()) {
    fmt::print("          text columns left out: {} (--inputs takes them in)\n",
               fmt::join(notes.left_out, ", "));
  }
  if (!notes.constant.empty()) {
    fmt::print("          the same in every row, left out: {}\n", fmt::join(notes.constant, ", "));
  }
  if (notes.all_constant) {
    fmt::print("          no input differs between rows, so that no prediction will\n");
  }
  if (rows.held_out.x.rows() > 0) {
    fmt::print("          {} rows held out\n", rows.held_out.x.rows());
  }
  return rows;
}

}  // namespace mdgp::program
