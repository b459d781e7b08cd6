#include "mdgp/inference/exact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mdgp/autodiff/gradient_check.h"
#include "mdgp/inference/bound.h"
#include "mdgp/inference/natural_gradient.h"
#include "mdgp/models/hyperparameters.h"
#include "mdgp/posterior/posterior.h"
#include "testing/dense.h"
#include "testing/random_model.h"

namespace mdgp {
namespace {

constexpr Index kBothTasks = 2, kInputs = 2;

// Observations of two tasks in mixed order; some rows are observed for both.
DataSet some_data(Index rows, unsigned seed) {
  fixture::Random random(seed);
  DataSet data{random.normals(rows, kInputs), {}};
  for (Index r = 0; r < rows; ++r) {
    const double f = std::sin(1.5 * data.x(r, 0)) + 0.5 * data.x(r, 1);
    if (r % 3 != 0) data.observations.push_back({r, 1, f + 0.1 * random.normal()});
    if (r % 3 != 1) data.observations.push_back({r, 0, 0.5 - f + 0.1 * random.normal()});
  }
  return data;
}

ModelSpec exact_spec(const std::string& model, const std::string& kernel, const DataSet& data) {
  ModelSpec spec = default_spec(model, kInputs, {TaskSpec{}, TaskSpec{}});
  spec.top.kernel = kernel;
  spec.top_inducing = observation_counts(data, kBothTasks);
  return spec;
}

// Kernel and noise at random values, Z at the observations.
Model random_exact_model(const ModelSpec& spec, const DataSet& data, unsigned seed) {
  Model model = make_model(spec);
  fixture::Random random(seed);
  fixture::randomise(model, random);
  place_on_observations(model, data);
  return model;
}

// K + noise of all observations, one pair at a time; and the same between two lists of points.
struct Dense {
  const Model& model;

  const Process& process(int task) const {
    const auto& all = model.cascade.layers.back().processes;
    return all.size() > 1 ? all[static_cast<std::size_t>(task)] : all.front();
  }
  double k(const Vector& a, int s, const Vector& b, int t) const {
    if (model.cascade.layers.back().processes.size() > 1 && s != t) return 0.0;
    Tape tape;
    tape.set_recording(false);
    const Leaves leaves{&model.parameters, nullptr, 0};
    const Matrix x = a.transpose(), z = b.transpose();
    return cross(tape, leaves, process(s).kernel, {constant(view_of(x)), &s},
                 {constant(view_of(z)), &t})
        .value(0, 0);
  }
  double noise(int task) const {
    return model.parameters.view(model.likelihoods[static_cast<std::size_t>(task)].parameters[0])(
        0, 0);
  }
  Matrix K(const DataSet& data) const {
    const auto n = static_cast<Index>(data.observations.size());
    Matrix out(n, n);
    for (Index i = 0; i < n; ++i) {
      const Observation& a = data.observations[static_cast<std::size_t>(i)];
      for (Index j = 0; j < n; ++j) {
        const Observation& b = data.observations[static_cast<std::size_t>(j)];
        out(i, j) = k(data.x.row(a.row), a.task, data.x.row(b.row), b.task);
      }
      out(i, i) += noise(a.task) + model.cascade.jitter;
    }
    return out;
  }
};

Vector targets(const DataSet& data) {
  Vector y(static_cast<Index>(data.observations.size()));
  for (Index i = 0; i < y.size(); ++i) y[i] = data.observations[static_cast<std::size_t>(i)].y;
  return y;
}

struct Case {
  std::string model, kernel;
  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.model << ", " << c.kernel;
  }
};

class Exact : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Kinds, Exact,
    testing::Values(Case{"exact-gp", "rbf"}, Case{"exact-icm", "matern52"},
                    Case{"exact-icm", "(matern32 + constant) * (constant + linear) + private"},
                    Case{"exact-gp", "(matern32 + constant) * (constant + linear)"}));

