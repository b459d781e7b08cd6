#include "mdgp/data/encode.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "mdgp/data/near_name.h"
#include "mdgp/data/table_source.h"
#include "mdgp/data/targets.h"

namespace mdgp {
namespace {

bool contains(std::span<const std::string> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr double kFar = 1e100;  // standard deviations, whose squares still are numbers

bool missing(const Column& column, Index row) {
  return column.text ? column.code[at(row)] < 0 : std::isnan(column.numbers[at(row)]);
}

// For each word of the table's column its place among the schema's words.
std::vector<Index> word_places(const InputColumn& input, const Column& column, const Table& table) {
  std::vector<Index> places;
  for (std::size_t w = 0; w < column.words.size(); ++w) {
    const auto found = std::lower_bound(input.words.begin(), input.words.end(), column.words[w]);
    if (found == input.words.end() || *found != column.words[w]) {
      const auto row =
          std::find(column.code.begin(), column.code.end(), static_cast<std::int32_t>(w));
      throw TableError(fmt::format("{}, column '{}': '{}' was not there in training{}",
                                   table.where(row - column.code.begin()), input.name,
                                   printable(column.words[w]),
                                   did_you_mean(column.words[w], input.words)));
    }
    places.push_back(found - input.words.begin());
  }
  return places;
}

void encode_input(const InputColumn& input, const Column& column, const Table& table,
                  const std::vector<Index>& rows, Index first, Matrix& x) {
  if (!input.text) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double value = column.numbers[at(rows[i])];
      const double scaled = (value - input.mean) / input.deviation;
      if (!(std::abs(scaled) < kFar)) {
        throw TableError(fmt::format("{}, column '{}': {} is too far from the numbers in training",
                                     table.where(rows[i]), input.name, shortest(value)));
      }
      x(static_cast<Index>(i), first) = scaled;
    }
    return;
  }
  const std::vector<Index> places = word_places(input, column, table);
  x.middleCols(first, input.width()).setZero();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    x(static_cast<Index>(i), first + places[at(column.code[at(rows[i])])]) = 1.0;
  }
}

// The task of every row in the long form.
std::vector<int> row_tasks(const Schema& schema, const Table& table,
                           const std::vector<Index>& rows) {
  const Column& column = *table.find(schema.task_column);
  std::vector<int> tasks;
  for (const Index row : rows) {
    const std::string& name = column.words[at(column.code[at(row)])];
    tasks.push_back(schema.find_task(name));
    if (tasks.back() >= 0) continue;
    std::vector<std::string> known;
    for (const TaskColumn& task : schema.tasks) known.push_back(task.name);
    throw TableError(fmt::format("{}, column '{}': the model has no task '{}'{}", table.where(row),
                                 schema.task_column, printable(name), did_you_mean(name, known)));
  }
  return tasks;
}

void add_observations(const Schema& schema, const Table& table, Encoded& encoded) {
  const Column* task_column = schema.wide ? nullptr : table.find(schema.task_column);
  for (std::size_t t = 0; t < schema.tasks.size(); ++t) {
    const TaskColumn& task = schema.tasks[t];
    const Column* target = table.find(schema.wide ? task.name : schema.target_column);
    if (target == nullptr) continue;
    const TargetCells cells(*target, task_column, task.name);
    for (std::size_t i = 0; i < encoded.row.size(); ++i) {
      const Index row = encoded.row[i];
      if (!cells.observed(row)) continue;
      encoded.data.observations.push_back(
          {static_cast<Index>(i), static_cast<int>(t), target_value(task, cells, table, row)});
    }
  }
}

}  // namespace

ColumnChoice schema_columns(const Schema& schema, std::span<const std::string> names,
                            std::string_view source, Targets targets) {
  std::vector<std::string> numbers, texts, detect;
  for (const InputColumn& input : schema.inputs) {
    if (!contains(names, input.name)) {
      throw TableError(fmt::format("{}: the model's input '{}' is missing{}", source, input.name,
                                   did_you_mean(input.name, names)));
    }
    (input.text ? texts : numbers).push_back(input.name);
  }
  if (!schema.wide) {
    if (!contains(names, schema.task_column)) {
      throw TableError(fmt::format("{}: the task column '{}' is missing{}", source,
                                   schema.task_column, did_you_mean(schema.task_column, names)));
    }
    texts.push_back(schema.task_column);
    if (targets != Targets::unwanted) detect.push_back(schema.target_column);
  } else if (targets != Targets::unwanted) {
    for (const TaskColumn& task : schema.tasks) detect.push_back(task.name);
  }
  const bool any = std::any_of(detect.begin(), detect.end(),
                               [&](const std::string& name) { return contains(names, name); });
  if (targets == Targets::required && !any) {
    throw TableError(fmt::format("{}: no target is there ({})", source, fmt::join(detect, ", ")));
  }
  return [=](std::string_view name) {
    if (contains(numbers, name)) return ColumnKind::number;
    if (contains(texts, name)) return ColumnKind::text;
    return contains(detect, name) ? ColumnKind::detect : ColumnKind::skip;
  };
}

Encoded encode(const Schema& schema, const Table& table, Targets targets) {
  std::vector<const Column*> columns;
  for (const InputColumn& input : schema.inputs) columns.push_back(table.find(input.name));
  if (!schema.wide) columns.push_back(table.find(schema.task_column));
  Encoded encoded;
  for (Index r = 0; r < table.rows; ++r) {
    if (std::none_of(columns.begin(), columns.end(),
                     [r](const Column* column) { return missing(*column, r); })) {
      encoded.row.push_back(r);
    }
  }
  encoded.data.x.resize(static_cast<Index>(encoded.row.size()), schema.column_width());
  Index first = 0;
  for (std::size_t i = 0; i < schema.inputs.size(); ++i) {
    encode_input(schema.inputs[i], *columns[i], table, encoded.row, first, encoded.data.x);
    first += schema.inputs[i].width();
  }
  if (schema.projection.size() > 0) encoded.data.x = schema.reduce(encoded.data.x);
  if (!schema.wide) encoded.task = row_tasks(schema, table, encoded.row);
  if (targets != Targets::unwanted) add_observations(schema, table, encoded);
  return encoded;
}

}  // namespace mdgp
