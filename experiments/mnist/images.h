// Grey images in bytes, as MNIST has them.
#pragma once

#include <cstdint>
#include <vector>

#include "mdgp/linalg/matrix.h"

namespace mdgp::experiments {

constexpr Index kSide = 28, kPixels = kSide * kSide;
constexpr int kDigits = 10;

using Pixel = std::uint8_t;

// Images of one size, one after the other, each row by row.
struct Images {
  Index count = 0, rows = 0, cols = 0;
  std::vector<Pixel> pixels;

  Index size() const { return rows * cols; }  // of one image
  const Pixel* image(Index i) const { return pixels.data() + i * size(); }
};

struct LabelledImages {
  Images images;
  std::vector<int> labels;  // 0 … 9

  Index count() const { return images.count; }
};

}  // namespace mdgp::experiments
