// k-means for placing inducing inputs: k-means++ (Arthur and Vassilvitskii 2007), then Lloyd.
#pragma once

#include <cstdint>

#include "mdgp/linalg/matrix.h"

namespace mdgp {

// k centres [k, D] of the rows. Where there are fewer rows than centres, rows are used more than
// once, with a little noise so that no two centres coincide.
Matrix kmeans(const Matrix& rows, Index k, std::uint64_t seed, int iterations = 25);

// k of the rows drawn at random without replacement (again with a little noise beyond their
// number).
Matrix random_rows(const Matrix& rows, Index k, std::uint64_t seed);

}  // namespace mdgp
