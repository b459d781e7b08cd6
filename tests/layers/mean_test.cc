#include "mdgp/layers/mean.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "testing/dense.h"
#include "testing/random_model.h"

namespace mdgp {
namespace {

// Rows with standard deviations 4, 2, 1, 0.5 along the columns of a random rotation, far from 0.
struct Ellipsoid {
  Matrix axes, rows;

  explicit Ellipsoid(unsigned seed) {
    fixture::Random random(seed);
    axes = fixture::orthonormal(random.normals(4, 4));
    // Columns exactly uncorrelated and of mean 0: the axes are then the principal directions
    // exactly.
    Matrix z = random.normals(50, 4);
    z.rowwise() -= z.colwise().mean().eval();
    z = fixture::orthonormal(z);
    const Vector deviations = (Vector(4) << 4.0, 2.0, 1.0, 0.5).finished();
    rows = z * deviations.asDiagonal() * axes.transpose();
    rows.rowwise() += Eigen::RowVector4d(100.0, -50.0, 3.0, 0.0);
  }
};

TEST(IdentityMean, PassesTheFirstInputsOn) {
  const Matrix W = identity_mean(3, 2);
  const Eigen::RowVector3d x(5.0, 6.0, 7.0);
  EXPECT_EQ(Matrix(x * W), (Matrix(1, 2) << 5.0, 6.0).finished());
}

TEST(IdentityMean, IsZeroBeyondTheInputs) {
  const Eigen::RowVector2d x(5.0, 6.0);
  EXPECT_EQ(Matrix(x * identity_mean(2, 4)), (Matrix(1, 4) << 5.0, 6.0, 0.0, 0.0).finished());
}

TEST(PcaMean, FindsTheAxesOfAnEllipsoidInOrder) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const Ellipsoid e(seed);
    const Matrix W = pca_mean(e.rows, 3);
    ASSERT_EQ(W.rows(), 4);
    ASSERT_EQ(W.cols(), 3);
    for (Index p = 0; p < 3; ++p) EXPECT_NEAR(std::abs(W.col(p).dot(e.axes.col(p))), 1.0, 1e-10);
  }
}

TEST(PcaMean, LargestElementOfEachDirectionIsPositive) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Matrix W = pca_mean(Ellipsoid(seed).rows, 3);
    for (Index p = 0; p < 3; ++p) EXPECT_EQ(W.col(p).maxCoeff(), W.col(p).cwiseAbs().maxCoeff());
  }
}

TEST(PcaMean, IsIdentityWhereItKeepsAllInputs) {
  const Ellipsoid e(1);
  EXPECT_EQ(pca_mean(e.rows, 4), Matrix(Matrix::Identity(4, 4)));
  EXPECT_EQ(pca_mean(e.rows, 6), Matrix(Matrix::Identity(4, 6)));
}

void expect_refused(const Matrix& rows, const std::string& part) {
  try {
    pca_mean(rows, 2);
    FAIL() << "nothing thrown";
  } catch (const std::invalid_argument& e) {
    const std::string message = e.what();
    EXPECT_NE(message.find("pca_mean"), std::string::npos) << message;
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

TEST(PcaMean, RefusesOneRow) { expect_refused(Matrix::Ones(1, 4), "number of rows is 1"); }

TEST(PcaMean, RefusesNaN) {
  Matrix rows = Ellipsoid(1).rows;
  rows(7, 2) = std::numeric_limits<double>::quiet_NaN();
  expect_refused(rows, "rows[7, 2] is nan");
}

}  // namespace
}  // namespace mdgp