TEST_P(Exact, LogMarginalLikelihoodIsTheTextbooks) {
  const DataSet data = some_data(13, 1);
  const Model model =
      random_exact_model(exact_spec(GetParam().model, GetParam().kernel, data), data, 2);
  const Matrix K = Dense{model}.K(data);
  const Vector y = targets(data);
  const double expected = -0.5 * (y.dot(fixture::solve(K, y).col(0)) + fixture::log_determinant(K) +
                                  static_cast<double>(y.size()) * std::log(2.0 * std::numbers::pi));
  EXPECT_NEAR(log_marginal_likelihood(model, data), expected, 1e-9 * std::abs(expected));
}

TEST_P(Exact, GradientAgreesWithDifferences) {
  const DataSet data = some_data(11, 3);
  Model model = random_exact_model(exact_spec(GetParam().model, GetParam().kernel, data), data, 4);
  Vector gradient;
  log_marginal_likelihood(model, data, &gradient);
  // Z and q do not matter to it, as Z is taken from the data.
  const auto objective = [&](const Vector& values) {
    Model moved = model;
    moved.parameters.values = values;
    return log_marginal_likelihood(moved, data);
  };
  const GradientCheck check = check_gradient(objective, model.parameters.values, gradient);
  EXPECT_LT(check.worst_error, 1e-6)
      << check.worst_index << ": " << check.analytic << " against " << check.numeric;
}

TEST_P(Exact, PosteriorIsTheTextbooks) {
  const DataSet data = some_data(15, 5);
  Model model = random_exact_model(exact_spec(GetParam().model, GetParam().kernel, data), data, 6);
  set_best_posterior(model, data);
  const Dense dense{model};
  const Matrix K = dense.K(data);
  const Vector y = targets(data), alpha = fixture::solve(K, y);
  const Matrix x = fixture::Random(7).normals(6, kInputs);
  const Posterior posterior(model);
  for (int task = 0; task < kBothTasks; ++task) {
    const Mixture f = posterior.latent(view_of(x), task);
    for (Index i = 0; i < x.rows(); ++i) {
      Vector k(y.size());
      for (Index j = 0; j < y.size(); ++j) {
        const Observation& o = data.observations[static_cast<std::size_t>(j)];
        k[j] = dense.k(x.row(i), task, data.x.row(o.row), o.task);
      }
      const double prior = dense.k(x.row(i), task, x.row(i), task);
      EXPECT_NEAR(f.mean(i, 0), k.dot(alpha), 1e-4);
      EXPECT_NEAR(f.variance(i, 0), prior - k.dot(fixture::solve(K, k).col(0)), 1e-4 * prior);
    }
  }
}

// Where Z is elsewhere the posterior is the one at which the bound is flat in q.
TEST(ExactPosterior, IsTheBestForAnyInducingInputs) {
  const DataSet data = some_data(20, 8);
  for (const char* name : {"cgp", "igp"}) {
    Model model =
        fixture::random_model(default_spec(name, kInputs, {TaskSpec{}, TaskSpec{}}, 2, 1, 5), 9);
    set_best_posterior(model, data);
    Vector gradient;
    Bound bound(model);
    bound({view_of(data.x), &data.observations, nullptr}, {}, &gradient);
    for (const Process& process : model.cascade.layers.back().processes) {
      for (const int id : {process.q_mu, process.q_sqrt}) {
        const Parameter& p = model.parameters[id];
        const ConstView g =
            make_view(static_cast<const double*>(gradient.data()) + p.offset, p.rows, p.cols);
        EXPECT_LT(g.triangularView<Eigen::Lower>().toDenseMatrix().cwiseAbs().maxCoeff(), 1e-6)
            << name << " " << p.name;
      }
    }
  }
}

// Two ways to the same q: the formula, and a natural step of length 1.
TEST(ExactPosterior, IsWhereTheTopLayerSettles) {
  const DataSet data = some_data(20, 15);
  Model one =
      fixture::random_model(default_spec("cgp", kInputs, {TaskSpec{}, TaskSpec{}}, 2, 1, 5), 16);
  Model other = one;
  set_best_posterior(one, data);
  settle_top(other, data, 1, 1);
  EXPECT_LT((one.parameters.view("f.q_mu") - other.parameters.view("f.q_mu")).norm(), 1e-7);
  EXPECT_LT((one.parameters.view("f.q_sqrt") - other.parameters.view("f.q_sqrt")).norm(), 1e-7);
}

