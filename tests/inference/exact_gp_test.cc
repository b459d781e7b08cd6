// Shallow models with Gaussian noise have an exact log marginal likelihood, log N(y; 0, K + noise).
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "testing/dense.h"
#include "testing/random_model.h"

namespace mdgp {
namespace {

using fixture::Data;
using fixture::Random;

constexpr Index kTasks = 2, kRows = 12;

// Observation k is of row k and task k mod 2; as many inducing inputs as each process has rows,
// which for the coregionalised one are dealt to the tasks in the same way.
class ExactGp : public ::testing::TestWithParam<std::string> {
 protected:
  void build(unsigned seed, Index inducing) {
    ModelSpec spec = fixture::small_spec(GetParam(), 1, {{}, {}});
    spec.inputs = 2;
    spec.top.inducing = inducing;
    spec.jitter = 1e-10;
    model_ = fixture::random_model(spec, seed);
    Random random(seed + 1000);
    data_.x = random.normals(kRows, 2);
    data_.observations.clear();
    for (Index k = 0; k < kRows; ++k) {
      data_.observations.push_back({k, static_cast<int>(k % kTasks), random.normal()});
    }
  }

  bool coregional() const { return fixture::is_coregional(GetParam()); }
  const Process& process(int task) const {
    return model_.cascade.layers[0].processes[coregional() ? 0 : at(task)];
  }
  double noise(int task) const {
    return model_.parameters.view("likelihood" + std::to_string(task) + ".variance")(0, 0);
  }
  Vector y() const {
    Vector result(kRows);
    for (Index k = 0; k < kRows; ++k) result[k] = data_.observations[at(k)].y;
    return result;
  }
  // Prior covariance of the f of all observations; those of different processes are independent.
  Matrix prior() const {
    Matrix K = Matrix::Zero(kRows, kRows);
    for (Index i = 0; i < kRows; ++i) {
      for (Index j = 0; j < kRows; ++j) {
        const int s = data_.observations[at(i)].task, t = data_.observations[at(j)].task;
        if (s != t && !coregional()) continue;
        K(i, j) = fixture::textbook_kernel(process(s), model_.parameters, data_.x.row(i), s,
                                           data_.x.row(j), t, i == j);
      }
    }
    return K;
  }
  double log_marginal_likelihood() const {
    Matrix C = prior();
    for (Index k = 0; k < kRows; ++k) C(k, k) += noise(data_.observations[at(k)].task);
    return -0.5 * (y().dot(fixture::inverse(C) * y()) + fixture::log_determinant(C) +
                   static_cast<double>(kRows) * std::log(2.0 * std::numbers::pi));
  }
  double bound() {
    Bound b(model_);
    return b(data_.batch(), {}).bound;
  }

  // Z at the rows and q(u) the exact posterior: with A = K(X, Z) L⁻ᵀ and R the noise,
  //   q(v) = N(Λ⁻¹ Aᵀ R⁻¹ y, Λ⁻¹),   Λ = I + Aᵀ R⁻¹ A.
  void make_optimal(int first_task) {
    const Process& p = process(first_task);
    std::vector<Index> rows;
    for (Index k = 0; k < kRows; ++k) {
      if (coregional() || data_.observations[at(k)].task == first_task) rows.push_back(k);
    }
    ASSERT_EQ(static_cast<Index>(rows.size()), p.inducing);
    model_.parameters.view(p.Z) = data_.x(rows, Eigen::all);
    const Matrix L =
        fixture::cholesky(fixture::textbook_Kzz(p, model_.parameters, model_.cascade.jitter));
    const Matrix Kxz = prior()(rows, rows);
    const Matrix A = Kxz * fixture::inverse(L).transpose();
    Vector precision(p.inducing);
    for (Index i = 0; i < p.inducing; ++i) {
      precision[i] = 1.0 / noise(data_.observations[at(rows[at(i)])].task);
    }
    const Matrix identity = Matrix::Identity(p.inducing, p.inducing);
    const Matrix covariance =
        fixture::inverse(identity + A.transpose() * precision.asDiagonal() * A);
    model_.parameters.view(p.q_mu) =
        covariance * A.transpose() * precision.asDiagonal() * Vector(y()(rows));
    set_q_sqrt_triangle(p, model_.parameters, 0, fixture::cholesky(covariance));
  }

  Model model_;
  Data data_;
};

INSTANTIATE_TEST_SUITE_P(Models, ExactGp, ::testing::Values("igp", "cgp"),
                         [](const auto& test) { return test.param; });

TEST_P(ExactGp, BoundIsBelowForAnyPosteriorAndInducingInputs) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    build(seed, 1 + static_cast<Index>(seed % 6));
    EXPECT_LT(bound(), log_marginal_likelihood()) << "seed " << seed;
  }
}

TEST_P(ExactGp, BoundIsEqualAtTheRowsWithTheOptimalPosterior) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    build(seed, coregional() ? kRows : kRows / kTasks);
    for (int t = 0; t < (coregional() ? 1 : kTasks); ++t) make_optimal(t);
    EXPECT_NEAR(bound(), log_marginal_likelihood(), 1e-6) << "seed " << seed;
  }
}

// At its maximum over q the bound must be flat there.
TEST_P(ExactGp, GradientIsZeroAtTheOptimalPosterior) {
  build(3, coregional() ? kRows : kRows / kTasks);
  for (int t = 0; t < (coregional() ? 1 : kTasks); ++t) make_optimal(t);
  Bound b(model_);
  Vector gradient;
  b(data_.batch(), {}, &gradient);
  for (int t = 0; t < (coregional() ? 1 : kTasks); ++t) {
    for (const int id : {process(t).q_mu, process(t).q_sqrt}) {
      const Parameter& p = model_.parameters[id];
      EXPECT_LT(gradient.segment(p.offset, p.size()).cwiseAbs().maxCoeff(), 1e-8) << p.name;
    }
  }
}

}  // namespace
}  // namespace mdgp
