#include "mdgp/data/reduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "mdgp/linalg/blas.h"
#include "mdgp/linalg/parallel.h"
#include "mdgp/random/normal.h"
#include "testing/dense.h"

namespace mdgp {
namespace {

// Numbers that a few lines of any language give too, here of Python's.
struct Congruential {
  std::uint64_t state;
  double operator()() {
    state = (1664525 * state + 1013904223) % (std::uint64_t{1} << 32);
    return static_cast<double>(state) / 4294967296.0 - 0.5;
  }
};

// K components of D / (K + 1) columns each, without overlap, and noise.
struct Planted {
  Matrix x, loadings;  // [n, D], [D, K]
};

Planted planted(Index n, Index D, Index K, double noise) {
  Congruential next{7};
  Matrix u(n, K);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < K; ++k) u(i, k) = next();
  }
  Planted p{Matrix(n, D), Matrix::Zero(D, K)};
  const Index width = D / (K + 1);
  for (Index k = 0; k < K; ++k) {
    for (Index j = 0; j < width; ++j) p.loadings(k * width + j, k) = 1.0 + next();
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < D; ++j) p.x(i, j) = noise * next();
  }
  p.x += u * p.loadings.transpose();
  return p;
}

Matrix random_rows(Index n, Index D) {
  Matrix x(n, D);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < D; ++j) {
      x(i, j) = normal({3, Purpose::data, 0}, static_cast<std::uint64_t>(i),
                       static_cast<std::uint32_t>(j)) /
                    (1.0 + 0.3 * static_cast<double>(j % 17)) +
                0.5;
    }
  }
  return x;
}

Matrix centred(const Matrix& x) { return x.rowwise() - x.colwise().mean(); }

void expect_svd(const Matrix& x, Index components) {
  const Matrix directions = pca_projection(view_of(x), components);
  const fixture::Svd svd = fixture::svd(centred(x));
  for (Index k = 0; k < components; ++k) {
    EXPECT_NEAR(std::abs(directions.col(k).dot(svd.V.col(k))), 1.0, 1e-9) << k;
    Index largest = 0;
    directions.col(k).cwiseAbs().maxCoeff(&largest);
    EXPECT_GT(directions(largest, k), 0.0);
  }
  // What is left over is the squares of the other singular values.
  const Matrix rest = centred(x) - centred(x) * directions * directions.transpose();
  EXPECT_NEAR(rest.squaredNorm(), svd.values.tail(svd.values.size() - components).squaredNorm(),
              1e-9 * x.squaredNorm());
}

TEST(Pca, IsTheSvdOfTallRows) { expect_svd(random_rows(60, 12), 5); }
TEST(Pca, IsTheSvdOfWideRows) { expect_svd(random_rows(15, 40), 6); }

TEST(Pca, DirectionsWithoutVarianceAreZero) {
  Matrix x = random_rows(8, 30);  // seven directions once they are centred
  const Matrix& rows = x;
  const Matrix directions = pca_projection(view_of(rows), 8);
  EXPECT_NEAR(directions.col(6).norm(), 1.0, 1e-12);
  EXPECT_EQ(directions.col(7).norm(), 0.0);
  x.col(3).setConstant(4.0);
  EXPECT_NEAR(pca_projection(view_of(rows), 5).row(3).norm(), 0.0, 1e-12);
  x.setConstant(1.0);
  EXPECT_EQ(pca_projection(view_of(rows), 2).norm(), 0.0);
}

TEST(Pca, RefusesMoreComponentsThanThereAre) {
  const Matrix x = random_rows(10, 4);
  EXPECT_THROW(pca_projection(view_of(x), 5), std::invalid_argument);
  EXPECT_THROW(pca_projection(view_of(x), 0), std::invalid_argument);
  EXPECT_THROW(sparse_pca(view_of(x), 5, {}), std::invalid_argument);
  try {
    pca_projection(view_of(x), 5);
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(),
                 "pca_projection: number of components is 5, but must be from 1 to 4, the smaller "
                 "of 10 rows and 4 columns");
  }
}

// error_[-1] of scikit-learn 1.2.1's
// SparsePCA(K, alpha=alpha, max_iter=1000, tol=1e-8, method='cd') on the same numbers.
TEST(SparsePcaTest, ObjectiveIsThatOfScikitLearn) {
  struct Case {
    Index n, D, K;
    double noise, alpha, reference;
  };
  for (const Case& c :
       {Case{60, 30, 4, 0.2, 0.1, 8.06265614205764}, Case{60, 30, 4, 0.2, 0.5, 27.92654275391264},
        Case{25, 40, 3, 1.0, 0.2, 43.393306223563314},
        Case{60, 30, 5, 3.0, 0.3, 491.3174370439284}}) {
    const Planted p = planted(c.n, c.D, c.K, c.noise);
    SparsePcaOptions options;
    options.alpha = c.alpha;
    options.batch = 8;
    const SparsePca found = sparse_pca(view_of(p.x), c.K, options);
    EXPECT_LT(found.objective, 1.02 * c.reference) << c.n << ' ' << c.alpha;
    EXPECT_GT(found.objective, 0.90 * c.reference) << c.n << ' ' << c.alpha;
  }
}

