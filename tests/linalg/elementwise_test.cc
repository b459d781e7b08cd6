#include "mdgp/linalg/elementwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "mdgp/linalg/exp.h"
#include "testing/not_finite.h"

namespace mdgp {
namespace {

Matrix random_values(Index rows, Index cols, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  return Matrix::NullaryExpr(rows, cols, [&] { return normal(generator); });
}

// Lengths around the widths of vector units.
class Elementwise : public testing::TestWithParam<Index> {};
INSTANTIATE_TEST_SUITE_P(Lengths, Elementwise, testing::Values(0, 1, 3, 4, 7, 8, 9, 100));

TEST_P(Elementwise, AddNormsAdds) {
  const Index n = GetParam();
  const Vector norms = random_values(n, 1, 1).cwiseAbs(), before = random_values(n, 1, 2);
  Vector r2 = before;
  add_norms(n, norms.data(), 5.0, r2.data());
  for (Index i = 0; i < n; ++i) EXPECT_DOUBLE_EQ(r2[i], before[i] + (norms[i] + 5.0));
}

TEST_P(Elementwise, MultiplyProfile) {
  const Index n = GetParam();
  const Vector adjoint = random_values(n, 1, 1), k = random_values(n, 1, 2);
  const Vector dk = random_values(n, 1, 3), rows = random_values(n, 1, 4);
  Vector w = dk, row_sums = rows;
  const ProfileSums sums = multiply_profile(n, adjoint.data(), k.data(), w.data(), row_sums.data());
  double w_sum = 0.0, k_sum = 0.0;
  for (Index i = 0; i < n; ++i) {
    EXPECT_DOUBLE_EQ(w[i], adjoint[i] * dk[i]);
    EXPECT_NEAR(row_sums[i], rows[i] + adjoint[i] * dk[i], 1e-14);
    w_sum += adjoint[i] * dk[i];
    k_sum += adjoint[i] * k[i];
  }
  EXPECT_NEAR(sums.w, w_sum, 1e-12);
  EXPECT_NEAR(sums.k, k_sum, 1e-12);
}

TEST_P(Elementwise, AddScaled) {
  const Index n = GetParam();
  const Vector x = random_values(n, 1, 1), before = random_values(n, 1, 2);
  Vector y = before;
  add_scaled(n, -0.7, x.data(), y.data());
  for (Index i = 0; i < n; ++i) EXPECT_NEAR(y[i], before[i] - 0.7 * x[i], 1e-14);
}

TEST_P(Elementwise, SumOfSquares) {
  const Index n = GetParam();
  const Vector x = random_values(n, 1, 1);
  double sum = 0.0;
  for (Index i = 0; i < n; ++i) sum += x[i] * x[i];
  EXPECT_NEAR(sum_of_squares(n, x.data()), sum, 1e-12);
}

TEST_P(Elementwise, SumsOfProducts) {
  const Index n = GetParam();
  const Vector x = random_values(n, 1, 1), y = random_values(n, 1, 2);
  double product = 0.0, squares = 0.0;
  for (Index i = 0; i < n; ++i) {
    product += x[i] * y[i];
    squares += x[i] * y[i] * y[i];
  }
  EXPECT_NEAR(dot(n, x.data(), y.data()), product, 1e-12);
  EXPECT_NEAR(weighted_squares(n, x.data(), y.data()), squares, 1e-12);
}

TEST_P(Elementwise, ScaleColumnAndPull) {
  const Index n = GetParam();
  const Vector x = random_values(n, 1, 1), w = random_values(n, 1, 2), u = random_values(n, 1, 3);
  Vector scaled = Vector::Zero(n), norms = u, out = u;
  scale_column(n, 0.3, -1.7, x.data(), scaled.data(), norms.data());
  add_pull(n, 0.6, x.data(), w.data(), u.data(), out.data());
  for (Index i = 0; i < n; ++i) {
    const double expected = (x[i] - 0.3) * -1.7;
    EXPECT_NEAR(scaled[i], expected, 1e-14);
    EXPECT_NEAR(norms[i], u[i] + expected * expected, 1e-13);
    EXPECT_NEAR(out[i], u[i] + 0.6 * (x[i] * w[i] - u[i]), 1e-14);
  }
}

TEST_P(Elementwise, ExpOfTwice) {
  const Index n = GetParam();
  const Vector x = 20.0 * random_values(n, 1, 1);
  Vector out(n);
  exp_of_twice(n, x.data(), out.data());
  for (Index i = 0; i < n; ++i) EXPECT_NEAR(out[i] / std::exp(2.0 * x[i]), 1.0, 1e-13);
}

// The matrix functions, on blocks of bigger matrices; the border must stay as it was.
constexpr Index kPanel = 3, kPanels = 4;

TEST_P(Elementwise, AddSquares) {
  const Index n = GetParam();
  const Matrix b = random_values(n + 2, kPanels * kPanel + 1, 1);
  const Matrix before = random_values(n + 3, kPanel + 1, 2);
  Matrix out = before, expected = before;
  add_squares(block(view_of(b), 2, 1, n, kPanels * kPanel), 0.3,
              block(view_of(out), 1, 1, n, kPanel));
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < kPanels * kPanel; ++c) {
      expected(i + 1, c % kPanel + 1) += 0.3 * b(i + 2, c + 1) * b(i + 2, c + 1);
    }
  }
  EXPECT_LT((out - expected).cwiseAbs().maxCoeff(), 1e-13);
}

