// The safetensors format: eight bytes with the length of a JSON header, the header, and the
// numbers. Only 64-bit floats, which is what models are made of.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mdgp/io/atomic_file.h"
#include "mdgp/linalg/matrix.h"

namespace mdgp {

struct Tensor {
  std::vector<Index> shape;
  std::vector<double> values;  // row-major
};

struct TensorFile {
  std::map<std::string, std::string> metadata;
  std::map<std::string, Tensor> tensors;
};

std::string to_safetensors(const TensorFile& file);

// Throws FileError, one line that begins with `source`, where a length reaches beyond the bytes, a
// tensor overlaps another or leaves a gap, or the header is not what the format says.
TensorFile parse_safetensors(std::string_view bytes, std::string_view source);

}  // namespace mdgp
