// Small grey images side by side, as SVG.
#pragma once

#include <string>
#include <vector>

#include "mdgp/linalg/matrix.h"

namespace mdgp {

struct GreyImage {
  std::string label;  // below it
  Matrix grey;        // [rows, cols]: 0 is black, 1 white; beyond is cut, NaN is black
};

// Every image `scale` times as large as its pixels, in 32 levels of grey. Empty for no image.
// Throws std::invalid_argument where an image is empty.
std::string to_svg(const std::vector<GreyImage>& images, int scale = 6);

}  // namespace mdgp
