#include "toy.h"

#include <chrono>
#include <cmath>
#include <numbers>
#include <utility>

#include "mdgp/inference/initialise.h"
#include "mdgp/posterior/posterior.h"
#include "mdgp/random/normal.h"

namespace mdgp::experiments {
namespace {

constexpr Index kWidth = 3, kInducing = 30, kSamples = 100;

// One shared latent function or so, the input beside it, and lengthscales of the order of the
// waves.
Model toy_model(std::string_view name, const DataSet& data, std::uint64_t seed) {
  ModelSpec spec = default_spec(name, 1, {TaskSpec{}, TaskSpec{}}, 2, kWidth, kInducing);
  spec.propagate_inputs = true;
  Model model = make_model(spec);
  InitialiseOptions options;
  options.seed = seed;
  options.noise = 0.05;
  initialise(model, data, options);
  return model;
}

void score_toy_task(const ToyData& data, int task, const Posterior& posterior, ToyFit& fit) {
  const PredictOptions options{.samples = kSamples};
  const ConstView x = view_of(data.x);
  const double mean = data.mean[task], deviation = data.deviation[task];
  const Vector y = (data.y.col(task).array() - mean) / deviation;
  const Prediction p = posterior.predict(x, task, options);
  const Matrix q = posterior.quantiles(x, task, {0.025, 0.1, 0.25, 0.75, 0.9, 0.975}, options);
  ToyScore& score = fit.score;
  score.rmse[task] = std::sqrt((p.mean.col(0) - y).squaredNorm() / static_cast<double>(y.size()));
  score.nlpp[task] = -posterior.log_density(x, task, y, options).mean();
  for (int k = 0; k < 3; ++k) {  // 50, 80, 95 %
    const auto inside = (y.array() >= q.col(2 - k).array()) && (y.array() <= q.col(3 + k).array());
    score.inside[task][k] = static_cast<double>(inside.count()) / static_cast<double>(y.size());
  }
  fit.mean.col(task) = mean + deviation * p.mean.col(0).array();
  fit.low.col(task) = mean + deviation * q.col(0).array();
  fit.high.col(task) = mean + deviation * q.col(5).array();
}

}  // namespace

double toy_function(int task, double x) {
  const double g = -std::sin(8.0 * std::numbers::pi * (x + 1.0)) / (2.0 * x + 1.0) - std::pow(x, 4);
  return task == 0 ? std::pow(std::cos(g), 2) + std::sin(3.0 * x)
                   : std::sin(10.0 * x) * g * g + 3.0 * x;
}

ToyData make_toy(const ToyOptions& options) {
  const DrawKey key{options.seed, Purpose::data, 0};
  const Index n = options.rows;
  ToyData data{
      {Matrix(2 * n, 1), {}}, {0, 0}, {0, 0}, Matrix(options.grid, 1), Matrix(options.grid, 2)};
  const double gap = options.gap_end - options.gap_begin;
  for (Index r = 0; r < 2 * n; ++r) {
    const auto row = static_cast<std::uint64_t>(r);
    const int task = r < n ? 0 : 1;
    double x = uniform(key, row, 0);
    if (task == 1) {
      x *= 1.0 - gap;
      if (x > options.gap_begin) x += gap;
    }
    data.train.x(r, 0) = x;
    data.train.observations.push_back(
        {r, task, toy_function(task, x) + options.noise * normal(key, row, 2)});
  }
  for (int task = 0; task < 2; ++task) {
    Vector y(n);
    for (Index i = 0; i < n; ++i)
      y[i] = data.train.observations[static_cast<std::size_t>(task * n + i)].y;
    data.mean[task] = y.mean();
    data.deviation[task] = std::sqrt((y.array() - y.mean()).square().mean());
  }
  for (Observation& o : data.train.observations) {
    o.y = (o.y - data.mean[o.task]) / data.deviation[o.task];
  }
  for (Index i = 0; i < options.grid; ++i) {
    data.x(i, 0) = (static_cast<double>(i) + 0.5) / static_cast<double>(options.grid);
    for (int task = 0; task < 2; ++task) {
      data.y(i, task) = toy_function(task, data.x(i, 0)) +
                        options.noise * normal(key, 1'000'000 + static_cast<std::uint64_t>(i),
                                               static_cast<std::uint32_t>(task));
    }
  }
  return data;
}

ToyFit fit_toy(std::string_view name, const ToyData& data, const ToyOptions& options,
               const TrainCallback& callback) {
  const auto start = std::chrono::steady_clock::now();
  Model model = toy_model(name, data.train, options.seed);
  TrainOptions train_options;
  train_options.steps = options.steps;
  train_options.seed = options.seed;
  train_options.adam.learning_rate = 0.02;
  TrainState state;
  const TrainSummary summary = train(model, data.train, train_options, state, callback);

  ToyFit fit;
  fit.model = name;
  fit.bound = summary.records.back().value.bound;
  fit.failures = static_cast<Index>(summary.failures.size());
  fit.mean = fit.low = fit.high = Matrix(data.x.rows(), 2);
  const Posterior posterior(std::move(model));
  for (const int task : {0, 1}) score_toy_task(data, task, posterior, fit);
  fit.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return fit;
}

}  // namespace mdgp::experiments
