// What holds of stationary kernels: at distance zero, far apart, far from the origin.
#include "kernel_problem.h"

namespace mdgp::testing_kernels {
namespace {

class Stationary : public testing::TestWithParam<Case> {
 protected:
  // Points that lie on a grid of 2^-10, so that moving them by whole numbers rounds nothing.
  static Problem on_a_grid() {
    Problem p(GetParam());
    p.x() = (1024.0 * p.x()).array().round() / 1024.0;
    p.z() = (1024.0 * p.z()).array().round() / 1024.0;
    return p;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Stationary, testing::ValuesIn(with_and_without_ard(kStationary)));

TEST_P(Stationary, IsExactlyTheVarianceAtDistanceZero) {
  Problem p(GetParam());
  p.make_some_points_coincide();
  const double variance = p.parameters().view("variance")(0, 0);
  const Matrix cross = p.evaluate(Of::cross), gram = p.evaluate(Of::gram);
  for (const Index i : {0, 2, 4}) EXPECT_EQ(cross(i, i), variance);
  EXPECT_EQ(gram(1, 3), variance);
  EXPECT_EQ(gram.diagonal(), Vector::Constant(5, variance));
}

TEST_P(Stationary, IsZeroFarAway) {
  for (const double distance : {1e8, 1e155}) {
    Problem p(GetParam());
    p.x() *= distance;
    p.z() *= distance;
    EXPECT_TRUE(p.evaluate(Of::cross).isZero(0.0)) << distance;
    const Matrix variances = p.parameters().view("variance")(0, 0) * Matrix::Identity(5, 5);
    EXPECT_EQ(p.evaluate(Of::gram), variances) << distance;
  }
}

// The first row of X is one of Z, the last is far from all.
TEST_P(Stationary, IsZeroFarAwayBesideCoincidingPoints) {
  for (const double distance : {1e8, 1e155}) {
    Problem p(GetParam());
    p.make_some_points_coincide();
    p.x().row(5).setConstant(distance);
    EXPECT_TRUE(p.evaluate(Of::cross).row(5).isZero(0.0)) << distance;
    EXPECT_TRUE(p.gradient(Of::cross).allFinite()) << distance;
  }
}

// The matrices are constant there but for the variance.
TEST_P(Stationary, HasNoGradientFarAway) {
  Problem p(GetParam());
  p.x() *= 1e8;
  p.z() *= 1e8;
  for (const Of of : kEach) {
    SCOPED_TRACE(name_of(of));
    Vector gradient = p.gradient(of);
    gradient[p.parameters()[p.parameters().find("variance")].offset] = 0.0;
    expect_near(gradient, Vector::Zero(gradient.size()), 1e-8);
  }
}

TEST_P(Stationary, HasAFiniteGradientWhereSquaresOverflow) {
  Problem p(GetParam());
  p.x() *= 1e155;
  p.z() *= 1e155;
  for (const Of of : kEach) EXPECT_TRUE(p.gradient(of).allFinite()) << name_of(of);
}

TEST_P(Stationary, KeepsItsDigitsFarFromTheOrigin) {
  Problem near = on_a_grid(), far = on_a_grid();
  far.x().array() += 1e6;
  far.z().array() += 1e6;
  for (const Of of : kEach) {
    SCOPED_TRACE(name_of(of));
    expect_near(far.evaluate(of), near.evaluate(of), 1e-12);
    expect_near(far.gradient(of), near.gradient(of), 1e-11);
  }
}

// Two clusters: no common centre is near all points.
TEST_P(Stationary, KeepsItsDigitsInClustersFarFromEachOther) {
  Problem near = on_a_grid(), far = on_a_grid();
  far.x().bottomRows(3).array() += 1e6;
  far.z().bottomRows(2).array() += 1e6;
  Matrix expected = near.evaluate(Of::cross);
  expected.topRightCorner(3, 2).setZero();
  expected.bottomLeftCorner(3, 3).setZero();
  expect_near(far.evaluate(Of::cross), expected, 1e-9);
}

// X may be a part of Z: the same memory, fewer rows.
class SharedMemory : public Stationary {};
INSTANTIATE_TEST_SUITE_P(All, SharedMemory, testing::ValuesIn(with_and_without_ard(kStationary)));

TEST_P(SharedMemory, OfTheFirstPointsWithAllIsRowsOfTheGram) {
  Problem p(GetParam(), 6, 20);
  const Matrix points = p.z();
  const Var z = constant(view_of(points));
  const Parameters& parameters = p.parameters();
  Tape tape;
  tape.set_recording(false);
  const Var K =
      cross(tape, {&parameters, nullptr, 0}, p.kernel(), {block(z, 0, 0, 2, kInputs)}, {z});
  expect_near(K.value, p.evaluate(Of::gram).topRows(2), 1e-13);
}

}  // namespace
}  // namespace mdgp::testing_kernels
