// Networks: gradients of both objectives, the KL, dropout and the exact head.
#include "mdgp/baselines/network.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mdgp/autodiff/gradient_check.h"
#include "mdgp/baselines/baseline.h"
#include "mdgp/inference/free_vector.h"
#include "mdgp/linalg/check.h"
#include "mdgp/linalg/parallel.h"
#include "mdgp/random/normal.h"
#include "testing/random_model.h"

namespace mdgp {
namespace {

using fixture::Random;

std::vector<TaskSpec> every_likelihood() {
  return {{"gaussian"}, {"bernoulli"}, {"softmax", 3}, {"poisson"}, {"student_t"}};
}

ModelSpec network_spec(std::string_view name, std::vector<TaskSpec> tasks, Index inputs = 3,
                       Index units = 5) {
  ModelSpec spec;
  spec.model = name;
  spec.inputs = inputs;
  spec.tasks = std::move(tasks);
  spec.inner.clear();
  spec.network.units = network_units(name, units);
  spec.network.l2 = 0.01;
  return spec;
}

// Biases and deviations away from their start, so that nothing is 0 by chance.
Model random_network(const ModelSpec& spec, unsigned seed) {
  Model model = make_network_model(spec);
  initialise_network(spec, 0.3, seed, model);
  Random random(seed);
  for (const Parameter& p : model.parameters.table) {
    if (p.constraint != Constraint::none) continue;
    const bool deviation = p.name.ends_with("log_deviation");
    for (Index i = 0; i < p.size(); ++i) {
      double& value = model.parameters.values[p.offset + i];
      value = deviation ? random.uniform(-2.0, -0.5) : value + 0.3 * random.normal();
    }
  }
  return model;
}

struct Rows {
  Matrix x;
  std::vector<Observation> observations;
  std::vector<std::uint64_t> id;
  Batch batch() const { return {view_of(x), &observations, id.data()}; }
};

double target(const TaskSpec& task, Random& random) {
  if (task.likelihood == "bernoulli") return random.uniform(0.0, 1.0) < 0.5 ? 0.0 : 1.0;
  if (task.classes > 0) return std::floor(random.uniform(0.0, task.classes - 1e-9));
  if (task.likelihood == "poisson") return std::floor(random.uniform(0.0, 5.0));
  return random.normal();
}

// Row i is observed for task i mod T, and for the next as well where i is even.
Rows random_rows(const ModelSpec& spec, Index n, unsigned seed) {
  Random random(seed);
  Rows rows{Matrix(n, spec.inputs), {}, {}};
  for (Index i = 0; i < rows.x.size(); ++i) rows.x.data()[i] = random.normal();
  const auto tasks = static_cast<Index>(spec.tasks.size());
  for (Index i = 0; i < n; ++i) {
    rows.id.push_back(static_cast<std::uint64_t>(100 + 7 * i));
    for (Index k = 0; k <= (i % 2 == 0 && tasks > 1 ? 1 : 0); ++k) {
      const auto task = static_cast<int>((i + k) % tasks);
      rows.observations.push_back({i, task, target(spec.tasks[at(task)], random)});
    }
  }
  return rows;
}

class NetworkKinds : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, NetworkKinds, ::testing::Values("mann2", "mann3", "mbnn2", "mbnn3"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(NetworkKinds, GradientIsThatOfDifferences) {
  const ModelSpec spec = network_spec(GetParam(), every_likelihood());
  for (const Index samples : {1, 3}) {
    Model model = random_network(spec, 3);
    const Rows rows = random_rows(spec, 11, 5);
    const Objective objective = network_objective(spec, model);
    BoundOptions options;
    options.samples = samples;
    options.kl_weight = 0.7;
    options.task_scale = {1.5, 2.0, 0.5, 1.0, 3.0};
    options.noise = {9, 4, nullptr};
    const Vector start = model.parameters.values;
    Vector gradient;
    const BoundValue value = objective(rows.batch(), options, &gradient);
    const auto f = [&](const Vector& v) {
      model.parameters.values = v;
      return objective(rows.batch(), options, nullptr).bound;
    };
    EXPECT_EQ(f(start), value.bound);
    // A short step: the kinks of the ReLU are between two evaluations only by chance.
    const GradientCheck check = check_gradient(f, start, gradient, 1e-5);
    EXPECT_LT(check.worst_error, 1e-7)
        << check.worst_index << ": " << check.analytic << " and " << check.numeric;
  }
}

TEST_P(NetworkKinds, RowsThatTasksShareAreTheSumOfEachAlone) {
  const ModelSpec spec = network_spec(GetParam(), {{"gaussian"}, {"poisson"}});
  const Model model = random_network(spec, 1);
  const Rows rows = random_rows(spec, 6, 2);
  const Objective objective = network_objective(spec, model);
  BoundOptions options;
  options.noise = {3, 2, nullptr};
  const double together = objective(rows.batch(), options, nullptr).expected_log_likelihood;
  double sum = 0.0;
  for (const Observation& o : rows.observations) {
    const Matrix x = rows.x.row(o.row);
    const std::vector<Observation> one = {{0, o.task, o.y}};
    sum += objective({view_of(x), &one, &rows.id[at(o.row)]}, options, nullptr)
               .expected_log_likelihood;
  }
  EXPECT_NEAR(together, sum, 1e-10 * std::abs(sum));
}

TEST_P(NetworkKinds, ThreadsDoNotChangeABit) {
  const ModelSpec spec = network_spec(GetParam(), every_likelihood());
  const Posterior posterior = make_posterior(spec, random_network(spec, 3));
  const Matrix x = random_rows(spec, 90, 1).x;
  const int before = num_threads();
  set_num_threads(1);
  const Mixture one = posterior.latent(view_of(x), 2, {.samples = 40});
  set_num_threads(3);
  const Mixture three = posterior.latent(view_of(x), 2, {.samples = 40});
  set_num_threads(before);
  EXPECT_EQ(one.mean, three.mean);
  EXPECT_EQ(one.variance, three.variance);
}

TEST_P(NetworkKinds, ATableInPiecesIsPredictedAsAWhole) {
  const ModelSpec spec = network_spec(GetParam(), {{"gaussian"}});
  const Posterior posterior = make_posterior(spec, random_network(spec, 3));
  const Matrix x = random_rows(spec, 20, 1).x, last = x.bottomRows(5);
  const Matrix whole = posterior.latent(view_of(x), 0, {.samples = 7}).mean;
  const Matrix piece =
      posterior.latent(view_of(last), 0, {.samples = 7, .rows = {15, 16, 17, 18, 19}}).mean;
  EXPECT_LT((whole.bottomRows(35) - piece).cwiseAbs().maxCoeff(), 1e-13);
}

TEST_P(NetworkKinds, LearnsWhatAPlainFunctionIs) {
  const ModelSpec spec = network_spec(GetParam(), {{"gaussian"}, {"bernoulli"}}, 2, 20);
  Model model = make_network_model(spec);
  initialise_network(spec, 0.1, 1, model);
  const Rows rows = random_rows(spec, 300, 4);
  DataSet data{rows.x, {}};
  for (Index i = 0; i < 300; ++i) {
    const double f = std::abs(rows.x(i, 0)) - rows.x(i, 1);
    data.observations.push_back({i, 0, f});
    data.observations.push_back({i, 1, f > 0.0 ? 1.0 : 0.0});
  }
  TrainOptions options;
  options.steps = 1500;
  options.batch_rows = 50;
  options.adam.learning_rate = 0.01;
  TrainState state;
  const TrainSummary summary = train(model, network_objective(spec, model), data, options, state);
  EXPECT_EQ(summary.termination, Termination::steps_done);
  EXPECT_TRUE(summary.failures.empty());
  const Posterior posterior = make_posterior(spec, model);
  const Matrix mean = posterior.predict(view_of(std::as_const(data.x)), 0).mean;
  const Matrix yes = posterior.predict(view_of(std::as_const(data.x)), 1).mean;
  double squares = 0.0, right = 0.0;
  for (Index i = 0; i < 300; ++i) {
    squares += std::pow(mean(i, 0) - data.observations[at(2 * i)].y, 2);
    right += (yes(i, 0) > 0.5) == (data.observations[at(2 * i + 1)].y > 0.5) ? 1.0 : 0.0;
  }
  EXPECT_LT(std::sqrt(squares / 300.0), 0.3);
  EXPECT_GT(right / 300.0, 0.93);
}

// KL[q || p] = E_q[log q - log p], by quadrature on a grid, weight by weight.
void expect_kl(bool fan_in, double weight) {
  ModelSpec spec = network_spec("mbnn2", {{"gaussian"}}, 1, 2);
  spec.network.fan_in_prior = fan_in;
  spec.network.kl_weight = weight;
  const Model model = random_network(spec, 8);
  const Rows rows = random_rows(spec, 2, 1);
  const double kl = network_objective(spec, model)(rows.batch(), {}, nullptr).kl;
  double sum = 0.0;
  for (const Parameter& p : model.parameters.table) {
    if (!p.name.ends_with("log_deviation")) continue;
    const std::string mean_name = p.name.substr(0, p.name.size() - 14);
    const ConstView mean = model.parameters.view(mean_name);
    const double v = fan_in && mean_name == "head0.weights" ? 0.5 : 1.0;  // of two units
    for (Index i = 0; i < p.size(); ++i) {
      const double m = mean.data()[i], s = std::exp(model.parameters.values[p.offset + i]);
      const double h = 1e-3;
      for (double z = -9.0; z < 9.0; z += h) {
        const double w = m + s * z, q = std::exp(-0.5 * z * z) / std::sqrt(2.0 * M_PI);
        sum += h * q * ((-0.5 * z * z - std::log(s)) - (-0.5 * w * w / v - 0.5 * std::log(v)));
      }
    }
  }
  EXPECT_NEAR(kl, weight * sum, 1e-7 * kl);
}

TEST(Network, KlIsTheIntegralOfItsDefinition) {
  expect_kl(true, 0.3);
  expect_kl(false, 1.0);
}

TEST(Network, PenaltyIsOfTheSquaredWeightsPerObservation) {
  const ModelSpec spec = network_spec("mann3", {{"gaussian"}, {"gaussian"}});
  const Model model = random_network(spec, 8);
  const Rows rows = random_rows(spec, 4, 1);
  BoundOptions options;
  options.num_data = 60.0;
  double squares = 0.0;
  for (const char* name : {"hidden0", "hidden1", "head0", "head1"}) {
    squares += model.parameters.view(std::string(name) + ".weights").squaredNorm();
  }
  EXPECT_NEAR(network_objective(spec, model)(rows.batch(), options, nullptr).kl,
              60.0 * 0.01 * squares, 1e-12 * squares);
}

// One hidden layer of three units: the eight masks have known probabilities.
TEST(Network, DropoutHasTheMomentsOfAllMasks) {
  ModelSpec spec = network_spec("mann2", {{"gaussian"}}, 2, 3);
  spec.network.dropout = 0.3;
  const Model model = random_network(spec, 2);
  const Matrix x = random_rows(spec, 1, 6).x;
  const Vector a = (x * Matrix(model.parameters.view("hidden0.weights")) +
                    Matrix(model.parameters.view("hidden0.bias")))
                       .cwiseMax(0.0)
                       .transpose();
  const Matrix w = model.parameters.view("head0.weights");
  double mean = 0.0, square = 0.0;
  for (int mask = 0; mask < 8; ++mask) {
    double p = 1.0, f = model.parameters.view("head0.bias")(0, 0);
    for (int j = 0; j < 3; ++j) {
      const bool kept = (mask >> j & 1) != 0;
      p *= kept ? 0.7 : 0.3;
      if (kept) f += a[j] / 0.7 * w(j, 0);
    }
    mean += p * f;
    square += p * f * f;
  }
  const Mixture q = make_posterior(spec, model).latent(view_of(x), 0, {.samples = 8192});
  const double sd = std::sqrt(square - mean * mean);
  EXPECT_EQ(q.variance.maxCoeff(), 0.0);
  EXPECT_NEAR(q.mean.mean(), mean, 4.0 * sd / std::sqrt(8192.0));
  EXPECT_NEAR((q.mean.array() - q.mean.mean()).square().mean() / (sd * sd), 1.0, 0.1);
}

// With deviations of nothing below, f is Gaussian: the moments of drawn weights, drawn elsewhere.
TEST(Network, HeadIsIntegratedExactly) {
  const ModelSpec spec = network_spec("mbnn2", {{"softmax", 2}}, 2, 4);
  Model model = random_network(spec, 2);
  model.parameters.view("hidden0.weights.log_deviation").setConstant(-40.0);
  model.parameters.view("hidden0.bias.log_deviation").setConstant(-40.0);
  const Parameters& p = model.parameters;
  const Matrix x = random_rows(spec, 1, 6).x;
  const Matrix h =
      (x * Matrix(p.view("hidden0.weights")) + Matrix(p.view("hidden0.bias"))).cwiseMax(0.0);
  const Mixture q = make_posterior(spec, model).latent(view_of(x), 0, {.samples = 2});
  for (Index k = 0; k < 2; ++k) {
    double mean = p.view("head0.bias")(0, k);
    double variance = std::exp(2.0 * p.view("head0.bias.log_deviation")(0, k));
    for (Index j = 0; j < 4; ++j) {
      mean += h(0, j) * p.view("head0.weights")(j, k);
      variance += std::pow(h(0, j) * std::exp(p.view("head0.weights.log_deviation")(j, k)), 2);
    }
    for (Index s = 0; s < 2; ++s) {
      EXPECT_NEAR(q.mean(s, k), mean, 1e-12);
      EXPECT_NEAR(q.variance(s, k), variance, 1e-12);
    }
  }
}

// f of one row under weights drawn one by one from q.
Matrix draw_f(const Parameters& p, const Matrix& x, Random& random) {
  const auto draw = [&](const std::string& name) {
    Matrix w = p.view(name);
    const Matrix log_s = p.view(name + ".log_deviation");
    for (Index i = 0; i < w.size(); ++i) w.data()[i] += std::exp(log_s.data()[i]) * random.normal();
    return w;
  };
  Matrix h = x;
  for (const std::string name : {"hidden0", "hidden1"}) {
    h = (h * draw(name + ".weights") + draw(name + ".bias")).cwiseMax(0.0);
  }
  return h * draw("head0.weights") + draw("head0.bias");
}

// The mixture of mbnn3 against networks whose weights are drawn one by one.
TEST(Network, LocalReparameterisationHasTheMomentsOfDrawnWeights) {
  const ModelSpec spec = network_spec("mbnn3", {{"gaussian"}}, 2, 3);
  const Model model = random_network(spec, 2);
  const Parameters& p = model.parameters;
  const Matrix x = random_rows(spec, 1, 6).x;
  const Mixture q = make_posterior(spec, model).latent(view_of(x), 0, {.samples = 8192});
  const double mean = q.mean.mean();
  const double variance = q.variance.mean() + (q.mean.array() - mean).square().mean();
  Random random(1);
  double sum = 0.0, squares = 0.0;
  constexpr int kDraws = 60000;
  for (int k = 0; k < kDraws; ++k) {
    const double f = draw_f(p, x, random)(0, 0);
    sum += f;
    squares += f * f;
  }
  const double brute = sum / kDraws, brute_variance = squares / kDraws - brute * brute;
  EXPECT_NEAR(mean, brute, 4.0 * std::sqrt(brute_variance * (1.0 / 8192 + 1.0 / kDraws)));
  EXPECT_NEAR(variance / brute_variance, 1.0, 0.1);
}

// E log softmax itself, not a bound of it by the moments of f.
TEST(Network, SoftmaxIsTheExpectationOverDrawnWeights) {
  const ModelSpec spec = network_spec("mbnn3", {{"softmax", 3}}, 2, 3);
  Model model = random_network(spec, 2);
  model.parameters.view("head0.weights.log_deviation").setConstant(1.0);  // where bounds are loose
  model.parameters.view("head0.bias.log_deviation").setConstant(1.0);
  const Rows rows = random_rows(spec, 1, 6);
  BoundOptions options;
  options.samples = 8192;
  const double value =
      network_objective(spec, model)(rows.batch(), options, nullptr).expected_log_likelihood;
  Random random(1);
  double sum = 0.0, squares = 0.0;
  constexpr int kDraws = 60000;
  for (int k = 0; k < kDraws; ++k) {
    const Matrix f = draw_f(model.parameters, rows.x, random);
    const double log_p =
        f(0, static_cast<Index>(rows.observations[0].y)) - std::log(f.array().exp().sum());
    sum += log_p;
    squares += log_p * log_p;
  }
  const double brute = sum / kDraws, variance = squares / kDraws - brute * brute;
  EXPECT_NEAR(value, brute, 4.0 * std::sqrt(variance * (1.0 / 8192 + 1.0 / kDraws)));
}

TEST(Network, StartsWithinGlorotsLimits) {
  const ModelSpec spec = network_spec("mbnn2", {{"gaussian"}}, 50, 40);
  Model model = make_network_model(spec);
  initialise_network(spec, 0.2, 1, model);
  const View w = model.parameters.view("hidden0.weights");
  const double limit = std::sqrt(6.0 / 90.0);
  EXPECT_LE(w.cwiseAbs().maxCoeff(), limit);
  EXPECT_NEAR(w.squaredNorm() / static_cast<double>(w.size()), limit * limit / 3.0, 0.002);
  EXPECT_EQ(model.parameters.view("hidden0.bias").squaredNorm(), 0.0);
  EXPECT_EQ(model.parameters.view("likelihood0.variance")(0, 0), 0.2);
}

TEST(Network, RefusesWhatDoesNotFit) {
  const auto refused = [](auto change) {
    ModelSpec spec = network_spec("mann3", {{"gaussian"}});
    change(spec);
    EXPECT_THROW(make_any_model(spec), std::invalid_argument);
  };
  refused([](ModelSpec& s) { s.network.units = {5}; });
  refused([](ModelSpec& s) { s.network.units = {5, 0}; });
  refused([](ModelSpec& s) { s.network.units = {5, 1 << 20}; });
  refused([](ModelSpec& s) { s.network.dropout = 1.0; });
  refused([](ModelSpec& s) { s.network.dropout = std::nan(""); });
  refused([](ModelSpec& s) { s.network.l2 = -1.0; });
  refused([](ModelSpec& s) { s.network.kl_weight = 0.0; });
  refused([](ModelSpec& s) { s.inputs = 0; });
  refused([](ModelSpec& s) { s.tasks.clear(); });
  refused([](ModelSpec& s) { s.tasks = {{"robustmax", 3}}; });
  ModelSpec spec = network_spec("mann2", {{"gaussian"}});
  spec.most_parameters = 10;
  EXPECT_THROW(make_any_model(spec), std::length_error);
  const Posterior posterior =
      make_posterior(network_spec("mann2", {{"gaussian"}}),
                     random_network(network_spec("mann2", {{"gaussian"}}), 1));
  const Matrix x = Matrix::Zero(1, 3);
  EXPECT_THROW(posterior.latent(view_of(x), 0, {.samples = 9000}), std::invalid_argument);
}

}  // namespace
}  // namespace mdgp
