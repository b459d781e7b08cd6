// Tables from CSV.
#pragma once

#include <memory>

#include "mdgp/data/byte_stream.h"
#include "mdgp/data/table_source.h"

namespace mdgp {

std::unique_ptr<TableReader::Source> open_csv(std::unique_ptr<ByteStream> stream);

}  // namespace mdgp
