#pragma once

#include <cstddef>

namespace mdgp {

// Two uniforms to two independent standard normals, in place; n is a multiple of 8, so that every
// element takes the same path through the vector units and gets the same bits wherever it stands.
void box_muller(std::ptrdiff_t n, double* a, double* b);

}  // namespace mdgp
