#include "mdgp/linalg/blas.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "testing/dense.h"
#include "testing/not_finite.h"

namespace mdgp {
namespace {

Matrix random_matrix(Index rows, Index cols, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  return Matrix::NullaryExpr(rows, cols, [&] { return normal(generator); });
}

// A matrix inside a bigger one, as the library's views are; whatever is written next to it shows.
class Framed {
 public:
  explicit Framed(const Matrix& m) : rows_(m.rows()), cols_(m.cols()) {
    storage_ = Matrix::Constant(rows_ + 3, cols_ + 2, kFrame);
    storage_.block(2, 1, rows_, cols_) = m;
  }

  View view() { return block(view_of(storage_), 2, 1, rows_, cols_); }
  ConstView operator*() const { return block(view_of(storage_), 2, 1, rows_, cols_); }
  Matrix matrix() const { return storage_.block(2, 1, rows_, cols_); }

  bool frame_intact() const {
    Matrix all = storage_;
    all.block(2, 1, rows_, cols_).setConstant(kFrame);
    return (all.array() == kFrame).all();
  }

 private:
  static constexpr double kFrame = 12345.0;
  Index rows_, cols_;
  Matrix storage_;
};

using fixture::naive_product;

void expect_near(const Matrix& actual, const Matrix& expected, double tolerance = 1e-12) {
  ASSERT_EQ(actual.rows(), expected.rows());
  ASSERT_EQ(actual.cols(), expected.cols());
  if (actual.size() == 0) return;
  const double scale = std::max(1.0, expected.cwiseAbs().maxCoeff());
  // Written so that a NaN fails.
  EXPECT_TRUE(((actual - expected).cwiseAbs().array() <= tolerance * scale).all())
      << "largest difference " << (actual - expected).cwiseAbs().maxCoeff();
}

using Shape = std::tuple<Index, Index, Index>;
class Gemm : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, Gemm,
                         testing::Values(Shape{1, 1, 1}, Shape{3, 5, 2}, Shape{15, 16, 17},
                                         Shape{33, 1, 100}, Shape{1, 100, 33}, Shape{100, 33, 1},
                                         Shape{17, 100, 33}));

TEST_P(Gemm, EveryTranspositionAgreesWithTheTripleLoop) {
  const auto [n, k, m] = GetParam();
  const Matrix a = random_matrix(n, k, 1), b = random_matrix(k, m, 2), c = random_matrix(n, m, 3);
  const Matrix expected = -1.5 * naive_product(a, b) + 0.5 * c;
  for (const Op op_a : {Op::none, Op::transpose}) {
    for (const Op op_b : {Op::none, Op::transpose}) {
      const Framed stored_a(op_a == Op::none ? a : Matrix(a.transpose()));
      const Framed stored_b(op_b == Op::none ? b : Matrix(b.transpose()));
      Framed out(c);
      gemm(op_a, op_b, -1.5, *stored_a, *stored_b, 0.5, out.view());
      expect_near(out.matrix(), expected);
      EXPECT_TRUE(out.frame_intact());
    }
  }
}

TEST_P(Gemm, BetaZeroOverwritesWhatWasNeverSet) {
  const auto [n, k, m] = GetParam();
  const Framed a(random_matrix(n, k, 1)), b(random_matrix(k, m, 2));
  Framed out(Matrix::Constant(n, m, kNaN));
  gemm(Op::none, Op::none, 1.0, *a, *b, 0.0, out.view());
  expect_near(out.matrix(), naive_product(a.matrix(), b.matrix()));
}

TEST(GemmOfNothing, AnEmptySumIsZero) {
  for (const Op op : {Op::none, Op::transpose}) {
    const Matrix a = op == Op::none ? Matrix(3, 0) : Matrix(0, 3), b(0, 2);
    Matrix out = Matrix::Ones(3, 2);
    gemm(op, Op::none, 1.0, view_of(a), view_of(b), 0.0, view_of(out));
    EXPECT_TRUE(out.isZero(0.0)) << (op == Op::none ? "A" : "transposed A");
  }
}

TEST(GemmOfNothing, AnEmptyResultIsLeftAlone) {
  const Matrix a(0, 3), b = random_matrix(3, 2, 1);
  Matrix out(0, 2);
  EXPECT_NO_THROW(gemm(Op::none, Op::none, 1.0, view_of(a), view_of(b), 0.0, view_of(out)));
}

class SquareSize : public testing::TestWithParam<Index> {};
INSTANTIATE_TEST_SUITE_P(Sizes, SquareSize,
                         testing::Values(1, 2, 4, 15, 16, 17, 31, 32, 33, 64, 65, 100));

Matrix positive_definite(Index m) {
  const Matrix g = random_matrix(m, m, 7);
  return g * g.transpose() / static_cast<double>(m) + 0.1 * Matrix::Identity(m, m);
}

// The call on what a caller has: scratch memory that holds anything.
bool invert(Framed& a) {
  Framed scratch(Matrix::Constant(a.matrix().rows(), a.matrix().cols(), kNaN));
  const bool done = inverse_cholesky_in_place(a.view(), scratch.view());
  EXPECT_TRUE(a.frame_intact());
  EXPECT_TRUE(scratch.frame_intact());
  return done;
}

TEST_P(SquareSize, InverseCholeskyIsTheInverseOfEigensFactor) {
  const Index m = GetParam();
  const Matrix a = positive_definite(m);
  Framed inverse(a);
  ASSERT_TRUE(invert(inverse));
  const Matrix lower = fixture::cholesky(a);
  expect_near(naive_product(inverse.matrix(), lower), Matrix::Identity(m, m), 1e-11);
}

TEST_P(SquareSize, InverseCholeskyReadsOnlyTheLowerTriangle) {
  const Index m = GetParam();
  Matrix a = positive_definite(m);
  Framed expected(a);
  ASSERT_TRUE(invert(expected));
  a.triangularView<Eigen::StrictlyUpper>().setConstant(kNaN);
  Framed inverse(a);
  ASSERT_TRUE(invert(inverse));
  EXPECT_EQ(inverse.matrix(), expected.matrix());
}

TEST_P(SquareSize, InverseCholeskyIsZeroAboveTheDiagonal) {
  Framed inverse(positive_definite(GetParam()));
  ASSERT_TRUE(invert(inverse));
  const Matrix upper = inverse.matrix().triangularView<Eigen::StrictlyUpper>();
  EXPECT_TRUE(upper.isZero(0.0));
}

TEST_P(SquareSize, InverseCholeskyKeepsDigitsWhereTheMatrixIsNearlySingular) {
  const Index m = GetParam();
  Matrix a(m, m);  // an RBF gram matrix with jitter, condition about 1e8
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < m; ++j) {
      const double r = 0.1 * static_cast<double>(i - j);
      a(i, j) = std::exp(-0.5 * r * r) + (i == j ? 1e-6 : 0.0);
    }
  }
  Framed inverse(a);
  ASSERT_TRUE(invert(inverse));
  const Matrix j = inverse.matrix();
  expect_near(j * a * j.transpose(), Matrix::Identity(m, m), 1e-6);
}

