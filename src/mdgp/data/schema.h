// What the columns of a table mean to a model: which are inputs and how they become numbers, which
// tasks there are and what their targets are. Made from the training table, kept in the model file,
// applied to every table after.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mdgp/data/read_table.h"
#include "mdgp/data/table.h"

namespace mdgp {

enum class TaskKind { regression, binary, classes, count };
std::string_view kind_name(TaskKind kind);  // "regression", "binary", "classes", "count"

// A column of numbers is one input, standardised. A column of text is one input per word, 0 or 1.
struct InputColumn {
  std::string name;
  bool text = false;
  std::vector<std::string> words;
  double mean = 0.0, deviation = 1.0;

  Index width() const { return text ? static_cast<Index>(words.size()) : 1; }
};

struct TaskColumn {
  std::string name;  // the column's (wide form), or the word in the task column (long form)
  TaskKind kind = TaskKind::regression;
  std::vector<std::string> labels;     // binary and classes: the word for 0, 1, …
  double mean = 0.0, deviation = 1.0;  // of training targets. Regression: they are standardised
  Index observed = 0;                  // training targets

  bool labelled() const { return kind == TaskKind::binary || kind == TaskKind::classes; }
};

struct Schema {
  bool wide = true;
  std::string task_column, target_column;  // long form
  std::vector<InputColumn> inputs;
  std::vector<TaskColumn> tasks;
  // Where the columns go through a linear map before the model sees them (data/reduce.h).
  std::string reduction = "none";
  Matrix projection{};  // [column_width(), components]; empty: none

  Index column_width() const;                  // numbers that the columns become
  Index input_width() const;                   // D: those that the model sees
  Matrix reduce(const Matrix& columns) const;  // [n, column_width()] to [n, input_width()]
  int find_task(std::string_view) const;       // -1 where there is none
};

// What the user said of the columns; see FitSettings.
struct ColumnRoles {
  std::string task, target, targets, inputs, types;
};

// The columns that a list of names, ranges ("x1:x9", in the table's order) and globs ("x*") means,
// in the table's order without repeats. Throws TableError naming the part that nothing matches and
// the nearest name.
std::vector<std::string> select_columns(std::string_view list, std::span<const std::string> names,
                                        std::string_view source, std::string_view option);

// How to read the training table, and the schema that it gives.
ColumnChoice training_columns(const ColumnRoles& roles, std::span<const std::string> names,
                              std::string_view source);
struct SchemaNotes {
  std::vector<std::string> left_out;  // columns of text that nobody named
  std::vector<std::string> constant;  // inputs that are the same in every row, left out too …
  bool all_constant = false;          // … but where all are
};
Schema make_schema(const Table& table, const ColumnRoles& roles, SchemaNotes* notes = nullptr);

}  // namespace mdgp