TEST_P(Elementwise, ScaleColumns) {
  const Index n = GetParam();
  const Matrix factor = random_values(n + 1, kPanel, 1);
  const Matrix before = random_values(n + 3, kPanels * kPanel + 1, 2);
  Matrix b = before, expected = before;
  scale_columns(block(view_of(factor), 1, 0, n, kPanel),
                block(view_of(b), 1, 1, n, kPanels * kPanel));
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < kPanels * kPanel; ++c) {
      expected(i + 1, c + 1) *= factor(i + 1, c % kPanel);
    }
  }
  EXPECT_EQ(b, expected);
}

TEST_P(Elementwise, SubtractScaledRows) {
  const Index n = GetParam();
  const Matrix b = random_values(n + 2, 5, 1), factor = random_values(n, 1, 2);
  const Matrix before = random_values(n + 3, 6, 3);
  Matrix out = before, expected = before;
  subtract_scaled_rows(block(view_of(b), 2, 0, n, 5), factor.data(),
                       block(view_of(out), 1, 1, n, 5));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < 5; ++j) expected(i + 1, j + 1) -= factor(i, 0) * b(i + 2, j);
  }
  EXPECT_LT((out - expected).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Transpose, SwapsRowsAndColumns) {
  for (const Index rows : {0, 1, 3, 4, 7, 8, 9, 17, 33, 100}) {
    for (const Index cols : {0, 1, 3, 4, 7, 8, 9, 17, 33, 100}) {
      const Matrix a = random_values(rows + 2, cols + 1, 1);
      const Matrix before = random_values(cols + 3, rows + 1, 2);
      Matrix out = before, expected = before;
      transpose(block(view_of(a), 1, 1, rows, cols), block(view_of(out), 2, 1, cols, rows));
      expected.block(2, 1, cols, rows) = a.block(1, 1, rows, cols).transpose();
      EXPECT_EQ(out, expected) << rows << ", " << cols;
    }
  }
}

// One distance among others that are harmless, so that it passes through the vector unit.
struct Added {
  double r2;
  bool doubtful;
};
Added add_norm(double r2, double x_norm, double z_norm, std::size_t at) {
  std::vector<double> values(11, 0.5 * z_norm), norms(11, z_norm);
  values[at] = r2;
  norms[at] = x_norm;
  const bool doubtful = add_norms(11, norms.data(), z_norm, values.data());
  return {values[at], doubtful};
}

TEST(AddNorms, NegativeSumsAreZero) {
  for (const std::size_t at : {0U, 5U, 10U}) EXPECT_EQ(add_norm(-2.5, 1.0, 1.0, at).r2, 0.0);
}

TEST(AddNorms, LargeSumsAreTenMillion) {
  for (const std::size_t at : {0U, 5U, 10U}) {
    EXPECT_EQ(add_norm(0.0, 1e9, 1.0, at).r2, 1e7);
    EXPECT_EQ(add_norm(0.0, kInfinity, 1.0, at).r2, 1e7);
  }
}

TEST(AddNorms, ASumThatOverflowsToNaNIsTenMillion) {
  for (const std::size_t at : {0U, 5U, 10U}) {
    EXPECT_EQ(add_norm(-kInfinity, kInfinity, 1.0, at).r2, 1e7);
  }
}

TEST(AddNorms, FindsADistanceThatLostItsDigits) {
  for (const std::size_t at : {0U, 5U, 10U}) {
    EXPECT_TRUE(add_norm(-2.0 + 1e-9, 1.0, 1.0, at).doubtful);
    EXPECT_TRUE(add_norm(-2.0 - 1e-15, 1.0, 1.0, at).doubtful);
    EXPECT_FALSE(add_norm(-2.0 + 1e-3, 1.0, 1.0, at).doubtful);
  }
}

TEST(AddNorms, AgreesWithDistanceIsDoubtful) {
  for (const double r2 : {0.0, 1e-9, 1e-7, 1e-5, 1e-3, 1.0}) {
    EXPECT_EQ(add_norm(r2 - 2.0, 1.0, 1.0, 4).doubtful, distance_is_doubtful(r2, 1.0, 1.0)) << r2;
  }
}

TEST(ExpNegative, HasTheDigitsOfTheCLibrary) {
  for (double x = -708.0; x < 0.0; x += 0.00917) {
    const double expected = std::exp(x);
    ASSERT_NEAR(exp_negative(x), expected, 1e-15 * expected) << x;
  }
}

TEST(ExpNegative, HasTheDigitsOfTheCLibraryNearZero) {
  for (double x = -1.0; x < -1e-300; x *= 0.9) {
    ASSERT_NEAR(exp_negative(x), std::exp(x), 1e-15) << x;
  }
}

TEST(ExpNegative, OfZeroIsOne) { EXPECT_EQ(exp_negative(0.0), 1.0); }

TEST(ExpNegative, IsZeroBelowMinus708) {
  for (const double x : {-708.1, -1e4, -1e300, -kInfinity}) EXPECT_EQ(exp_negative(x), 0.0) << x;
}

}  // namespace
}  // namespace mdgp
