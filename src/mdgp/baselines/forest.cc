#include "mdgp/baselines/forest.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "mdgp/baselines/grow_tree.h"
#include "mdgp/likelihoods/quadrature.h"
#include "mdgp/linalg/check.h"
#include "mdgp/linalg/parallel.h"

namespace mdgp {
namespace {

constexpr const char* kParts[] = {"root", "feature", "left", "value"};
constexpr Index kChunkRows = 64;

std::string part_name(std::size_t task, const char* part) {
  return fmt::format("task{}.forest.{}", task, part);
}

bool has_forest(std::string_view likelihood) {
  return likelihood == "gaussian" || likelihood == "bernoulli" || likelihood == "softmax" ||
         likelihood == "poisson";
}

void check_spec(const ModelSpec& spec) {
  constexpr const char* kHere = "make_forest_model";
  check_positive(kHere, "inputs", static_cast<double>(spec.inputs));
  check_positive(kHere, "number of tasks", static_cast<double>(spec.tasks.size()));
  check_positive(kHere, "trees", static_cast<double>(spec.forest.trees));
  check_size(kHere, "nodes", static_cast<Index>(spec.forest.nodes.size()),
             static_cast<Index>(spec.tasks.size()));
  for (const Index nodes : spec.forest.nodes) {
    if (nodes < 1 || nodes > std::numeric_limits<std::int32_t>::max()) {
      refuse(kHere, "nodes", fmt::format("{}", nodes), "from 1 to 2147483647");
    }
  }
  for (const TaskSpec& task : spec.tasks) {
    if (has_forest(task.likelihood)) continue;
    refuse(kHere, "likelihood", task.likelihood,
           "gaussian, bernoulli, softmax or poisson for a forest");
  }
}

// A whole number from least to most - 1, else the line that says which is not.
std::int32_t whole(const Model& model, int id, Index i, Index least, Index most) {
  const double value = model.parameters.view(id).data()[i];
  if (!(value >= static_cast<double>(least) && value < static_cast<double>(most) &&
        value == std::floor(value))) {
    refuse("forest", fmt::format("{}[{}]", model.parameters[id].name, i), fmt::format("{}", value),
           fmt::format("a whole number from {} to {}", least, most - 1));
  }
  return static_cast<std::int32_t>(value);
}

struct Node {
  std::int32_t feature;  // -1: a leaf
  std::int32_t next;     // of a split, its left child; of a leaf, its row among the leaves
  double threshold;
};

struct Forest {
  std::vector<std::int32_t> root;  // [trees]
  std::vector<Node> nodes;
  std::vector<double> leaves;  // [leaves, outputs], row by row
  Index outputs = 1;
};

// All that a file may have wrong is found here.
Forest take_forest(const ModelSpec& spec, const Model& model, std::size_t task) {
  const auto id = [&](const char* part) { return model.parameters.find(part_name(task, part)); };
  const int root = id("root"), feature = id("feature"), left = id("left"), value = id("value");
  const ConstView values = model.parameters.view(value);
  const Index nodes = values.rows();
  check_finite("forest", model.parameters[value].name, values);
  Forest forest;
  forest.outputs = values.cols();
  for (Index tree = 0; tree < spec.forest.trees; ++tree) {
    forest.root.push_back(whole(model, root, tree, 0, nodes));
  }
  std::int32_t leaves = 0;
  for (Index i = 0; i < nodes; ++i) {
    const std::int32_t f = whole(model, feature, i, -1, spec.inputs);
    if (f < 0) {
      whole(model, left, i, 0, 1);
      forest.nodes.push_back({f, leaves++, 0.0});
      for (const double v : values.row(i)) forest.leaves.push_back(v);
    } else {  // two children, after it and before the end
      forest.nodes.push_back({f, whole(model, left, i, i + 1, nodes - 1), values(i, 0)});
    }
  }
  return forest;
}

// The mean of the trees' leaves, [outputs].
void predict_means(const Forest& forest, const std::vector<float>& x, Vector& mean) {
  mean.setZero(forest.outputs);
  for (const std::int32_t root : forest.root) {
    const Node* node = &forest.nodes[static_cast<std::size_t>(root)];
    while (node->feature >= 0) {
      const double value = static_cast<double>(x[static_cast<std::size_t>(node->feature)]);
      node =
          &forest.nodes[static_cast<std::size_t>(node->next) + (value < node->threshold ? 0 : 1)];
    }
    const double* leaf = forest.leaves.data() + node->next * forest.outputs;
    for (Index k = 0; k < forest.outputs; ++k) mean[k] += leaf[k];
  }
  mean /= static_cast<double>(forest.root.size());
}

// The x with Φ(x) = p, by bisection; p is not extreme here.
double normal_quantile(double p) {
  double low = -10.0, high = 10.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (likelihoods::normal_cdf(middle) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// From the means of a row to its f.
void set_latent(std::string_view likelihood, double trees, Vector& mean) {
  if (likelihood == "bernoulli") {
    const double p = std::clamp(mean[0], 0.0, 1.0);
    mean[0] = normal_quantile((trees * p + 1.0) / (trees + 2.0));
  } else if (likelihood == "softmax") {
    mean = (trees * mean.array().max(0.0) + 1.0).matrix();
    mean = (mean.array() / mean.sum()).log().matrix();
  } else if (likelihood == "poisson") {
    mean[0] = std::log(std::max(mean[0], 0.5 / trees));
  }
}

}  // namespace

bool is_forest(std::string_view model) { return model == "irf"; }

Index forest_outputs(const TaskSpec& task) { return task.classes > 0 ? task.classes : 1; }

Model make_forest_model(const ModelSpec& spec) {
  check_spec(spec);
  Model model;
  model.cascade.inputs = spec.inputs;
  model.cascade.tasks = static_cast<Index>(spec.tasks.size());
  model.parameters.most = spec.most_parameters;
  for (std::size_t t = 0; t < spec.tasks.size(); ++t) {
    for (const char* part : kParts) {
      const std::string_view name = part;
      const Index rows = name == "root" ? spec.forest.trees : spec.forest.nodes[t];
      const Index cols = name == "value" ? forest_outputs(spec.tasks[t]) : 1;
      const int id = model.parameters.add(part_name(t, part), rows, cols, Constraint::none,
                                          name == "feature" ? -1.0 : 0.0);
      model.parameters.table[static_cast<std::size_t>(id)].trainable = false;
    }
  }
  add_likelihoods(spec.tasks, model);
  return model;
}

void check_forest(const ModelSpec& spec, const Model& model) {
  for (std::size_t t = 0; t < spec.tasks.size(); ++t) take_forest(spec, model, t);
}

LatentFunction forest_latent(const ModelSpec& spec, const Model& model) {
  auto forests = std::make_shared<std::vector<Forest>>();
  for (std::size_t t = 0; t < spec.tasks.size(); ++t) {
    forests->push_back(take_forest(spec, model, t));
  }
  return [forests, tasks = spec.tasks](const ConstView& x, int task, const PredictOptions&) {
    const Forest& forest = (*forests)[static_cast<std::size_t>(task)];
    const std::string_view likelihood = tasks[static_cast<std::size_t>(task)].likelihood;
    Mixture f{1, Matrix(x.rows(), forest.outputs), Matrix::Zero(x.rows(), forest.outputs)};
    parallel_for((x.rows() + kChunkRows - 1) / kChunkRows, [&](Index chunk, int) {
      Vector mean;
      std::vector<float> row(static_cast<std::size_t>(x.cols()));
      const Index end = std::min((chunk + 1) * kChunkRows, x.rows());
      for (Index i = chunk * kChunkRows; i < end; ++i) {
        for (Index j = 0; j < x.cols(); ++j) {
          row[static_cast<std::size_t>(j)] = tree_feature(x(i, j));
        }
        predict_means(forest, row, mean);
        set_latent(likelihood, static_cast<double>(forest.root.size()), mean);
        f.mean.row(i) = mean.transpose();
      }
    });
    return f;
  };
}

}  // namespace mdgp
