// The floating-point operations that the mathematics of the bound needs, so that a rate can be
// stated that no waste improves. Triangles count as triangles, symmetric results as halves; a
// multiplication and an addition are two operations, an exponential or a square root is one. Not
// counted: what only our way of computing needs (the explicit inverse of L, zeros inside panels),
// copies and sums over lanes.
#pragma once

#include <vector>

#include "mdgp/models/model.h"

namespace mdgp::bench {

// observations: of each task, one task per row.
double bound_flops(const Model& model, const std::vector<Index>& observations, Index samples,
                   bool gradient);

}  // namespace mdgp::bench
