// irf: an independent random forest per task (Breiman 2001), as a baseline. Its trees are plain
// matrices among the model's parameters, so that predicting needs nothing but them:
//
//   task0.forest.root     [trees, 1]        the first node of each tree
//   task0.forest.feature  [nodes, 1]        the input that a split looks at; -1: a leaf
//   task0.forest.left     [nodes, 1]        where a row with x < threshold goes on; the others go
//   on
//                                           at the next node. 0 in a leaf
//   task0.forest.value    [nodes, outputs]  of a leaf, the mean of y or the share of each class; of
//                                           a split, the threshold in the first column
//
// x is rounded to single precision before it is compared. The forest's answer m is the mean of its
// trees' leaves, and goes through the task's likelihood as f without variance:
//   regression  f = m; the noise is the mean squared error of rows out of the bag
//   binary      f = Φ⁻¹((trees m + 1) / (trees + 2))
//   classes     f_c = log((trees m_c + 1) / sum)
//   counts      f = log max(m, 1 / (2 trees))
// As if each class had had one vote more, so that nothing is said to be impossible.
#pragma once

#include "mdgp/models/model.h"
#include "mdgp/posterior/posterior.h"

namespace mdgp {

bool is_forest(std::string_view model);

// The outputs of a task's forest.
Index forest_outputs(const TaskSpec& task);

// Every tree a leaf of 0, where spec.forest.nodes has room. Throws std::invalid_argument where the
// specification does not fit.
Model make_forest_model(const ModelSpec& spec);

// Throws std::invalid_argument, one line that names the parameter, where the trees are not trees:
// a child that does not come after its parent or is beyond the end, a feature that there is not, a
// value that is not finite.
void check_forest(const ModelSpec& spec, const Model& model);

// The forest itself; it does not refer to the model. Checks it first.
LatentFunction forest_latent(const ModelSpec& spec, const Model& model);

}  // namespace mdgp
