#include "mdgp/baselines/grow_tree.h"

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "mdgp/linalg/check.h"

namespace mdgp {
namespace {

using Json = nlohmann::json;

void call(int outcome) {
  if (outcome == 0) return;
  std::string what = XGBGetLastError();
  what.resize(std::min(what.size(), what.find('\n')));
  throw NumericalError(fmt::format("XGBoost: {}", what));
}

// A matrix as XGBoost keeps it.
class DMatrix {
 public:
  explicit DMatrix(const std::vector<float>& row_major, Index rows, Index cols) {
    call(XGDMatrixCreateFromMat_omp(row_major.data(), static_cast<bst_ulong>(rows),
                                    static_cast<bst_ulong>(cols),
                                    std::numeric_limits<float>::quiet_NaN(), &handle_, 1));
  }
  ~DMatrix() { XGDMatrixFree(handle_); }
  DMatrix(const DMatrix&) = delete;
  DMatrix& operator=(const DMatrix&) = delete;
  DMatrixHandle handle() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

class Booster {
 public:
  explicit Booster(const DMatrix& rows) {
    const DMatrixHandle all[] = {rows.handle()};
    call(XGBoosterCreate(all, 1, &handle_));
  }
  ~Booster() { XGBoosterFree(handle_); }
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;
  BoosterHandle handle() const { return handle_; }

  void set(const char* name, const std::string& value) {
    call(XGBoosterSetParam(handle_, name, value.c_str()));
  }

 private:
  BoosterHandle handle_ = nullptr;
};

std::vector<float> row_major(const Matrix& x) {
  std::vector<float> out;
  out.reserve(static_cast<std::size_t>(x.size()));
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) out.push_back(tree_feature(x(i, j)));
  }
  return out;
}

// From XGBoost's arrays, breadth first.
Tree tree_from(const Json& json, double centre) {
  const auto left = json.at("left_children").get<std::vector<int>>();
  const auto right = json.at("right_children").get<std::vector<int>>();
  const auto feature = json.at("split_indices").get<std::vector<int>>();
  const auto value = json.at("split_conditions").get<std::vector<float>>();
  Tree tree;
  std::vector<std::size_t> nodes = {0};  // XGBoost's number of each of ours
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::size_t node = nodes[i];
    const bool leaf = left.at(node) < 0;
    tree.feature.push_back(leaf ? -1 : feature.at(node));
    tree.left.push_back(leaf ? 0 : static_cast<int>(nodes.size()));
    tree.value.push_back(static_cast<double>(value.at(node)) + (leaf ? centre : 0.0));
    if (leaf) continue;
    nodes.push_back(static_cast<std::size_t>(left[node]));
    nodes.push_back(static_cast<std::size_t>(right.at(node)));
  }
  return tree;
}

Tree take_tree(const Booster& booster, double centre) {
  bst_ulong length = 0;
  const char* bytes = nullptr;
  call(XGBoosterSaveModelToBuffer(booster.handle(), R"({"format": "json"})", &length, &bytes));
  const Json json = Json::parse(bytes, bytes + length);
  const Json& trees = json.at("learner").at("gradient_booster").at("model").at("trees");
  check_size("XGBoost", "trees", static_cast<Index>(trees.size()), 1);
  return tree_from(trees[0], centre);
}

Vector predict_own(const Booster& booster, const Matrix& x, double centre) {
  const DMatrix rows(row_major(x), x.rows(), x.cols());
  const char* how = R"({"type": 1, "training": false, "iteration_begin": 0, "iteration_end": 0, )"
                    R"("strict_shape": false})";
  const bst_ulong* shape = nullptr;
  bst_ulong dimensions = 0;
  const float* values = nullptr;
  call(XGBoosterPredictFromDMatrix(booster.handle(), rows.handle(), how, &shape, &dimensions,
                                   &values));
  Vector own(x.rows());
  for (Index i = 0; i < own.size(); ++i) own[i] = static_cast<double>(values[i]) + centre;
  return own;
}

void set_parameters(Booster& booster, Index inputs, const GrowOptions& options) {
  booster.set("booster", "gbtree");
  booster.set("verbosity", "0");
  booster.set("nthread", "1");
  booster.set("seed", fmt::format("{}", options.seed));
  booster.set("objective", "reg:squarederror");
  booster.set("base_score", "0");
  booster.set("learning_rate", "1");
  booster.set("reg_lambda", "0");
  booster.set("min_child_weight", "1");
  booster.set("max_depth", "100000");  // no limit
  // Exact, with features chosen anew on every level: choosing them in every node (tree_method hist)
  // takes twenty times as long where trees are this deep, as each node has a histogram.
  booster.set("tree_method", "exact");
  // It takes the whole part of share * inputs.
  booster.set("colsample_bynode",
              fmt::format("{}", std::min(1.0, (static_cast<double>(options.features) + 0.5) /
                                                  static_cast<double>(inputs))));
}

}  // namespace

std::size_t leaf_of(const Tree& tree, const std::vector<float>& x) {
  std::size_t i = 0;
  while (tree.feature[i] >= 0) {
    const double value = static_cast<double>(x[static_cast<std::size_t>(tree.feature[i])]);
    i = static_cast<std::size_t>(tree.left[i]) + (value < tree.value[i] ? 0 : 1);
  }
  return i;
}

float tree_feature(double x) {
  constexpr double kMost = 1e38;  // so that the sum of two is finite
  return static_cast<float>(std::clamp(x, -kMost, kMost));
}

struct TreeGrower::Rows {
  Index count, inputs;
  DMatrix matrix;
};

TreeGrower::TreeGrower(const Matrix& x)
    : rows_(new Rows{x.rows(), x.cols(), DMatrix(row_major(x), x.rows(), x.cols())}) {}

TreeGrower::~TreeGrower() = default;

Tree TreeGrower::grow(const Vector& y, const std::vector<float>& weight, const GrowOptions& options,
                      const Matrix* at, Vector* own) {
  const auto n = static_cast<std::size_t>(rows_->count);
  check_size("TreeGrower", "y", y.size(), rows_->count);
  check_size("TreeGrower", "weight", static_cast<Index>(weight.size()), rows_->count);
  Booster booster(rows_->matrix);
  set_parameters(booster, rows_->inputs, options);
  const double centre = y.mean();
  std::vector<float> gradient(n), curvature = weight;
  for (std::size_t i = 0; i < n; ++i) {
    gradient[i] = weight[i] * static_cast<float>(centre - y[static_cast<Index>(i)]);
    // Leaves the row out: it does not count as a neighbour either.
    if (weight[i] == 0.0F) curvature[i] = -1.0F;
  }
  call(XGBoosterBoostOneIter(booster.handle(), rows_->matrix.handle(), gradient.data(),
                             curvature.data(), static_cast<bst_ulong>(n)));
  if (at != nullptr && own != nullptr) *own = predict_own(booster, *at, centre);
  return take_tree(booster, centre);
}

}  // namespace mdgp
