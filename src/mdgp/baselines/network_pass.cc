// Rows through a network: its objective, with the gradient, and its predictions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "mdgp/baselines/network.h"
#include "mdgp/baselines/network_operations.h"
#include "mdgp/linalg/check.h"
#include "mdgp/linalg/parallel.h"
#include "mdgp/random/normal.h"

namespace mdgp {
namespace {

// A draw is named by seed, step, row and a column: 2^13 samples of 2 layers of 2^16 units.
constexpr Index kMaxLayers = 2, kMaxUnits = Index{1} << 16U;

constexpr Index kChunkPoints = 1024;

struct DenseVars {
  Var weights, bias;
  Var weights_variance, bias_variance;  // Bayesian only
};

DenseVars read_dense(Tape& tape, const Leaves& leaves, const Dense& dense) {
  const auto variance = [&](int log_deviation) {
    if (log_deviation < 0) return Var(no_view(), no_view());
    return exp_of_twice(tape, leaf(leaves, log_deviation));
  };
  return {leaf(leaves, dense.weights), leaf(leaves, dense.bias),
          variance(dense.weights_log_deviation), variance(dense.bias_log_deviation)};
}

struct NetworkVars {
  std::vector<DenseVars> hidden, heads;

  void read(Tape& tape, const Leaves& leaves, const Network& network) {
    hidden.clear();
    heads.clear();
    for (const Dense& dense : network.hidden) hidden.push_back(read_dense(tape, leaves, dense));
    for (const Dense& dense : network.heads) heads.push_back(read_dense(tape, leaves, dense));
  }
};

struct Draws {
  DrawKey key;
  const std::uint64_t* id;  // [rows]
  Index samples;
};

std::uint32_t first_column(Index layer, Index sample) {
  return static_cast<std::uint32_t>((sample * kMaxLayers + layer) * kMaxUnits);
}

// [points, units]: 0 where a unit is left out, else what keeps the sum as it is on average.
View dropout_mask(Tape& tape, const Draws& draws, double dropout, Index layer, Index points,
                  Index units) {
  View mask = tape.matrix(points, units);
  const double kept = 1.0 / (1.0 - dropout);
  for (Index j = 0; j < units; ++j) {
    double* to = column(mask, j);
    for (Index p = 0; p < points; ++p) {
      const std::uint32_t unit =
          first_column(layer, p % draws.samples) + static_cast<std::uint32_t>(j);
      to[p] = uniform(draws.key, draws.id[p / draws.samples], unit) < dropout ? 0.0 : kept;
    }
  }
  return mask;
}

// [points, units] standard normals.
View normal_noise(Tape& tape, const Draws& draws, Index layer, Index points, Index units) {
  auto* point = tape.array<DrawPoint>(points);
  for (Index p = 0; p < points; ++p) {
    point[p] = {draws.id[p / draws.samples], first_column(layer, p % draws.samples) / 2};
  }
  // Columns of the tape's matrices reach to a multiple of 8, as normal_pairs() wants.
  View noise = tape.matrix(points, units + units % 2);
  for (Index j = 0; j < units; j += 2) {
    normal_pairs(draws.key, point, points, static_cast<std::uint32_t>(j / 2), column(noise, j),
                 column(noise, j + 1));
  }
  return block(noise, 0, 0, points, units);
}

// The hidden layers from `layer` on; h [rows, inputs] at the first, [rows * samples, units] above.
Var run_hidden(Tape& tape, const Network& network, const NetworkVars& vars, const Draws& draws,
               Index layer, Var h) {
  if (layer == static_cast<Index>(vars.hidden.size())) return h;
  const DenseVars& dense = vars.hidden[at(layer)];
  const Index copies = layer == 0 ? draws.samples : 1;  // x is the same for all samples
  const Index points = h.rows() * copies, units = dense.weights.cols();
  const auto above = [&](Var next) {
    return run_hidden(tape, network, vars, draws, layer + 1, next);
  };
  Var mean = repeat_rows(tape, affine(tape, h, dense.weights, dense.bias), copies);
  if (network.bayesian) {
    Var variance = repeat_rows(
        tape, affine(tape, square(tape, h), dense.weights_variance, dense.bias_variance), copies);
    const View noise = normal_noise(tape, draws, layer, points, units);
    return above(relu(tape, sample_normal(tape, mean, variance, as_const(noise))));
  }
  Var active = relu(tape, mean);
  if (network.dropout == 0.0) return above(active);
  const View mask = dropout_mask(tape, draws, network.dropout, layer, points, units);
  return above(scale_elements(tape, active, as_const(mask)));
}

struct HeadMoments {
  Var mean, variance;  // [points, width of f]
};

HeadMoments run_head(Tape& tape, const DenseVars& head, bool bayesian, Var h) {
  Var mean = affine(tape, h, head.weights, head.bias);
  if (bayesian) {
    return {mean, affine(tape, square(tape, h), head.weights_variance, head.bias_variance)};
  }
  Var variance = tape.variable(mean.rows(), mean.cols());
  variance.value.setZero();
  return {mean, variance};
}

// f itself, with variance 0, in place of its moments. The bound of softmax by moments is loose
// where their variance is large: with it, two hidden layers lose three points on scikit-learn's
// digits (experiments/baselines_check.py).
HeadMoments sample_head(Tape& tape, const Draws& draws, std::size_t task, const Index* point,
                        HeadMoments f) {
  const Index points = f.mean.rows(), width = f.mean.cols();
  View noise = tape.matrix(points, width);
  for (Index p = 0; p < points; ++p) {
    const Index row = point[p] / draws.samples, sample = point[p] % draws.samples;
    // Beyond the hidden layers' columns. From 64 tasks or 1,024 classes on, some share their draws,
    // which leaves the expectation as it is.
    const std::uint32_t first = std::uint32_t{1} << 31U |
                                static_cast<std::uint32_t>(sample) << 16U |
                                static_cast<std::uint32_t>(task) << 10U;
    for (Index c = 0; c < width; ++c) {
      noise(p, c) = normal(draws.key, draws.id[row], first + static_cast<std::uint32_t>(c));
    }
  }
  Var sampled = sample_normal(tape, f.mean, f.variance, as_const(noise));
  Var zero = tape.variable(points, width);
  zero.value.setZero();
  return {sampled, zero};
}

// Without anything random one sample is all there is.
Index samples_of(const Network& network, Index wanted) {
  return network.bayesian || network.dropout > 0.0 ? wanted : 1;
}

class ObjectiveWork {
 public:
  ObjectiveWork(const ModelSpec& spec, const Model& model)
      : model_(model), network_(network_of(spec, model.parameters)) {}

