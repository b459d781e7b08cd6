// Points for means over a standard normal z of many dimensions, one per class.
//
// There are 1024, always the same: 512 points z and their mirror images -z, so that odd functions
// have mean 0 exactly. Each coordinate alone is an even sample of the normal, one point in each of
// 1024 strata of equal probability, scaled to variance 1 (a Latin hypercube: functions that are
// sums over the coordinates are integrated almost exactly). Which stratum of one coordinate meets
// which of another is a fixed shuffle.
#pragma once

#include "mdgp/linalg/matrix.h"

namespace mdgp::likelihoods {

inline constexpr Index cubature_size = 512;  // without the mirror images
using CubaturePoints = Eigen::Array<double, cubature_size, 1>;

// [cubature_size, dimensions], column-major. The calling thread's own, until its next call; made
// where more dimensions are asked for than ever before.
const double* cubature_points(Index dimensions);

}  // namespace mdgp::likelihoods