TEST(SparsePcaTest, FindsPlantedComponents) {
  const Planted p = planted(60, 30, 4, 0.2);
  SparsePcaOptions options;
  options.alpha = 0.3;
  const SparsePca found = sparse_pca(view_of(p.x), 4, options);
  for (Index k = 0; k < 4; ++k) {
    const Vector truth = p.loadings.col(k).normalized();
    EXPECT_GT((found.loadings.transpose() * truth).cwiseAbs().maxCoeff(), 0.99) << k;
    EXPECT_LE((found.loadings.col(k).array() != 0.0).count(), 7) << k;
  }
  // The map is the ridge regression of a row on the loadings.
  const Matrix V = found.loadings,
               normal_matrix = V.transpose() * V + 0.01 * Matrix::Identity(4, 4);
  const Matrix z = p.x * found.projection;
  EXPECT_LT((z * normal_matrix - p.x * V).norm(), 1e-10);
}

TEST(SparsePcaTest, EverythingIsZeroUnderALargePenalty) {
  const Matrix x = random_rows(20, 6);
  SparsePcaOptions options;
  options.alpha = 1e6;
  const SparsePca found = sparse_pca(view_of(x), 3, options);
  EXPECT_EQ(found.loadings.norm(), 0.0);
  EXPECT_NEAR(found.objective, 0.5 * centred(x).squaredNorm(), 1e-9);
}

TEST(SparsePcaTest, ConstantColumnsAndFewDirectionsAreHarmless) {
  Matrix x = random_rows(20, 6);
  x.col(2).setConstant(3.0);
  x.col(4) = x.col(1);
  x.col(5) = -x.col(1);
  const SparsePca found = sparse_pca(view_of(std::as_const(x)), 6, {});
  EXPECT_TRUE(found.projection.allFinite());
  EXPECT_EQ(found.loadings.row(2).norm(), 0.0);
}

TEST(SparsePcaTest, IsAFunctionOfItsSeed) {
  const Matrix x = random_rows(30, 50);
  SparsePcaOptions options;
  options.batch = 16;
  const int threads = num_threads();
  set_num_threads(1);
  const Matrix one = sparse_pca_projection(view_of(x), 5, options);
  set_num_threads(2);
  EXPECT_EQ(one, sparse_pca_projection(view_of(x), 5, options));
  set_num_threads(threads);
}

Schema plain_schema(Index columns) {
  Schema schema;
  for (Index j = 0; j < columns; ++j) {
    schema.inputs.push_back({.name = "c" + std::to_string(j), .words = {}});
  }
  return schema;
}

TEST(ReduceInputs, ComponentsHaveUnitVarianceAndTheSchemaRepeatsThem) {
  for (const char* reduction : {"pca", "sparse-pca"}) {
    Schema schema = plain_schema(9);
    const Matrix columns = random_rows(40, 9);
    Matrix x = columns;
    reduce_inputs(reduction, 4, 1, schema, x);
    EXPECT_EQ(schema.reduction, reduction);
    EXPECT_EQ(schema.column_width(), 9);
    EXPECT_EQ(schema.input_width(), 4);
    EXPECT_EQ(x, schema.reduce(columns));
    for (Index k = 0; k < 4; ++k) {
      EXPECT_NEAR(centred(x).col(k).squaredNorm() / 40.0, 1.0, 1e-12) << reduction << k;
    }
  }
}

TEST(ReduceInputs, NumberOfComponents) {
  Schema schema = plain_schema(9);
  Matrix x = random_rows(40, 9);
  reduce_inputs("none", 50, 1, schema, x);
  EXPECT_EQ(schema.input_width(), 9);
  EXPECT_THROW(reduce_inputs("pca", 10, 1, schema, x), TableError);
  reduce_inputs("pca", std::nullopt, 1, schema, x);
  EXPECT_EQ(schema.input_width(), 9);
  schema = plain_schema(30);
  x = random_rows(40, 30);
  reduce_inputs("pca", std::nullopt, 1, schema, x);
  EXPECT_EQ(schema.input_width(), 20);
}

TEST(LargestEigenpairs, AreEigenpairs) {
  const Matrix x = random_rows(30, 11);
  const Matrix a = x.transpose() * x;
  Matrix copy = a, vectors(11, 4);
  Vector values(4);
  largest_eigenpairs(view_of(copy), values, view_of(vectors));
  EXPECT_LT((a * vectors - vectors * values.asDiagonal()).norm(), 1e-10 * a.norm());
  EXPECT_LT((vectors.transpose() * vectors - Matrix::Identity(4, 4)).norm(), 1e-12);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end(), std::greater<>()));
  EXPECT_LT((values.cwiseSqrt() - fixture::svd(x).values.head(4)).norm(), 1e-10);
}

}  // namespace
}  // namespace mdgp