  BoundValue evaluate(const Batch& batch, const BoundOptions& options, Vector* gradient) {
    check_batch("network_objective", model_, batch, options);
    if (gradient != nullptr) gradient->setZero(model_.parameters.size());
    const Leaves leaves{&model_.parameters, gradient != nullptr ? gradient->data() : nullptr, 0};
    tape_.clear();
    tape_.set_recording(leaves.recording());
    vars_.read(tape_, leaves, network_);
    sort_by_task(batch);
    BoundValue value;
    value.expected_log_likelihood = likelihoods(batch, options, leaves);
    tape_.reverse();
    value.kl = network_.bayesian ? kl_divergence(options.kl_weight, leaves)
                                 : penalty(scaled_observations(batch, options), options, leaves);
    value.bound = value.expected_log_likelihood - options.kl_weight * value.kl;
    if (!std::isfinite(value.bound)) {
      throw NumericalError(
          fmt::format("network_objective: it is {} (log-likelihood {}, KL or penalty {})",
                      value.bound, value.expected_log_likelihood, value.kl));
    }
    return value;
  }

 private:
  // by_task_: observations, those of task t from task_begin_[t] to task_begin_[t + 1].
  void sort_by_task(const Batch& batch) {
    const std::vector<Observation>& observations = *batch.observations;
    task_begin_.assign(model_.likelihoods.size() + 2, 0);
    for (const Observation& o : observations) ++task_begin_[at(o.task) + 2];
    for (std::size_t t = 2; t < task_begin_.size(); ++t) task_begin_[t] += task_begin_[t - 1];
    by_task_.resize(observations.size());
    for (std::size_t k = 0; k < observations.size(); ++k) {
      by_task_[at(task_begin_[at(observations[k].task) + 1]++)] = static_cast<Index>(k);
    }
  }

  double likelihoods(const Batch& batch, const BoundOptions& options, const Leaves& leaves) {
    const Index rows = batch.x.rows(), samples = samples_of(network_, options.samples);
    auto* id = tape_.array<std::uint64_t>(rows);
    for (Index i = 0; i < rows; ++i) {
      id[i] = batch.row_id != nullptr ? batch.row_id[i] : static_cast<std::uint64_t>(i);
    }
    const Draws draws{{options.noise.seed, Purpose::latent, options.noise.step}, id, samples};
    Var h = run_hidden(tape_, network_, vars_, draws, 0, constant(batch.x));
    double sum = 0.0;
    for (std::size_t t = 0; t < model_.likelihoods.size(); ++t) {
      const Index begin = task_begin_[t], points = (task_begin_[t + 1] - begin) * samples;
      if (points == 0) continue;
      auto* point = tape_.array<Index>(points);
      auto* y = tape_.array<double>(points);
      for (Index p = 0; p < points; ++p) {
        const Observation& o = (*batch.observations)[at(by_task_[at(begin + p / samples)])];
        point[p] = o.row * samples + p % samples;
        y[p] = o.y;
      }
      const Likelihood& likelihood = model_.likelihoods[t];
      const HeadMoments moments =
          run_head(tape_, vars_.heads[t], network_.bayesian, gather_rows(tape_, h, point, points));
      const HeadMoments f = network_.bayesian && likelihood.type->multiclass
                                ? sample_head(tape_, draws, t, point, moments)
                                : moments;
      sum += likelihood.type->expected_log_density(
          likelihood, leaves, y, as_const(f.mean.value), as_const(f.variance.value),
          likelihood_scale(batch, options, static_cast<int>(t)) / static_cast<double>(samples),
          f.mean.adjoint, f.variance.adjoint);
    }
    return sum;
  }