TEST_P(SquareSize, InverseCholeskyRefusesAnIndefiniteMatrix) {
  const Index m = GetParam();
  for (const Index bad : {Index{0}, m / 2, m - 1}) {
    Matrix a = positive_definite(m);
    a(bad, bad) -= 2.0 * a(bad, bad);
    Framed inverse(a);
    EXPECT_FALSE(invert(inverse)) << bad;
  }
}

TEST_P(SquareSize, InverseCholeskyRefusesAMatrixWhoseDiagonalIsPositiveButWhichIsNot) {
  const Index m = GetParam();
  if (m == 1) return;
  Matrix a = positive_definite(m);
  a(m - 1, 0) = a(0, m - 1) = 2.0 * std::sqrt(a(0, 0) * a(m - 1, m - 1));
  Framed inverse(a);
  EXPECT_FALSE(invert(inverse));
}

TEST_P(SquareSize, InverseCholeskyRefusesZero) {
  Framed inverse(Matrix::Zero(GetParam(), GetParam()));
  EXPECT_FALSE(invert(inverse));
}

TEST_P(SquareSize, InverseCholeskyRefusesNaN) {
  const Index m = GetParam();
  for (const auto& [i, j] : {std::pair<Index, Index>{0, 0},
                             {m / 2, m / 2},
                             {m - 1, m - 1},
                             {m - 1, 0},
                             {m / 2, 0},
                             {m - 1, m / 2}}) {
    Matrix a = positive_definite(m);
    a(i, j) = a(j, i) = kNaN;
    Framed inverse(a);
    EXPECT_FALSE(invert(inverse)) << i << ", " << j;
  }
}

Matrix lower_triangle(Index m, unsigned seed) {
  return random_matrix(m, m, seed).triangularView<Eigen::Lower>();
}

TEST_P(SquareSize, MultiplyLower) {
  const Index m = GetParam();
  for (const Index n : {1, 7, 100}) {
    const Framed a(random_matrix(n, m, 1)), lower(lower_triangle(m, 2));
    Framed out(Matrix::Constant(n, m, kNaN));
    multiply_lower(*a, *lower, out.view());
    expect_near(out.matrix(), naive_product(a.matrix(), lower.matrix()));
    EXPECT_TRUE(out.frame_intact());
  }
}

