// Tables as numbers for a model, by its schema.
#pragma once

#include <vector>

#include "mdgp/data/schema.h"
#include "mdgp/inference/minibatch.h"

namespace mdgp {

// How to read a later table: the columns that the schema names. Throws TableError where an input is
// missing, naming it and the columns there are. Where `targets` is required, they must be there.
enum class Targets { unwanted, if_there, required };
ColumnChoice schema_columns(const Schema& schema, std::span<const std::string> names,
                            std::string_view source, Targets targets);

// Rows whose inputs are all there, and what was observed on them.
struct Encoded {
  DataSet data;            // x [complete rows, D]; targets in the model's units
  std::vector<Index> row;  // [complete rows] in the table
  std::vector<int> task;   // long form: [complete rows] the task of each
};

// Throws TableError where a cell does not fit the schema (a word or a task that was not there in
// training, a label that is unknown, a target that its kind does not allow).
Encoded encode(const Schema& schema, const Table& table, Targets targets);

}  // namespace mdgp
