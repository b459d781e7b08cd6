// Fewer inputs: a linear map of the columns of x [n, D] to K components, found on training rows.
// The columns are centred while the map is looked for, but the map itself has no offset: columns of
// numbers are standardised already.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "mdgp/data/schema.h"

namespace mdgp {

// The K directions of largest variance, orthonormal, in their order; the largest entry of each is
// positive. Directions without variance are zero. Throws std::invalid_argument where K is more than
// min(n, D).
Matrix pca_projection(const ConstView& x, Index components);

// Components that are sparse combinations of columns: with x centred, minimises
//   1/2 |x - U Vᵀ|² + alpha sum |V|,   U [n, K] with columns of norm at most 1, V [D, K]
// by online dictionary learning (Mairal, Bach, Ponce, Sapiro 2009) over batches of columns of x:
// lasso codes V of a batch, then one round over the dictionary U (their Algorithm 2). A column's
// old code is taken out of the sums A and B when it gets a new one (their section 3.4 on data of a
// fixed size), so that no step raises the objective.
struct SparsePcaOptions {
  double alpha = 1.0;
  double ridge = 0.01;  // of the regression of rows on V, which gives their components
  Index batch = 256;    // columns of x
  int epochs = 300;
  double tolerance = 1e-6;  // stops where an epoch lowers the objective by a smaller share
  std::uint64_t seed = 1;   // of the order of the columns
};

struct SparsePca {
  Matrix loadings;    // V [D, K], columns of norm 1, or 0 where a component has no use
  Matrix projection;  // [D, K] = V (VᵀV + ridge I)⁻¹
  double objective = 0.0;
  int epochs = 0;
};

// Throws std::invalid_argument where K is more than min(n, D) or an option is out of range.
SparsePca sparse_pca(const ConstView& x, Index components, const SparsePcaOptions& options);
Matrix sparse_pca_projection(const ConstView& x, Index components, const SparsePcaOptions& options);

// "none", "pca", "sparse-pca".
const std::vector<std::string_view>& reductions();

// Finds the map on the training rows x [n, columns], scales its components to unit variance on
// them, keeps it in the schema and puts the components in place of x. `components`: where not set,
// 20 or as many as there can be. Throws TableError where that is too many.
void reduce_inputs(std::string_view reduction, std::optional<Index> components, std::uint64_t seed,
                   Schema& schema, Matrix& x);

}  // namespace mdgp
