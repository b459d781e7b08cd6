// Targets of a task: what kind they are, and a cell as the number that the model sees.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "mdgp/data/schema.h"

namespace mdgp {

// A word that is a number, the whole of it.
std::optional<double> number_of(const std::string& word);

struct Moments1 {
  Index count = 0;
  double mean = 0.0, deviation = 0.0;  // of what is not NaN
};
Moments1 moments_of(std::span<const double> values);

// The cells of one task: those of a column or, in the long form, of the rows that name it.
class TargetCells {
 public:
  TargetCells(const Column& target, const Column* task, std::string_view name);

  // False where the row is another task's or its cell is missing.
  bool observed(Index row) const;
  std::optional<double> number(Index row) const;  // nothing where the cell is a word
  std::string word(Index row) const;

 private:
  const Column& target_;
  const Column* task_;
  std::int32_t code_ = -1;
  std::vector<std::optional<double>> word_number_;  // of each word of a text column
};

// Detects the kind unless it is given. Throws TableError where the targets do not allow it.
TaskColumn make_task(const Table& table, const Column& target, const Column* task_column,
                     const std::string& name, std::optional<TaskKind> kind);

// The target of an observed row in the model's units: standardised, a label's number, a count.
double target_value(const TaskColumn& task, const TargetCells& cells, const Table& table,
                    Index row);

}  // namespace mdgp
