// Every kernel of one list is held to the same contract: its values against textbook formulas, its
// gradients against differences, and what must hold of any covariance.

#include "kernel_problem.h"
#include "testing/dense.h"

namespace mdgp::testing_kernels {
namespace {

class AnyKernel : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, AnyKernel, testing::ValuesIn(with_and_without_ard(kAll)));

TEST_P(AnyKernel, HasTheTextbooksValues) {
  const Problem p(GetParam());
  for (const Of of : kEach) {
    SCOPED_TRACE(name_of(of));
    expect_near(p.evaluate(of), p.textbook_matrix(of), 1e-12);
  }
}

TEST_P(AnyKernel, HasTheRightGradient) {
  const Problem p(GetParam());
  for (const Of of : kEach) {
    SCOPED_TRACE(name_of(of));
    expect_right_gradient(p.check(of), 1e-8);
  }
}

TEST_P(AnyKernel, HasTheTextbooksValuesAtCoincidingPoints) {
  Problem p(GetParam());
  p.make_some_points_coincide();
  for (const Of of : kEach) {
    SCOPED_TRACE(name_of(of));
    expect_near(p.evaluate(of), p.textbook_matrix(of), 1e-12);
  }
}

// Also for matern12: its kink is even, so that the central difference gives the 0 that it defines.
// The differences are less exact here, where matern32 has a third derivative that jumps.
TEST_P(AnyKernel, HasTheRightGradientAtCoincidingPoints) {
  Problem p(GetParam());
  p.make_some_points_coincide();
  for (const Of of : kEach) {
    SCOPED_TRACE(name_of(of));
    expect_right_gradient(p.check(of), 1e-7);
  }
}

TEST_P(AnyKernel, AddsToTheAdjoints) {
  const Problem p(GetParam());
  for (const Of of : kEach) {
    SCOPED_TRACE(name_of(of));
    Vector gradient = Vector::Ones(p.all().size());
    p.evaluate(of, p.all(), &gradient);
    expect_near(gradient, p.gradient(of) + Vector::Ones(gradient.size()), 1e-13);
  }
}

TEST_P(AnyKernel, DifferentiatesParametersWhereThePointsAreConstants) {
  const Problem p(GetParam());
  const Index points = p.all().size() - p.parameters().size();
  for (const Of of : kEach) {
    SCOPED_TRACE(name_of(of));
    Vector gradient = Vector::Zero(p.all().size()), expected = p.gradient(of);
    expected.tail(points).setZero();
    p.evaluate(of, p.all(), &gradient, false);
    expect_near(gradient, expected, 1e-13);
  }
}

// Properties, on random points of several sizes; X is a copy of Z.
class Covariance : public testing::TestWithParam<Case> {
 protected:
  static std::vector<Problem> problems() {
    std::vector<Problem> all;
    for (unsigned seed = 0; seed < 8; ++seed) {
      const Index m = 1 + 7 * static_cast<Index>(seed);
      all.emplace_back(GetParam(), m, m, seed).make_x_a_copy_of_z();
    }
    return all;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Covariance, testing::ValuesIn(with_and_without_ard(kAll)));

TEST_P(Covariance, IsSymmetric) {
  for (const Problem& p : problems()) {
    const Matrix K = p.evaluate(Of::gram);
    expect_near(K, K.transpose(), 1e-14 * K.cwiseAbs().maxCoeff());
  }
}

TEST_P(Covariance, IsPositiveSemidefinite) {
  for (const Problem& p : problems()) {
    const Matrix K = p.evaluate(Of::gram);
    const double smallest = fixture::eigenvalues(K)[0];
    EXPECT_GT(smallest, -1e-10 * K.trace()) << K.rows();
  }
}

TEST_P(Covariance, HasTheDiagonal) {
  for (const Problem& p : problems()) {
    expect_near(p.evaluate(Of::gram).diagonal(), p.evaluate(Of::diagonal), 1e-13);
  }
}

TEST_P(Covariance, OfPointsWithThemselvesDiffersInWhiteNoiseOnly) {
  for (const Problem& p : problems()) {
    Matrix gram = p.evaluate(Of::gram);
    if (GetParam().has("white")) {
      const Vector& all = p.all();
      gram.diagonal().array() -= all[p.parameters()[p.parameters().find("white.variance")].offset];
    }
    expect_near(p.evaluate(Of::cross), gram, 1e-13);
  }
}

class WithoutPoints : public AnyKernel {};
INSTANTIATE_TEST_SUITE_P(All, WithoutPoints, testing::ValuesIn(with_and_without_ard(kAll)));

TEST_P(WithoutPoints, HasNoGradient) {
  const Problem p(GetParam(), 0, 5);
  for (const Of of : {Of::cross, Of::diagonal}) {
    EXPECT_TRUE(p.gradient(of).isZero(0.0)) << name_of(of);
  }
}

}  // namespace
}  // namespace mdgp::testing_kernels