  // kl_weight times the sum over weights and biases of
  // KL[N(m, s²) || N(0, v)] = ((s² + m²) / v - 1 + log v) / 2 - log s.
  double kl_divergence(double outer, const Leaves& leaves) const {
    const double weight = outer * network_.kl_weight;
    double kl = 0.0;
    const auto add = [&](int mean, int log_deviation, const Var& variance, double v) {
      const auto m = leaves.value(mean).array();
      const auto log_s = leaves.value(log_deviation).array();
      const auto s2 = variance.value.array();
      kl += (0.5 * ((s2 + m.square()) / v - 1.0 + std::log(v)) - log_s).sum();
      if (!leaves.recording()) return;
      leaves.adjoint(mean).array() -= weight / v * m;
      leaves.adjoint(log_deviation).array() -= weight * (s2 / v - 1.0);
    };
    for_dense([&](const Dense& dense, const DenseVars& vars) {
      add(dense.weights, dense.weights_log_deviation, vars.weights_variance, dense.prior_variance);
      add(dense.bias, dense.bias_log_deviation, vars.bias_variance, 1.0);
    });
    return network_.kl_weight * kl;
  }

  // N l2 sum W².
  double penalty(double observations, const BoundOptions& options, const Leaves& leaves) const {
    double squares = 0.0;
    const double weight = observations * network_.l2;
    for_dense([&](const Dense& dense, const DenseVars& vars) {
      squares += vars.weights.value.squaredNorm();
      if (!leaves.recording()) return;
      leaves.adjoint(dense.weights) -= 2.0 * options.kl_weight * weight * vars.weights.value;
    });
    return weight * squares;
  }

  // N: as many as the likelihood term is scaled to.
  double scaled_observations(const Batch& batch, const BoundOptions& options) const {
    double count = 0.0;
    for (std::size_t t = 0; t < model_.likelihoods.size(); ++t) {
      count += likelihood_scale(batch, options, static_cast<int>(t)) *
               static_cast<double>(task_begin_[t + 1] - task_begin_[t]);
    }
    return count;
  }

  template <class F>
  void for_dense(F f) const {
    for (std::size_t l = 0; l < network_.hidden.size(); ++l) f(network_.hidden[l], vars_.hidden[l]);
    for (std::size_t t = 0; t < network_.heads.size(); ++t) f(network_.heads[t], vars_.heads[t]);
  }

  const Model& model_;
  Network network_;
  NetworkVars vars_;
  Tape tape_;
  std::vector<Index> task_begin_, by_task_;
};

// The parameters and what is made of them once.
struct LatentWork {
  Parameters parameters;
  Network network;
  Tape tape;  // holds the variances
  NetworkVars vars;

  LatentWork(const ModelSpec& spec, const Model& model)
      : parameters(model.parameters), network(network_of(spec, model.parameters)) {
    tape.set_recording(false);
    vars.read(tape, {&parameters, nullptr, 0}, network);
  }

  Mixture evaluate(const ConstView& x, int task, const PredictOptions& options) const {
    const Index samples = samples_of(network, options.samples);
    const DenseVars& head = vars.heads[at(task)];
    const Index width = head.weights.cols(), rows = x.rows();
    const Index chunk_rows = std::max<Index>(kChunkPoints / samples, 1);
    Mixture f{samples, Matrix(rows * samples, width), Matrix(rows * samples, width)};
    std::vector<Tape> tapes(at(num_threads()));
    parallel_for((rows + chunk_rows - 1) / chunk_rows, [&](Index c, int worker) {
      Tape& own = tapes[at(worker)];
      own.clear();
      own.set_recording(false);
      const Index begin = c * chunk_rows, n = std::min(chunk_rows, rows - begin);
      auto* id = own.array<std::uint64_t>(n);
      for (Index i = 0; i < n; ++i) {
        id[i] = options.row(begin + i);
      }
      const Draws draws{{options.seed, Purpose::prediction, 0}, id, samples};
      const HeadMoments top = run_head(
          own, head, network.bayesian,
          run_hidden(own, network, vars, draws, 0, constant(block(x, begin, 0, n, x.cols()))));
      f.mean.middleRows(begin * samples, n * samples) = top.mean.value;
      f.variance.middleRows(begin * samples, n * samples) = top.variance.value;
    });
    if (!f.mean.allFinite() || !f.variance.allFinite()) {
      throw NumericalError("network_latent: the weights are too large; f is not finite");
    }
    return f;
  }
};

}  // namespace

Objective network_objective(const ModelSpec& spec, const Model& model) {
  auto work = std::make_shared<ObjectiveWork>(spec, model);
  return [work](const Batch& batch, const BoundOptions& options, Vector* gradient) {
    return work->evaluate(batch, options, gradient);
  };
}

LatentFunction network_latent(const ModelSpec& spec, const Model& model) {
  auto work = std::make_shared<const LatentWork>(spec, model);
  return [work](const ConstView& x, int task, const PredictOptions& options) {
    return work->evaluate(x, task, options);
  };
}

}  // namespace mdgp
