#include "mdgp/baselines/train_forest.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>

#include "mdgp/baselines/forest.h"
#include "mdgp/baselines/grow_tree.h"
#include "mdgp/linalg/check.h"
#include "mdgp/linalg/parallel.h"
#include "mdgp/random/normal.h"

namespace mdgp {
namespace {

constexpr double kLeastNoise = 1e-6;

struct TaskData {
  Matrix x;                // [n, D]
  Matrix y;                // [n, outputs]: targets, or an indicator of each class
  std::vector<int> label;  // [n] of a task with classes
};

TaskData task_data(const ModelSpec& spec, const DataSet& data, std::size_t task) {
  std::vector<Index> rows;
  std::vector<double> targets;
  for (const Observation& o : data.observations) {
    if (o.task != static_cast<int>(task)) continue;
    rows.push_back(o.row);
    targets.push_back(o.y);
  }
  if (rows.empty()) {
    refuse("train_forest", fmt::format("task {}", task), "never observed",
           "observed at least once");
  }
  const auto n = static_cast<Index>(rows.size());
  TaskData out{data.x(rows, Eigen::all), Matrix::Zero(n, forest_outputs(spec.tasks[task])), {}};
  for (Index i = 0; i < n; ++i) {
    const double y = targets[static_cast<std::size_t>(i)];
    if (spec.tasks[task].classes > 0) {
      out.label.push_back(static_cast<int>(y));
      out.y(i, out.label.back()) = 1.0;
    } else {
      out.y(i, 0) = y;
    }
  }
  return out;
}

struct TreeSeed {
  DrawKey key;
  std::uint64_t tree;
};

// How often each observation is in the bag.
std::vector<float> bootstrap(const TreeSeed& seed, Index n) {
  std::vector<float> weight(static_cast<std::size_t>(n), 0.0F);
  for (Index i = 0; i < n; ++i) {
    const double u = uniform(seed.key, seed.tree, static_cast<std::uint32_t>(i));
    weight[static_cast<std::size_t>(u * static_cast<double>(n))] += 1.0F;
  }
  return weight;
}

Index features_per_level(const TaskSpec& task, Index inputs) {
  const bool labels = task.classes > 0 || task.likelihood == "bernoulli";
  const Index count =
      labels ? static_cast<Index>(std::sqrt(static_cast<double>(inputs))) : inputs / 3;
  return std::max<Index>(count, 1);
}

// What the tree is grown on: the targets, or a random number for each class.
Vector grown_target(const TaskData& data, const TreeSeed& seed) {
  if (data.label.empty()) return data.y.col(0);
  DrawKey key = seed.key;
  key.step |= 1U << 31;  // apart from the bootstrap's
  Vector target(data.x.rows());
  for (Index i = 0; i < target.size(); ++i) {
    const int label = data.label[static_cast<std::size_t>(i)];
    target[i] = normal(key, seed.tree, static_cast<std::uint32_t>(label));
  }
  return target;
}

using FloatRows = std::vector<std::vector<float>>;

FloatRows float_rows(const Matrix& x) {
  FloatRows rows(static_cast<std::size_t>(x.rows()));
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) {
      rows[static_cast<std::size_t>(i)].push_back(tree_feature(x(i, j)));
    }
  }
  return rows;
}

struct GrownTree {
  Tree tree;
  Matrix value;              // [nodes, outputs]: as forest.h has it
  std::vector<bool> in_bag;  // [n]
};

// The mean of y in each leaf, in double precision.
Matrix leaf_means(const Tree& tree, const FloatRows& x, const Matrix& y,
                  const std::vector<float>& weight) {
  const auto nodes = static_cast<Index>(tree.value.size());
  Matrix value = Matrix::Zero(nodes, y.cols());
  Vector sum = Vector::Zero(nodes);
  for (std::size_t i = 0; i < weight.size(); ++i) {
    if (weight[i] == 0.0F) continue;
    const auto leaf = static_cast<Index>(leaf_of(tree, x[i]));
    value.row(leaf) += static_cast<double>(weight[i]) * y.row(static_cast<Index>(i));
    sum[leaf] += static_cast<double>(weight[i]);
  }
  for (Index i = 0; i < nodes; ++i) {
    const auto node = static_cast<std::size_t>(i);
    if (sum[i] > 0.0) value.row(i) /= sum[i];
    if (tree.feature[node] >= 0) value(i, 0) = tree.value[node];
  }
  return value;
}