TEST_P(SquareSize, MultiplyLowerTransposed) {
  const Index m = GetParam();
  for (const Index n : {1, 7, 100}) {
    const Framed a(random_matrix(n, m, 1)), lower(lower_triangle(m, 2));
    Framed out(Matrix::Constant(n, m, kNaN));
    multiply_lower_transposed(*a, *lower, out.view());
    expect_near(out.matrix(), naive_product(a.matrix(), lower.matrix().transpose()));
    EXPECT_TRUE(out.frame_intact());
  }
}

TEST_P(SquareSize, MultiplyLowerByLower) {
  const Index m = GetParam();
  const Framed a(lower_triangle(m, 1)), b(lower_triangle(m, 2));
  Framed out(Matrix::Constant(m, m, kNaN));
  multiply_lower_by_lower(*a, *b, out.view());
  expect_near(out.matrix().triangularView<Eigen::Lower>(),
              naive_product(a.matrix(), b.matrix()).triangularView<Eigen::Lower>());
  EXPECT_TRUE(out.frame_intact());
}

// P triangles: the sizes n, M, P, the triangles themselves and the matrix that holds their columns.
class Panels : public testing::TestWithParam<Shape> {
 protected:
  const Index n_ = std::get<0>(GetParam()), m_ = std::get<1>(GetParam()),
              p_ = std::get<2>(GetParam());
  const std::vector<Matrix> lower_ = triangles();
  const Framed panels_{interleaved(lower_)};

  std::vector<Matrix> triangles() const {
    std::vector<Matrix> lower;
    for (Index p = 0; p < p_; ++p) {
      lower.push_back(lower_triangle(m_, 10 + static_cast<unsigned>(p)));
    }
    return lower;
  }
  // Column j of matrix p in column j * P + p.
  static Matrix interleaved(const std::vector<Matrix>& parts) {
    const Index p = std::ssize(parts);
    Matrix all(parts[0].rows(), parts[0].cols() * p);
    for (Index c = 0; c < all.cols(); ++c) {
      all.col(c) = parts[static_cast<std::size_t>(c % p)].col(c / p);
    }
    return all;
  }
  // Columns of matrix p, of what `interleaved` makes.
  Matrix part(const Matrix& all, Index p) const {
    return all(Eigen::all, Eigen::seq(p, all.cols() - 1, p_));
  }
};
INSTANTIATE_TEST_SUITE_P(Shapes, Panels,
                         testing::Values(Shape{1, 1, 1}, Shape{5, 1, 3}, Shape{7, 15, 2},
                                         Shape{0, 17, 2}, Shape{50, 16, 3}, Shape{3, 17, 1},
                                         Shape{100, 33, 2}, Shape{300, 100, 1}, Shape{1, 100, 3},
                                         Shape{20, 37, 5}, Shape{300, 260, 1}, Shape{200, 24, 40}));

TEST_P(Panels, ForPanelsVisitsEveryColumnOnceInOrder) {
  Index next = 0;
  for_panels(n_, m_, p_, [&](Index j, Index w) {
    EXPECT_EQ(j, next);
    EXPECT_GE(w, 1);
    next = j + w;
  });
  EXPECT_EQ(next, m_);
}

TEST_P(Panels, MultiplyPanel) {
  const Framed a(random_matrix(n_, m_, 1));
  std::vector<Matrix> products;
  for (const Matrix& l : lower_) products.push_back(naive_product(a.matrix(), l));
  const Matrix expected = interleaved(products);
  for_panels(n_, m_, p_, [&](Index j, Index w) {
    Framed out(Matrix::Constant(n_, w * p_, kNaN));
    multiply_panel(*a, *panels_, j, w, out.view());
    expect_near(out.matrix(), expected.middleCols(j * p_, w * p_));
    EXPECT_TRUE(out.frame_intact());
  });
}

TEST_P(Panels, AddPanelTransposed) {
  for_panels(n_, m_, p_, [&](Index j, Index w) {
    const Framed c(random_matrix(n_, w * p_, 1));
    const Matrix before = random_matrix(n_, m_, 2);
    Matrix product = Matrix::Zero(n_, m_);
    for (Index p = 0; p < p_; ++p) {
      const Matrix columns = lower_[static_cast<std::size_t>(p)].middleCols(j, w);
      product += naive_product(part(c.matrix(), p), columns.transpose());
    }
    Matrix expected = before;
    expected.rightCols(m_ - j) = 0.5 * before.rightCols(m_ - j) + product.rightCols(m_ - j);
    Framed out(before);
    add_panel_transposed(*c, *panels_, j, w, 0.5, out.view());
    expect_near(out.matrix(), expected);
    EXPECT_TRUE(out.frame_intact());
  });
}

