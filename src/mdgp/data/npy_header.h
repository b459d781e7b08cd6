// The header of a .npy file: a dictionary as Python writes it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "mdgp/data/array_source.h"

namespace mdgp {

struct NpyField {
  std::string name;  // empty where the array has no fields
  CellFormat format;
  std::size_t offset = 0;  // in an item
};

struct NpyHeader {
  std::vector<NpyField> fields;
  bool structured = false;    // an item is a record of named fields
  std::size_t item_size = 0;  // bytes, never 0
  bool fortran_order = false;
  std::vector<std::size_t> shape;
};

// Throws TableErrors that begin with the source.
NpyHeader parse_npy_header(std::string_view text, const std::string& source);

}  // namespace mdgp