std::vector<GrownTree> grow_forest(const TaskSpec& task, const TaskData& data,
                                   const FloatRows& rows, Index trees, const DrawKey& key) {
  std::vector<GrownTree> grown(static_cast<std::size_t>(trees));
  std::vector<std::unique_ptr<TreeGrower>> growers(static_cast<std::size_t>(num_threads()));
  parallel_for(trees, [&](Index t, int worker) {
    auto& grower = growers[static_cast<std::size_t>(worker)];
    if (!grower) grower = std::make_unique<TreeGrower>(data.x);
    const TreeSeed seed{key, static_cast<std::uint64_t>(t)};
    const std::vector<float> weight = bootstrap(seed, data.x.rows());
    GrowOptions options;
    options.features = features_per_level(task, data.x.cols());
    options.seed =
        static_cast<int>(uniform(key, seed.tree, 0xffffffffU) * std::numeric_limits<int>::max());
    GrownTree& tree = grown[static_cast<std::size_t>(t)];
    tree.tree = grower->grow(grown_target(data, seed), weight, options);
    tree.value = leaf_means(tree.tree, rows, data.y, weight);
    for (const float w : weight) tree.in_bag.push_back(w > 0.0F);
  });
  return grown;
}

// The mean squared error of each observation's mean over the trees that have not seen it. Where
// every tree has seen all (one observation, say), the targets' own variance, or 1.
double noise_variance(const TaskData& data, const FloatRows& rows,
                      const std::vector<GrownTree>& forest) {
  const Index n = data.x.rows();
  Vector squares = Vector::Constant(n, -1.0);  // -1: always in the bag
  parallel_for(n, [&](Index i, int) {
    const std::vector<float>& x = rows[static_cast<std::size_t>(i)];
    double sum = 0.0, count = 0.0;
    for (const GrownTree& tree : forest) {
      if (tree.in_bag[static_cast<std::size_t>(i)]) continue;
      sum += tree.value(static_cast<Index>(leaf_of(tree.tree, x)), 0);
      count += 1.0;
    }
    if (count > 0.0) squares[i] = std::pow(data.y(i, 0) - sum / count, 2);
  });
  double sum = 0.0, count = 0.0;
  for (const double square : squares) {
    if (square < 0.0) continue;
    sum += square;
    count += 1.0;
  }
  if (count > 0.0) return std::max(sum / count, kLeastNoise);
  const double spread = (data.y.array() - data.y.mean()).square().mean();
  return spread > 0.0 ? spread : 1.0;
}

Index count_nodes(const std::vector<GrownTree>& forest) {
  Index nodes = 0;
  for (const GrownTree& tree : forest) nodes += tree.value.rows();
  return nodes;
}

// Into the parameters of a task, one tree after the other.
void put_forest(const std::vector<GrownTree>& forest, std::size_t task, Parameters& parameters) {
  const auto part = [&](const char* name) {
    return parameters.view(fmt::format("task{}.forest.{}", task, name));
  };
  View root = part("root"), feature = part("feature"), left = part("left"), value = part("value");
  Index next = 0;
  for (std::size_t t = 0; t < forest.size(); ++t) {
    const Tree& tree = forest[t].tree;
    root(static_cast<Index>(t), 0) = static_cast<double>(next);
    for (std::size_t i = 0; i < tree.value.size(); ++i) {
      const Index node = next + static_cast<Index>(i);
      feature(node, 0) = tree.feature[i];
      left(node, 0) = tree.feature[i] < 0 ? 0.0 : static_cast<double>(next + tree.left[i]);
    }
    value.middleRows(next, forest[t].value.rows()) = forest[t].value;
    next += forest[t].value.rows();
  }
}

}  // namespace

FittedForest train_forest(const ModelSpec& spec, const DataSet& data,
                          const ForestOptions& options) {
  check_positive("train_forest", "trees", static_cast<double>(options.trees));
  check_size("train_forest", "columns of x", data.x.cols(), spec.inputs);
  FittedForest fitted{spec, {}};
  fitted.spec.forest = {options.trees, std::vector<Index>(spec.tasks.size(), 1)};
  const Model empty = make_forest_model(fitted.spec);  // refuses what it must
  for (const Observation& o : data.observations) {
    check_index("train_forest", "task", o.task, static_cast<Index>(spec.tasks.size()));
    check_index("train_forest", "row", o.row, data.x.rows());
    check_target("train_forest", empty.likelihoods[static_cast<std::size_t>(o.task)], o.y);
  }
  std::vector<std::vector<GrownTree>> forests;
  std::vector<double> noise;
  for (std::size_t t = 0; t < spec.tasks.size(); ++t) {
    const TaskData task = task_data(spec, data, t);
    const FloatRows rows = float_rows(task.x);
    forests.push_back(
        grow_forest(spec.tasks[t], task, rows, options.trees,
                    {options.seed, Purpose::bootstrap, static_cast<std::uint32_t>(t)}));
    fitted.spec.forest.nodes[t] = count_nodes(forests.back());
    const bool regression = spec.tasks[t].likelihood == "gaussian";
    noise.push_back(regression ? noise_variance(task, rows, forests.back()) : 0.0);
  }
  fitted.model = make_forest_model(fitted.spec);
  for (std::size_t t = 0; t < spec.tasks.size(); ++t) {
    put_forest(forests[t], t, fitted.model.parameters);
    if (noise[t] <= 0.0) continue;
    fitted.model.parameters.view(fitted.model.likelihoods[t].parameters[0])(0, 0) = noise[t];
  }
  return fitted;
}

}  // namespace mdgp
