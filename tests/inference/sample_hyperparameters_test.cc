#include "mdgp/inference/sample_hyperparameters.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "mdgp/inference/exact.h"
#include "mdgp/linalg/parallel.h"
#include "mdgp/posterior/posterior.h"
#include "testing/random_model.h"

namespace mdgp {
namespace {

// One input and a linear kernel: a variance and a noise for each task, whose posterior a grid has.
constexpr double kSpread = 3.0, kOwn = 2.0;          // of the logarithm of a linear variance
constexpr double kNoise = 0.03, kNoiseSpread = 0.7;  // shared, and a task's own
constexpr int kPoints = 31;

DataSet two_lines() {
  fixture::Random random(4);
  DataSet data{random.normals(9, 1), {}};
  for (Index r = 0; r < 9; ++r) {
    const int task = r < 5 ? 0 : 1;
    const double slope = task == 0 ? 1.0 : 0.4;
    data.observations.push_back({r, task, slope * data.x(r, 0) + 0.3 * random.normal()});
  }
  return data;
}

ModelSpec line_spec(const DataSet& data) {
  ModelSpec spec = default_spec("exact-gp", 1, {{"gaussian"}, {"gaussian"}});
  spec.top.kernel = "linear";
  spec.top_inducing = observation_counts(data, 2);
  return spec;
}

Model line_model(const ModelSpec& spec, const DataSet& data) {
  Model model = make_model(spec);
  place_on_observations(model, data);
  return model;
}

// log p(y) of one task by the determinant and inverse of the dense covariance.
double dense_log_p(const DataSet& data, int task, double variance, double noise) {
  std::vector<double> x, y;
  for (const Observation& o : data.observations) {
    if (o.task == task) x.push_back(data.x(o.row, 0)), y.push_back(o.y);
  }
  const auto n = static_cast<Index>(x.size());
  const Eigen::Map<const Vector> xs(x.data(), n), ys(y.data(), n);
  const Matrix K = variance * xs * xs.transpose() + (noise + 1e-6) * Matrix::Identity(n, n);
  return -0.5 * ys.dot(K.inverse() * ys) - 0.5 * std::log(K.determinant());
}

// Posterior mean and variance of the two tasks' log variance and log noise by summing over a grid.
struct Moments {
  Vector mean = Vector::Zero(4), second = Vector::Zero(4);
};
Moments on_a_grid(const DataSet& data, bool alike) {
  const double wide = std::hypot(kSpread, kOwn), noisy = std::hypot(kNoiseSpread, kNoiseSpread);
  std::vector<Vector> points;  // (log variance, log noise), in units of their spreads
  std::vector<double> log_p[2];
  for (int i = 0; i < kPoints; ++i) {
    for (int j = 0; j < kPoints; ++j) {
      const Vector z = Vector{{-4.0 + 8.0 * i / (kPoints - 1), -4.0 + 8.0 * j / (kPoints - 1)}};
      points.push_back(z);
      for (int t = 0; t < 2; ++t) {
        log_p[t].push_back(
            dense_log_p(data, t, std::exp(wide * z[0]), kNoise * std::exp(noisy * z[1])));
      }
    }
  }
  // Correlations of the tasks before there are data.
  const double r_variance = alike ? kSpread * kSpread / (wide * wide) : 0.0;
  const double r_noise = alike ? 0.5 : 0.0;
  const auto log_prior = [](double a, double b, double r) {
    return -0.5 * (a * a - 2.0 * r * a * b + b * b) / (1.0 - r * r);
  };
  Moments out;
  double total = 0.0;
  for (std::size_t a = 0; a < points.size(); ++a) {
    for (std::size_t b = 0; b < points.size(); ++b) {
      const double weight =
          std::exp(log_p[0][a] + log_p[1][b] + log_prior(points[a][0], points[b][0], r_variance) +
                   log_prior(points[a][1], points[b][1], r_noise));
      const Vector at{{wide * points[a][0], std::log(kNoise) + noisy * points[a][1],
                       wide * points[b][0], std::log(kNoise) + noisy * points[b][1]}};
      total += weight;
      out.mean += weight * at;
      out.second += weight * at.cwiseAbs2();
    }
  }
  out.mean /= total;
  out.second /= total;
  return out;
}

class Drawn : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Alike, Drawn, testing::Bool());

TEST_P(Drawn, HyperparametersHaveTheMomentsOfTheirPosterior) {
  if (MDGP_SANITIZED) GTEST_SKIP() << "too slow with sanitizers";
  const DataSet data = two_lines();
  const ModelSpec spec = line_spec(data);
  Model model = line_model(spec, data);
  SampleOptions options;
  options.samples = kMostMembers;
  options.alike = GetParam();
  sample_hyperparameters(model, spec, data, options);
  ASSERT_EQ(model.members.size(), static_cast<std::size_t>(kMostMembers));
  Moments drawn;
  for (const Model& member : members_of(model)) {
    Vector at(4);
    for (int t = 0; t < 2; ++t) {
      const Process& process = member.cascade.layers[0].processes[static_cast<std::size_t>(t)];
      at[2 * t] = std::log(member.parameters.view(process.kernel.parameters[0])(0, 0));
      at[2 * t + 1] =
          std::log(member.parameters.view(fmt::format("likelihood{}.variance", t))(0, 0));
    }
    drawn.mean += at / static_cast<double>(kMostMembers);
    drawn.second += at.cwiseAbs2() / static_cast<double>(kMostMembers);
  }
  const Moments exact = on_a_grid(data, GetParam());
  for (Index k = 0; k < 4; ++k) {
    const double deviation = std::sqrt(exact.second[k] - exact.mean[k] * exact.mean[k]);
    EXPECT_NEAR(drawn.mean[k], exact.mean[k], 0.1 * deviation) << k;
    EXPECT_NEAR(std::sqrt(drawn.second[k] - drawn.mean[k] * drawn.mean[k]), deviation,
                0.1 * deviation)
        << k;
  }
}

struct Deep {
  const char *model, *kernel;
};
class DrawnDeep : public testing::TestWithParam<Deep> {};
INSTANTIATE_TEST_SUITE_P(
    Models, DrawnDeep,
    testing::Values(Deep{"smdgp", "(matern32 + constant) * (constant + linear)"},
                    Deep{"cmdgp", "(matern32 + constant) * (constant + tasklinear) + private"}));

TEST_P(DrawnDeep, ModelsKeepTheLayersBelow) {
  const ModelSpec spec = [] {
    ModelSpec s = default_spec(GetParam().model, 3, {{"heavy_tailed"}, {"heavy_tailed"}}, 2, 2, 5);
    s.propagate_inputs = true;
    s.top.kernel = GetParam().kernel;
    return s;
  }();
  Model model = fixture::random_model(spec, 3);
  DataSet data{fixture::Random(3).normals(12, 3), {}};
  for (Index r = 0; r < 12; ++r) {
    data.observations.push_back({r, static_cast<int>(r % 2), std::sin(data.x(r, 0))});
  }
  SampleOptions options;
  options.samples = 5;
  options.burn_in = 5;
  options.thin = 2;
  const Model before = model;
  sample_hyperparameters(model, spec, data, options);
  EXPECT_EQ(model.parameters.values, before.parameters.values);
  ASSERT_EQ(model.members.size(), 5U);
  for (const Model& member : members_of(model)) {
    for (const Parameter& p : member.parameters.table) {
      const bool drawn = (p.name.starts_with("f") && !p.name.ends_with(".Z")) ||
                         (p.name.starts_with("likelihood") && p.name.ends_with(".variance"));
      EXPECT_NE(member.parameters.view(p.name) == before.parameters.view(p.name), drawn) << p.name;
    }
  }
  // The same draws whatever the number of threads, and others with another seed.
  Model again = before;
  const int threads = num_threads();
  set_num_threads(3);
  sample_hyperparameters(again, spec, data, options);
  set_num_threads(threads);
  EXPECT_EQ(again.members, model.members);
  options.seed = 2;
  sample_hyperparameters(again, spec, data, options);
  EXPECT_NE(again.members, model.members);
}

TEST(SampleHyperparameters, StopsWhereItIsToldTo) {
  const DataSet data = two_lines();
  const ModelSpec spec = line_spec(data);
  Model model = line_model(spec, data);
  SampleOptions options;
  options.samples = 5;
  options.burn_in = 10;
  std::vector<double> done;
  options.go_on = [&](double share) {
    done.push_back(share);
    return true;
  };
  sample_hyperparameters(model, spec, data, options);
  EXPECT_EQ(model.members.size(), 5U);
  ASSERT_EQ(done.size(), 120U);  // two chains of 10 sweeps and 5 draws of 20
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_EQ(done.back(), 1.0);
  for (const int threads : {1, 2}) {  // with one, the chains run one after the other
    const int before = num_threads();
    set_num_threads(threads);
    options.go_on = [](double share) { return share < 0.75; };
    sample_hyperparameters(model, spec, data, options);
    set_num_threads(before);
    EXPECT_TRUE(model.members.empty());
  }
}

TEST(SampleHyperparameters, AskForWhatTheyNeed) {
  const DataSet data = two_lines();
  const ModelSpec spec = line_spec(data);
  Model model = make_model(spec);
  SampleOptions options;
  options.samples = kMostMembers + 1;
  EXPECT_THROW(sample_hyperparameters(model, spec, data, options), std::invalid_argument);
  ModelSpec deep = default_spec("smdgp", 1, {{"gaussian"}, {"gaussian"}});
  Model blind = make_model(deep);
  EXPECT_THROW(sample_hyperparameters(blind, deep, data), std::invalid_argument);
}

// Correlated tasks with a linear kernel each, weighed by their own variances.
ModelSpec correlated_spec(const DataSet& data) {
  ModelSpec spec = line_spec(data);
  spec.model = "exact-icm";
  spec.top.kernel = "tasklinear";
  spec.rank = 1;
  return spec;
}

// Task t: log variance, log kappa, log noise; then W_0 W_1, whose sign matters and theirs do not.
struct Correlated {
  double variance[2], kappa[2], noise[2], w[2];

