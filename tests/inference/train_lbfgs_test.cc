#include "mdgp/inference/train_lbfgs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mdgp/inference/free_vector.h"
#include "mdgp/posterior/posterior.h"
#include "mdgp/random/normal.h"
#include "testing/dense.h"

namespace mdgp {
namespace {

TEST(Maximise, FindsTheTopOfRosenbrocksFunction) {
  Vector x = Vector{{-1.2, 1.0}};
  const LbfgsSummary summary = maximise(
      [](const Vector& at, Vector& gradient) {
        const double a = 1.0 - at[0], b = at[1] - at[0] * at[0];
        gradient = Vector{{2.0 * a + 400.0 * at[0] * b, -200.0 * b}};
        return -(a * a + 100.0 * b * b);
      },
      x, {.gradient_tolerance = 1e-8});
  EXPECT_LT((x - Vector{{1.0, 1.0}}).norm(), 1e-5) << summary.message;
}

TEST(Maximise, StepsBackWhereTheFunctionCannotBeEvaluated) {
  Vector x = Vector::Constant(1, 0.5);
  maximise(
      [](const Vector& at, Vector& gradient) {
        if (at[0] <= 0.0 || at[0] >= 1.0) return -std::numeric_limits<double>::infinity();
        gradient = Vector::Constant(1, 0.9 / at[0] - 0.1 / (1.0 - at[0]));
        return 0.9 * std::log(at[0]) + 0.1 * std::log(1.0 - at[0]);
      },
      x);
  EXPECT_NEAR(x[0], 0.9, 1e-4);
}

// An exact GP with an ARD rbf kernel in the test's own words.
struct DenseGp {
  Matrix x;
  Vector y;
  double variance, noise;
  Vector lengthscales;

  Matrix kernel(const Matrix& a, const Matrix& b) const {
    Matrix K(a.rows(), b.rows());
    for (Index i = 0; i < a.rows(); ++i) {
      for (Index j = 0; j < b.rows(); ++j) {
        const Vector d = (a.row(i) - b.row(j)).transpose().cwiseQuotient(lengthscales);
        K(i, j) = variance * std::exp(-0.5 * d.squaredNorm());
      }
    }
    return K;
  }
  Matrix covariance() const { return kernel(x, x) + noise * Matrix::Identity(x.rows(), x.rows()); }
  double log_marginal_likelihood() const {
    const Matrix C = covariance();
    const double n = static_cast<double>(y.size());
    return -0.5 * (y.dot(fixture::solve(C, y).col(0)) + fixture::log_determinant(C) +
                   n * std::log(2.0 * std::numbers::pi));
  }
};

struct SmallData {
  DataSet data;
  Vector y;

  SmallData() {
    const DrawKey key{3, Purpose::data, 0};
    data.x.resize(25, 2);
    y.resize(25);
    for (Index r = 0; r < 25; ++r) {
      const auto row = static_cast<std::uint64_t>(r);
      data.x(r, 0) = normal(key, row, 0);
      data.x(r, 1) = normal(key, row, 2);
      y[r] = std::sin(1.5 * data.x(r, 0)) + 0.4 * data.x(r, 1) + 0.1 * normal(key, row, 4);
      data.observations.push_back({r, 0, y[r]});
    }
  }
};

Model igp_at_rows(const DataSet& data) {
  ModelSpec spec = default_spec("igp", 2, {TaskSpec{}});
  spec.top.inducing = data.x.rows();
  spec.top.kernel = "rbf";
  spec.jitter = 1e-8;
  Model model = make_model(spec);
  model.parameters.view("f0.Z") = data.x;
  model.parameters.table[static_cast<std::size_t>(model.parameters.find("f0.Z"))].trainable = false;
  return model;
}

DenseGp exact(const Model& model, const SmallData& small) {
  return {small.data.x, small.y, model.parameters.view("f0.kernel.variance")(0, 0),
          model.parameters.view("likelihood0.variance")(0, 0),
          Vector(model.parameters.view("f0.kernel.lengthscales").col(0))};
}

TEST(TrainLbfgs, IgpAtItsRowsReachesTheExactMarginalLikelihood) {
  const SmallData small;
  Model model = igp_at_rows(small.data);
  const LbfgsSummary summary = train_lbfgs(model, small.data);
  EXPECT_NEAR(summary.value, exact(model, small).log_marginal_likelihood(), 1e-4);

  // And that is the largest there is: the exact likelihood, climbed from the same start by
  // differences.
  DenseGp gp = exact(igp_at_rows(small.data), small);
  Vector log_parameters(4);
  log_parameters << std::log(gp.variance), gp.lengthscales.array().log().matrix(),
      std::log(gp.noise);
  const auto value = [&](const Vector& p) {
    gp.variance = std::exp(p[0]);
    gp.lengthscales = p.segment(1, 2).array().exp();
    gp.noise = std::exp(p[3]);
    return gp.log_marginal_likelihood();
  };
  const LbfgsSummary direct = maximise(
      [&](const Vector& p, Vector& gradient) {
        gradient.resize(4);
        for (Index i = 0; i < 4; ++i) {
          Vector up = p, down = p;
          up[i] += 1e-5;
          down[i] -= 1e-5;
          gradient[i] = (value(up) - value(down)) / 2e-5;
        }
        return value(p);
      },
      log_parameters);
  EXPECT_NEAR(summary.value, direct.value, 1e-4);
}

TEST(TrainLbfgs, IgpAtItsRowsPredictsAsTheExactGp) {
  const SmallData small;
  Model model = igp_at_rows(small.data);
  train_lbfgs(model, small.data);
  const DenseGp gp = exact(model, small);
  const Matrix at = Matrix::Random(20, 2) * 2.0;
  const Matrix cross = gp.kernel(at, small.data.x);
  const Vector mean = cross * fixture::solve(gp.covariance(), small.y);
  const Matrix solved = fixture::solve(gp.covariance(), cross.transpose());
  const Prediction p = Posterior(model).predict(view_of(at), 0);
  EXPECT_LT((p.mean.col(0) - mean).cwiseAbs().maxCoeff(), 1e-4);
  for (Index i = 0; i < at.rows(); ++i) {
    EXPECT_NEAR(p.variance(i, 0), gp.variance + gp.noise - cross.row(i).dot(solved.col(i)), 1e-4);
  }
}

TEST(TrainLbfgs, ImprovesABoundThatIsNotConjugate) {
  SmallData small;
  for (Observation& o : small.data.observations) o.y = o.y > 0.0 ? 1.0 : 0.0;
  ModelSpec spec = default_spec("igp", 2, {TaskSpec{"bernoulli"}});
  spec.top.inducing = 6;
  Model model = make_model(spec);
  model.parameters.view("f0.Z") = small.data.x.topRows(6);
  Bound bound(model);
  const double before =
      bound({view_of(std::as_const(small.data.x)), &small.data.observations}, {}).bound;
  const LbfgsSummary summary = train_lbfgs(model, small.data, {.iterations = 100});
  EXPECT_GT(summary.value, before + 1.0);
  EXPECT_NEAR(bound({view_of(std::as_const(small.data.x)), &small.data.observations}, {}).bound,
              summary.value, 1e-9);
}

}  // namespace
}  // namespace mdgp
