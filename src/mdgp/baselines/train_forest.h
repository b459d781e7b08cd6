// Training of forests (forest.h): every tree on a bootstrap sample of its task's observations,
// grown by XGBoost (grow_tree.h) until its leaves are pure. A level of a tree looks at √D of the D
// inputs, for regression and counts at a third of them.
//
// XGBoost 1.7 has no trees with several outputs. A tree of a task with classes is grown on a random
// normal number for each class, drawn anew for every tree (Joly, Geurts and Wehenkel 2014, "Random
// forests with random projections of the output space"): its leaves are pure where those of the
// usual tree are, and its splits as good on average over the trees. A tree for each class against
// the others takes longer and is further from the usual forest: of scikit-learn's digits 96.3 % are
// right instead of 97.0, and 96.9 with its own forest (experiments/forest_check.py).
//
// The samples are ours, so that the observations that a tree has not seen are known: their error
// under the trees that have not seen them is the noise of a regression task.
#pragma once

#include <cstdint>

#include "mdgp/inference/minibatch.h"
#include "mdgp/models/model.h"

namespace mdgp {

struct ForestOptions {
  Index trees = 500;
  std::uint64_t seed = 1;
};

struct FittedForest {
  ModelSpec spec;  // with its forest
  Model model;
};

// spec: model, inputs and tasks. The same seed gives the same bits with any number of threads.
FittedForest train_forest(const ModelSpec& spec, const DataSet& data,
                          const ForestOptions& options = {});

}  // namespace mdgp
