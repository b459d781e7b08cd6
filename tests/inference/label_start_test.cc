// Classification that starts on labels, and the regression of several outputs that it is made of.
#include "mdgp/inference/label_start.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mdgp/autodiff/gradient_check.h"
#include "mdgp/inference/initialise.h"
#include "mdgp/inference/regression.h"
#include "mdgp/models/hyperparameters.h"
#include "mdgp/posterior/posterior.h"
#include "mdgp/random/normal.h"
#include "testing/dense.h"

namespace mdgp {
namespace {

double draw(std::uint64_t row, std::uint32_t column) {
  return normal({11, Purpose::data, 3}, row, column);
}

// A process of the kernel exp(-|x - z|²/2) on two inputs, and rows with three outputs.
struct Problem {
  Parameters parameters;
  Process process;
  Regression rows;
  Vector noise;
};

Problem make_problem(Index n, Index inducing) {
  Problem p;
  ProcessSpec spec;
  spec.name = "g";
  spec.kernel = "rbf";
  spec.inputs = 2;
  spec.inducing = inducing;
  spec.width = 3;
  p.process = make_process(spec, p.parameters);
  p.rows = {Matrix(n, 2), std::vector<int>(static_cast<std::size_t>(n), 0), Matrix(n, 3)};
  p.noise.resize(n);
  for (Index i = 0; i < n; ++i) {
    const auto row = static_cast<std::uint64_t>(i);
    for (Index c = 0; c < 2; ++c) p.rows.x(i, c) = draw(row, static_cast<std::uint32_t>(c));
    for (Index c = 0; c < 3; ++c) p.rows.y(i, c) = draw(row, static_cast<std::uint32_t>(2 + c));
    p.noise[i] = 0.1 + 0.01 * static_cast<double>(i);
  }
  return p;
}

Matrix rbf_matrix(const Matrix& a, const Matrix& b) {
  Matrix k(a.rows(), b.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < b.rows(); ++j) {
      k(i, j) = std::exp(-0.5 * (a.row(i) - b.row(j)).squaredNorm());
    }
  }
  return k;
}

TEST(RegressionOfSeveralOutputs, LogMarginalIsTheSumOfGaussianLogDensities) {
  const Problem p = make_problem(7, 2);
  Matrix K = rbf_matrix(p.rows.x, p.rows.x);
  K.diagonal() += p.noise;
  const Matrix solved = fixture::solve(K, p.rows.y);
  double expected = 0.0;
  for (Index c = 0; c < 3; ++c) {
    expected -= 0.5 * (p.rows.y.col(c).dot(solved.col(c)) + fixture::log_determinant(K) +
                       7.0 * std::log(2.0 * std::numbers::pi));
  }
  Tape tape;
  EXPECT_NEAR(log_marginal(p.process, p.parameters, 0.0, p.rows, p.noise, tape, nullptr, nullptr),
              expected, 1e-10);
}

TEST(RegressionOfSeveralOutputs, GradientsAgreeWithDifferences) {
  Problem p = make_problem(6, 2);
  Tape tape;
  Vector gradient = Vector::Zero(p.parameters.size()), noise_gradient;
  log_marginal(p.process, p.parameters, 0.0, p.rows, p.noise, tape, gradient.data(),
               &noise_gradient);
  const auto value = [&] {
    return log_marginal(p.process, p.parameters, 0.0, p.rows, p.noise, tape, nullptr, nullptr);
  };
  const auto slope = [&](double& at) {
    const double h = 1e-5, was = at;
    at = was + h;
    const double above = value();
    at = was - h;
    const double below = value();
    at = was;
    return (above - below) / (2.0 * h);
  };
  for (const int id : p.process.kernel.parameters) {
    const Parameter& parameter = p.parameters[id];
    for (Index i = 0; i < parameter.size(); ++i) {
      const Index at = parameter.offset + i;
      EXPECT_NEAR(gradient[at], slope(p.parameters.values[at]), 1e-6) << parameter.name;
    }
  }
  for (Index i = 0; i < p.noise.size(); ++i) {
    EXPECT_NEAR(noise_gradient[i], slope(p.noise[i]), 1e-6);
  }
}

// With Z at the rows q is the exact posterior: the mean at the rows is K (K + Σ)⁻¹ y.
TEST(RegressionOfSeveralOutputs, PosteriorIsExactAtTheRows) {
  Problem p = make_problem(8, 8);
  p.parameters.view(p.process.Z) = p.rows.x;
  set_posterior(p.process, 1e-10, p.rows, p.noise, p.parameters);
  const Matrix K = rbf_matrix(p.rows.x, p.rows.x);
  Matrix noisy = K;
  noisy.diagonal() += p.noise;
  const Matrix expected = K * fixture::solve(noisy, p.rows.y);
  Prepared prepared;
  prepared.prepare(p.process, p.parameters, 1e-10, nullptr);
  Tape tape;
  tape.set_recording(false);
  const ProcessAdjoints none{{&p.parameters, nullptr, 0}, no_view(), no_view(), nullptr};
  const Moments moments = conditional(tape, p.process, prepared, none,
                                      {constant(view_of(std::as_const(p.rows.x))), nullptr});
  EXPECT_LT((moments.mean.value - expected).cwiseAbs().maxCoeff(), 1e-6);
  const Vector variance =
      (K - K * fixture::solve(noisy, K)).diagonal();  // the same for all outputs
  EXPECT_LT((moments.variance.value.col(2) - variance).cwiseAbs().maxCoeff(), 1e-6);
}

// Three clusters; the second task sees them with more spread.
DataSet clusters(Index n, std::uint64_t first) {
  constexpr double kCentres[3][2] = {{0.0, 2.0}, {-2.0, -1.0}, {2.0, -1.0}};
  DataSet data{Matrix(n, 2), {}};
  for (Index i = 0; i < n; ++i) {
    const auto row = first + static_cast<std::uint64_t>(i);
    const int label = static_cast<int>(i % 3), task = static_cast<int>(i / 3 % 2);
    for (Index c = 0; c < 2; ++c) {
      data.x(i, c) = kCentres[label][c] +
                     (task == 0 ? 0.4 : 0.6) * draw(row, 10 + static_cast<std::uint32_t>(c));
    }
    data.observations.push_back({i, task, static_cast<double>(label)});
  }
  return data;
}

double start_accuracy(const std::string& name, const std::string& likelihood) {
  const DataSet train = clusters(120, 0), test = clusters(300, 1000);
  ModelSpec spec = default_spec(name, 2, {{likelihood, 3}, {likelihood, 3}}, 2, 3, 30);
  for (LayerSpec& layer : spec.inner) {
    layer.kernel = "rbf";
    layer.mean = MeanFunction::zero;
    for (Index& width : layer.shared) width = 3;
    for (Index& width : layer.priv) width = 3;
  }
  spec.top.kernel = "linear + rbf";
  Model model = make_model(spec);
  initialise(model, train);
  start_on_labels(model, train);
  const Posterior posterior(std::move(model));
  double right = 0.0;
  for (const Observation& o : test.observations) {
    const Matrix x = test.x.row(o.row);
    Index label = 0;
    posterior.predict(view_of(x), o.task, {.samples = 20}).mean.row(0).maxCoeff(&label);
    right += label == static_cast<Index>(o.y) ? 1.0 : 0.0;
  }
  return right / static_cast<double>(test.observations.size());
}

TEST(LabelStart, ModelsClassifyBeforeTheFirstStep) {
  for (const char* model : {"smdgp", "mmdgp", "cmdgp", "idgp", "cgp", "igp"}) {
    for (const char* likelihood : {"softmax", "robustmax"}) {
      EXPECT_GT(start_accuracy(model, likelihood), 0.95) << model << " " << likelihood;
    }
  }
}

// With spreads next to nothing the search has to stay at the medians that the options give.
TEST(LabelStart, PriorsOfTheFirstLayerAreThoseAskedFor) {
  const DataSet train = clusters(60, 0);
  ModelSpec spec = default_spec("cmdgp", 2, {{"softmax", 3}, {"softmax", 3}}, 2, 3, 20);
  for (LayerSpec& layer : spec.inner) {
    layer.kernel = "rbf";
    layer.mean = MeanFunction::zero;
  }
  spec.top.kernel = "linear + rbf";
  Model model = make_model(spec);
  initialise(model, train);
  set_priors(model);
  start_at_priors(model, 1);
  const std::string first = model.cascade.layers.front().processes.front().name + ".kernel.";
  const auto table = [&](const char* name) -> Parameter& {
    return model.parameters.table[static_cast<std::size_t>(model.parameters.find(first + name))];
  };
  table("coregion.W").prior.scale = table("coregion.kappa").prior.scale = 1e-4;
  const double lengthscale = std::exp(table("lengthscales").prior.location);
  const LabelStartOptions options{.lengthscale_spread = 1e-4, .common = 0.7, .own = 0.2};
  set_label_priors(model, options);
  start_on_labels(model, train, options);
  const auto expect_all_near = [&](const char* name, double value) {
    const ConstView found = std::as_const(model.parameters).view(first + name);
    EXPECT_LT((found.array() - value).abs().maxCoeff(), 1e-2 * value) << name;
  };
  expect_all_near("coregion.W", 0.7);
  expect_all_near("coregion.kappa", 0.2);
  expect_all_near("lengthscales", lengthscale);
}

TEST(LabelStart, IsForEquallyManyLabels) {
  Parameters parameters;
  const auto likelihoods = [&](std::vector<std::pair<const char*, int>> list) {
    std::vector<Likelihood> all;
    for (const auto& [name, classes] : list) {
      all.push_back(make_likelihood(
          name, "l" + std::to_string(parameters.table.size()) + std::to_string(all.size()),
          parameters, classes));
    }
    return all;
  };
  EXPECT_EQ(label_functions(likelihoods({{"softmax", 4}, {"robustmax", 4}})), 4);
  EXPECT_EQ(label_functions(likelihoods({{"bernoulli", 0}, {"bernoulli", 0}})), 1);
  EXPECT_EQ(label_functions(likelihoods({{"softmax", 4}, {"softmax", 3}})), 0);
  EXPECT_EQ(label_functions(likelihoods({{"bernoulli", 0}, {"gaussian", 0}})), 0);
}

}  // namespace
}  // namespace mdgp
