// Digits and textures that are drawn by rule, for a machine without the files.
#pragma once

#include <cstdint>

#include "images.h"

namespace mdgp::experiments {

// 28 x 28, every digit in turn: strokes of its shape (some have several), bent, slanted, stretched
// and moved at random, in a pen of random width. `set` tells several sets of one seed apart.
LabelledImages draw_digits(Index count, std::uint32_t set, std::uint64_t seed);

// Smooth grey textures of several grains, in place of photographs.
Images draw_textures(Index count, Index rows, Index cols, std::uint64_t seed);

}  // namespace mdgp::experiments