TEST_P(Panels, PanelProduct) {
  const Framed a_transposed(random_matrix(m_, n_, 1));
  std::vector<Matrix> c(static_cast<std::size_t>(p_)), expected(c.size());
  for (std::size_t p = 0; p < c.size(); ++p) {
    c[p] = random_matrix(n_, m_, 20 + static_cast<unsigned>(p));
    expected[p] = 0.5 * lower_[p] + naive_product(a_transposed.matrix(), c[p]);
  }
  const Matrix all_c = interleaved(c);
  Framed out(panels_.matrix());
  for_panels(n_, m_, p_, [&](Index j, Index w) {
    const Framed panel(all_c.middleCols(j * p_, w * p_));
    panel_product(*a_transposed, *panel, j, w, 0.5, out.view());
  });
  for (Index p = 0; p < p_; ++p) {
    const Matrix actual = part(out.matrix(), p).triangularView<Eigen::Lower>();
    expect_near(actual, expected[static_cast<std::size_t>(p)].triangularView<Eigen::Lower>());
  }
  EXPECT_TRUE(out.frame_intact());
}

TEST(Cholesky, IsEigensFactorBelowWhatStays) {
  for (const Index m : {1, 2, 17, 100}) {
    Matrix A = positive_definite(m);
    const Matrix expected = fixture::cholesky(A);
    A.triangularView<Eigen::StrictlyUpper>().setConstant(7.0);
    Framed a(A);
    ASSERT_TRUE(cholesky_in_place(a.view()));
    expect_near(a.matrix().triangularView<Eigen::Lower>(), expected);
    for (Index j = 1; j < m; ++j) EXPECT_EQ(a.matrix()(0, j), 7.0);
    EXPECT_TRUE(a.frame_intact());
  }
}

TEST(Cholesky, RefusesWhatIsNotPositiveDefinite) {
  Matrix a = Matrix::Identity(20, 20);
  a(7, 7) = -1.0;
  EXPECT_FALSE(cholesky_in_place(view_of(a)));
}

TEST(InvertPositive, IsTheInverseWithItsDeterminant) {
  for (const Index m : {1, 2, 17, 100}) {
    const Matrix B = random_matrix(m, m, 3);
    const Matrix A = B * B.transpose() + Matrix::Identity(m, m);
    Matrix lower = A;
    lower.triangularView<Eigen::StrictlyUpper>().setConstant(kNaN);
    Framed a(lower);
    double log_determinant = 0.0;
    ASSERT_TRUE(invert_positive_in_place(a.view(), log_determinant));
    expect_near(naive_product(a.matrix(), A), Matrix::Identity(m, m));
    EXPECT_NEAR(log_determinant, fixture::log_determinant(A), 1e-9);
    EXPECT_TRUE(a.frame_intact());
  }
}

TEST(InvertPositive, RefusesWhatIsNotPositiveDefinite) {
  Matrix a = Matrix::Identity(20, 20);
  a(7, 7) = -1.0;
  double log_determinant = 0.0;
  EXPECT_FALSE(invert_positive_in_place(view_of(a), log_determinant));
}

TEST(AddGram, AddsTheProductWithItsTranspose) {
  const Matrix a = random_matrix(30, 12, 4), before = random_matrix(12, 12, 5);
  const Matrix start = before + before.transpose();
  Framed c(start);
  add_gram(view_of(a), c.view());
  expect_near(c.matrix(), start + naive_product(a.transpose(), a));
  EXPECT_TRUE(c.frame_intact());
}

TEST(LowerGram, MirroredIsTheProductWithItsTranspose) {
  const Matrix a = random_matrix(31, 12, 4);
  Framed c(Matrix::Constant(31, 31, kNaN));
  lower_gram(-2.0, view_of(a), c.view());
  mirror(c.view());
  expect_near(c.matrix(), -2.0 * naive_product(a, a.transpose()));
  EXPECT_TRUE(c.frame_intact());
}

TEST(InvertLower, IsTheInverseAtAnySize) {
  for (const Index m : {1, 2, 15, 16, 17, 33, 100, 101}) {
    Matrix L = Matrix::Random(m, m) / static_cast<double>(m);
    L.diagonal().array() += 1.5;
    L(m / 2, m / 2) *= -1.0;  // a Cholesky factor has no such entry, q_sqrt may
    const Matrix lower = L.triangularView<Eigen::Lower>();
    Matrix scratch(m, m);
    invert_lower_in_place(view_of(L), view_of(scratch));
    EXPECT_LT((L * lower - Matrix::Identity(m, m)).cwiseAbs().maxCoeff(), 1e-12) << m;
    EXPECT_TRUE(Matrix(L.triangularView<Eigen::StrictlyUpper>()).isZero(0.0)) << m;
  }
}

}  // namespace
}  // namespace mdgp
