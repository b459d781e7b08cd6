// The table that `mdgp fit` is given: read, understood, encoded, told about on standard output.
#pragma once

#include <string>

#include "mdgp/data/schema.h"
#include "mdgp/inference/minibatch.h"
#include "mdgp/io/options.h"

namespace mdgp::program {

struct Rows {
  Schema schema;
  std::string source;
  DataSet train, held_out;
};

// Rows with all inputs and some target. Throws TableError or FileError: one line with file, line
// and remedy.
Rows read_rows(const std::string& path, const FitSettings& settings);

}  // namespace mdgp::program
