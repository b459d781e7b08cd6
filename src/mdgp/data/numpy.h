// Tables from NumPy: .npy (one array) and .npz (a zip archive of them).
#pragma once

#include <memory>

#include "mdgp/data/byte_stream.h"
#include "mdgp/data/table_source.h"

namespace mdgp {

// The columns are x0, x1, ..., or the fields of a structured array.
std::unique_ptr<TableReader::Source> open_npy(std::unique_ptr<ByteStream> stream);

// An array y of one dimension is the column y, an array X of two is the columns X0, X1, ... All
// must have equally many rows; single values are passed over.
std::unique_ptr<TableReader::Source> open_npz(std::unique_ptr<ByteStream> stream);

}  // namespace mdgp