  Vector summary() const {
    return Vector{{std::log(variance[0]), std::log(variance[1]), std::log(kappa[0]),
                   std::log(kappa[1]), std::log(noise[0]), std::log(noise[1]), w[0] * w[1]}};
  }
};

// log p(y) of all tasks, whose covariance is k but for the noise of each.
template <class K>
double dense_log_p(const DataSet& data, const K& k, const double noise[2]) {
  const auto n = static_cast<Index>(data.observations.size());
  Matrix covariance(n, n);
  Vector y(n);
  for (Index i = 0; i < n; ++i) {
    const Observation& a = data.observations[static_cast<std::size_t>(i)];
    y[i] = a.y;
    for (Index j = 0; j < n; ++j) {
      covariance(i, j) = k(a, data.observations[static_cast<std::size_t>(j)]);
    }
    covariance(i, i) += noise[a.task] + 1e-6;
  }
  const Eigen::PartialPivLU<Matrix> lu(covariance);
  return -0.5 * y.dot(lu.solve(y)) - 0.5 * std::log(lu.determinant());
}

double dense_log_p(const DataSet& data, const Correlated& h) {
  const auto k = [&](const Observation& a, const Observation& b) {
    const double alike = h.w[a.task] * h.w[b.task] + (a.task == b.task ? h.kappa[a.task] : 0.0);
    return alike * std::sqrt(h.variance[a.task] * h.variance[b.task]) * data.x(a.row, 0) *
           data.x(b.row, 0);
  };
  return dense_log_p(data, k, h.noise);
}

// Draws from the prior, weighed by their likelihood.
void weigh_prior(const DataSet& data, Vector& mean, Vector& deviation) {
  fixture::Random random(8);
  Vector second = Vector::Zero(7);
  mean = second;
  double total = 0.0;
  for (int i = 0; i < 200'000; ++i) {
    const double shared_variance = kSpread * random.normal();
    const double shared_noise = kNoiseSpread * random.normal();
    Correlated h;
    for (int t = 0; t < 2; ++t) {
      h.variance[t] = std::exp(shared_variance + kOwn * random.normal());
      h.noise[t] = kNoise * std::exp(shared_noise + kNoiseSpread * random.normal());
      h.kappa[t] = 0.3 * std::exp(0.7 * random.normal());
      h.w[t] = 0.4 * random.normal();
    }
    const double weight = std::exp(dense_log_p(data, h));
    total += weight;
    mean += weight * h.summary();
    second += weight * h.summary().cwiseAbs2();
  }
  mean /= total;
  deviation = (second / total - mean.cwiseAbs2()).cwiseSqrt();
}

TEST(SampleHyperparameters, OfCorrelatedTasksHaveTheMomentsOfTheirPosterior) {
  if (MDGP_SANITIZED) GTEST_SKIP() << "too slow with sanitizers";
  const DataSet data = two_lines();
  const ModelSpec spec = correlated_spec(data);
  Model model = line_model(spec, data);
  SampleOptions options;
  options.samples = kMostMembers;
  sample_hyperparameters(model, spec, data, options);
  Matrix drawn(7, kMostMembers);
  Index next = 0;
  for (const Model& member : members_of(model)) {
    Correlated h;
    for (int t = 0; t < 2; ++t) {
      h.variance[t] = member.parameters.view("f.kernel.variance")(0, t);
      h.kappa[t] = member.parameters.view("f.kernel.coregion.kappa")(t, 0);
      h.w[t] = member.parameters.view("f.kernel.coregion.W")(t, 0);
      h.noise[t] = member.parameters.view(fmt::format("likelihood{}.variance", t))(0, 0);
    }
    drawn.col(next++) = h.summary();
  }
  Vector mean, deviation;
  weigh_prior(data, mean, deviation);
  for (Index k = 0; k < 7; ++k) {
    const double drawn_mean = drawn.row(k).mean();
    EXPECT_NEAR(drawn_mean, mean[k], 0.15 * deviation[k]) << k;
    EXPECT_NEAR(std::sqrt((drawn.row(k).array() - drawn_mean).square().mean()), deviation[k],
                0.15 * deviation[k])
        << k;
  }
}

// Two inputs that go together, and one line each of two tasks.
DataSet two_inputs() {
  fixture::Random random(5);
  DataSet data{random.normals(9, 2), {}};
  data.x.col(1) = 0.5 * data.x.col(1) - data.x.col(0);
  for (Index r = 0; r < 9; ++r) {
    data.observations.push_back({r, r < 5 ? 0 : 1, data.x(r, 0) + 0.3 * random.normal()});
  }
  return data;
}

double correlation(const Vector& a, const Vector& b) {
  const Vector u = a.array() - a.mean(), v = b.array() - b.mean();
  return u.dot(v) / (u.norm() * v.norm());
}

// log variances [inputs, tasks].
double dense_log_p(const DataSet& data, const Matrix& log_variance, const double noise[2]) {
  const auto k = [&](const Observation& a, const Observation& b) {
    if (a.task != b.task) return 0.0;
    const Vector variance = log_variance.col(a.task).array().exp();
    return data.x.row(a.row).cwiseProduct(data.x.row(b.row)).dot(variance);
  };
  return dense_log_p(data, k, noise);
}

// The log variances, and how they move together in each task.
Vector summary(const Matrix& log_variance) {
  const auto product = [&](Index t) { return log_variance(0, t) * log_variance(1, t); };
  return Vector{{log_variance(0, 0), log_variance(1, 0), log_variance(0, 1), log_variance(1, 1),
                 product(0), product(1)}};
}

TEST(SampleHyperparameters, OfInputsThatGoTogetherAreCorrelated) {
  if (MDGP_SANITIZED) GTEST_SKIP() << "too slow with sanitizers";
  const DataSet data = two_inputs();
  ModelSpec spec = line_spec(data);
  spec.inputs = 2;
  Model model = line_model(spec, data);
  SampleOptions options;
  options.samples = kMostMembers;
  sample_hyperparameters(model, spec, data, options);
  Vector drawn = Vector::Zero(6);
  for (const Model& member : members_of(model)) {
    Matrix log_variance(2, 2);
    for (Index t = 0; t < 2; ++t) {
      const Process& process = member.cascade.layers[0].processes[static_cast<std::size_t>(t)];
      const auto variance = member.parameters.view(process.kernel.parameters[0]);
      for (Index d = 0; d < 2; ++d) log_variance(d, t) = std::log(variance.data()[d]);
    }
    drawn += summary(log_variance) / static_cast<double>(kMostMembers);
  }
  // Draws from the prior, weighed by their likelihood.
  const double r = -correlation(data.x.col(0), data.x.col(1));  // without its sign
  ASSERT_GT(r, 0.5);
  fixture::Random random(8);
  Vector mean = Vector::Zero(6), second = mean;
  double total = 0.0;
  for (int i = 0; i < 200'000; ++i) {
    const Vector shared = kSpread * random.normals(2, 1);
    const double shared_noise = kNoiseSpread * random.normal();
    Matrix log_variance(2, 2);
    double noise[2];
    for (Index t = 0; t < 2; ++t) {
      const Vector each = shared + kOwn * random.normals(2, 1);
      log_variance(0, t) = std::log(0.5) + each[0];
      log_variance(1, t) = std::log(0.5) + r * each[0] + std::sqrt(1.0 - r * r) * each[1];
      noise[t] = kNoise * std::exp(shared_noise + kNoiseSpread * random.normal());
    }
    const double weight = std::exp(dense_log_p(data, log_variance, noise));
    total += weight;
    mean += weight * summary(log_variance);
    second += weight * summary(log_variance).cwiseAbs2();
  }
  mean /= total;
  const Vector deviation = (second / total - mean.cwiseAbs2()).cwiseSqrt();
  for (Index k = 0; k < 6; ++k) EXPECT_NEAR(drawn[k], mean[k], 0.15 * deviation[k]) << k;
}

TEST(SampleHyperparameters, OfInputsThatAreTheSameAreTheSame) {
  DataSet data = two_inputs();
  data.x = (Matrix(9, 3) << data.x.col(0), -data.x.col(0), Vector::Ones(9)).finished();
  ModelSpec spec = line_spec(data);
  spec.inputs = 3;  // of which one never differs
  Model model = line_model(spec, data);
  SampleOptions options;
  options.samples = 3;
  options.burn_in = 20;
  sample_hyperparameters(model, spec, data, options);
  for (const Model& member : members_of(model)) {
    for (const Process& process : member.cascade.layers[0].processes) {
      const auto variance = member.parameters.view(process.kernel.parameters[0]);
      const Vector logs = Eigen::Map<const Vector>(variance.data(), 3).array().log();
      EXPECT_TRUE(logs.allFinite());
      EXPECT_NEAR(logs[0], logs[1], 1e-6);
      EXPECT_GT(std::abs(logs[0] - logs[2]), 1e-3);
    }
  }
}

TEST(SampleHyperparameters, MembersHaveTheExactPosterior) {
  const DataSet data = two_lines();
  for (const ModelSpec& spec : {line_spec(data), correlated_spec(data)}) {
    Model model = line_model(spec, data);
    SampleOptions options;
    options.samples = 3;
    options.burn_in = 20;
    sample_hyperparameters(model, spec, data, options);
    ASSERT_EQ(model.members.size(), 3U) << spec.model;
    for (Model member : members_of(model)) {
      const Vector values = member.parameters.values;
      set_best_posterior(member, data);
      EXPECT_EQ(member.parameters.values, values) << spec.model;
    }
  }
}

}  // namespace
}  // namespace mdgp
