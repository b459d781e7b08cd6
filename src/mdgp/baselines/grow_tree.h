// Regression trees, grown by XGBoost and taken out of it. The only file that knows XGBoost is
// grow_tree.cc.
//
// XGBoost is told the gradient -w (y - c) and the curvature w of the squared error at c, the mean
// of y; without penalties and shrinkage the best leaf is then the weighted mean of its rows' y - c,
// and the gain of a split the drop of the weighted sum of squares. Of a column of zeros and ones
// that is n/2 times the drop of the Gini impurity: the tree of a classification forest. With
// weights that are counts of a bootstrap sample, the rows that are out of the bag are known
// (train_forest.cc).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mdgp/linalg/matrix.h"

namespace mdgp {

// Node 0 is the root; the children of a node come after it, side by side.
struct Tree {
  std::vector<int> feature;   // -1: a leaf
  std::vector<int> left;      // of a split; its right child is the next node. 0: a leaf
  std::vector<double> value;  // the threshold of a split, the value of a leaf
};

// The leaf of a row.
std::size_t leaf_of(const Tree& tree, const std::vector<float>& x);

// What trees compare: XGBoost's features are floats, and none may be infinite.
float tree_feature(double x);

struct GrowOptions {
  Index features = 1;  // looked at on a level of the tree, chosen at random
  int seed = 0;
};

// Grows trees on one set of rows. Not to be shared between threads, but several may work at once.
class TreeGrower {
 public:
  explicit TreeGrower(const Matrix& x);  // [n, D]
  ~TreeGrower();
  TreeGrower(const TreeGrower&) = delete;
  TreeGrower& operator=(const TreeGrower&) = delete;

  // A tree for y [n], grown until its leaves are pure or have one row. Rows of weight 0 are not
  // seen. `own`, where wanted, becomes XGBoost's own prediction for the rows of `at`: what tests
  // compare the tree with.
  Tree grow(const Vector& y, const std::vector<float>& weight, const GrowOptions& options,
            const Matrix* at = nullptr, Vector* own = nullptr);

 private:
  struct Rows;
  std::unique_ptr<Rows> rows_;
};

}  // namespace mdgp