TEST(TrainExact, FindsTheNoiseAndBeatsTheStart) {
  const DataSet data = some_data(150, 10);
  for (const char* name : {"exact-gp", "exact-icm"}) {
    const ModelSpec spec = exact_spec(name, "rbf", data);
    Model model = make_model(spec);
    train_exact(model, spec, data);
    for (const Likelihood& likelihood : model.likelihoods) {
      EXPECT_NEAR(model.parameters.view(likelihood.parameters[0])(0, 0), 0.01, 0.005) << name;
    }
    Model start = make_model(spec);
    place_on_observations(start, data);
    EXPECT_GT(log_marginal_likelihood(model, data), log_marginal_likelihood(start, data) + 50.0);
  }
}

TEST(TrainExact, SearchesWithAChoiceOfTheObservationsAndKeepsThemAll) {
  const DataSet data = some_data(150, 11);
  const ModelSpec spec = exact_spec("exact-icm", "matern52", data);
  Model all = make_model(spec), some = make_model(spec);
  train_exact(all, spec, data);
  train_exact(some, spec, data, {.most_observations = 100});
  EXPECT_EQ(some.cascade.layers.back().processes.front().inducing,
            static_cast<Index>(data.observations.size()));
  const Matrix x = fixture::Random(12).normals(20, kInputs) * 0.5;
  const Matrix a = Posterior(all).predict(view_of(x), 0).mean;
  const Matrix b = Posterior(some).predict(view_of(x), 0).mean;
  EXPECT_NE(a, b);
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 0.1);
}

// A choice that leaves out all observations of a task would leave its process without any.
TEST(TrainExact, AChoiceOfTheObservationsHasSomeOfEveryTask) {
  DataSet data = some_data(150, 11);
  std::erase_if(data.observations, [](const Observation& o) { return o.task == 1; });
  data.observations.push_back({0, 1, 0.3});
  for (const char* name : {"exact-gp", "exact-icm"}) {
    const ModelSpec spec = exact_spec(name, "matern52", data);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Model model = make_model(spec);
      ExactOptions options{.most_observations = 20, .seed = seed};
      options.search.iterations = 2;
      EXPECT_NO_THROW(train_exact(model, spec, data, options)) << name << ' ' << seed;
    }
  }
}

TEST(TrainExact, PriorsKeepFewObservationsFromOverfitting) {
  const DataSet data = some_data(9, 13);
  const ModelSpec spec = exact_spec("exact-gp", "rbf", data);
  Model with = make_model(spec), without = make_model(spec);
  train_exact(with, spec, data);
  train_exact(without, spec, data, {.priors = false});
  const auto smallest_noise = [](const Model& model) {
    double least = 1.0;
    for (const Likelihood& l : model.likelihoods) {
      least = std::min(least, model.parameters.view(l.parameters[0])(0, 0));
    }
    return least;
  };
  EXPECT_GT(smallest_noise(with), 2e-3);
  EXPECT_LT(smallest_noise(without), smallest_noise(with));
}

TEST(ExactModel, IsForGaussianNoiseAndKnowsItsObservations) {
  const DataSet data = some_data(9, 14);
  ModelSpec spec = exact_spec("exact-gp", "rbf", data);
  spec.tasks[1].likelihood = "poisson";
  EXPECT_THROW(make_model(spec), std::invalid_argument);
  spec = exact_spec("exact-gp", "rbf", data);
  spec.top_inducing.clear();
  EXPECT_THROW(make_model(spec), std::invalid_argument);
  spec.top_inducing = {3};
  EXPECT_THROW(make_model(spec), std::invalid_argument);
  spec.top_inducing = {3, 0};
  EXPECT_THROW(make_model(spec), std::invalid_argument);
}

}  // namespace
}  // namespace mdgp
