// Tables from MATLAB's .mat, level 5 (versions 6 and 7).
#pragma once

#include <memory>

#include "mdgp/data/byte_stream.h"
#include "mdgp/data/table_source.h"

namespace mdgp {

// Variables give columns: a vector y the column y, a matrix X the columns X0, X1, ..., a char
// matrix or a cell array of strings one column of text. A row vector counts as a column where its
// length says so. Other variables (structs, sparse, complex, more dimensions) are passed over.
std::unique_ptr<TableReader::Source> open_matlab(std::unique_ptr<ByteStream> stream);

}  // namespace mdgp
