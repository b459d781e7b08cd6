// Mean functions x · W of inner processes, W [inputs, width] fixed.
#pragma once

#include "mdgp/linalg/matrix.h"

namespace mdgp {

// Output p is input p; outputs beyond the inputs have zero mean.
Matrix identity_mean(Index inputs, Index width);

// The `width` leading principal directions of the rows about their mean, each with its largest
// element positive. Identity where width >= inputs.
Matrix pca_mean(const Matrix& rows, Index width);

}  // namespace mdgp
