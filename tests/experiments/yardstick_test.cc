// Numbers from scikit-learn 1.2.1, computed once on the rows below: SVC(C, gamma).fit(x,
// y).predict(t) and LogisticRegression(C, tol=1e-12, max_iter=100000,
// solver='newton-cholesky') (its default solver stops at five digits).
#include "yardstick.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "folds.h"
#include "mdgp/linalg/parallel.h"
#include "mdgp/random/normal.h"

namespace mdgp::experiments {
namespace {

// [n, 3]: sin(1.3 i + 2.1 j) + cos(0.37 i (j + 1)) / 2, i from `first` on.
Matrix rows(Index n, Index first) {
  Matrix x(n, 3);
  for (Index r = 0; r < n; ++r) {
    const double i = static_cast<double>(first + r);
    for (Index c = 0; c < 3; ++c) {
      const double j = static_cast<double>(c);
      x(r, c) = std::sin(1.3 * i + 2.1 * j) + 0.5 * std::cos(0.37 * i * (j + 1.0));
    }
  }
  return x;
}

// Three classes: s = x0 + x1 x2 / 2 below -0.4, up to 0.4, above.
std::vector<int> labels(const Matrix& x) {
  std::vector<int> y;
  for (Index i = 0; i < x.rows(); ++i) {
    const double s = x(i, 0) + 0.5 * x(i, 1) * x(i, 2);
    y.push_back((s > -0.4 ? 1 : 0) + (s > 0.4 ? 1 : 0));
  }
  return y;
}

std::vector<int> top_class(const Matrix& x) {
  std::vector<int> y = labels(x);
  for (int& each : y) each = each == 2 ? 1 : 0;
  return y;
}

std::string text(const std::vector<int>& y) {
  std::string out;
  for (const int each : y) out += static_cast<char>('0' + each);
  return out;
}

// Two clouds, at -2 and at 2 in every column.
Matrix clouds(Index n, std::uint64_t seed) {
  Matrix x(n, 4);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < 4; ++j) {
      x(i, j) = (i % 2 == 0 ? -2.0 : 2.0) + 0.5 * normal({seed, Purpose::data, 0},
                                                         static_cast<std::uint64_t>(i),
                                                         static_cast<std::uint32_t>(j));
    }
  }
  return x;
}

std::vector<int> cloud_of(Index n) {
  std::vector<int> y;
  for (Index i = 0; i < n; ++i) y.push_back(static_cast<int>(i % 2));
  return y;
}

TEST(Svm, LabelsAsScikitLearn) {
  const Matrix x = rows(60, 0), t = rows(40, 100);
  EXPECT_EQ(text(svm_labels(x, labels(x), t, 3.0, 0.7)),
            "1122100120001200122111220011000120112210");
  EXPECT_EQ(text(svm_labels(x, labels(x), t, 1.0, 0.05)),
            "0112200220001200122001220012000222012200");
}

TEST(Svm, SeparatesClouds) {
  const Matrix x = clouds(60, 1);
  const SvmChoice choice = choose_svm(x, cloud_of(60), 5, 1);
  EXPECT_EQ(choice.accuracy, 1.0);
  EXPECT_EQ(choice.c, 1.0);  // the smoothest of all that are right
  EXPECT_EQ(svm_labels(x, cloud_of(60), clouds(40, 2), choice.c, choice.gamma), cloud_of(40));
}

TEST(Svm, ChoiceIsTheSameWithAnyThreads) {
  const Matrix x = rows(60, 0);
  const int before = num_threads();
  set_num_threads(1);
  const SvmChoice one = choose_svm(x, labels(x), 4, 7);
  set_num_threads(3);
  const SvmChoice three = choose_svm(x, labels(x), 4, 7);
  set_num_threads(before);
  EXPECT_EQ(one.c, three.c);
  EXPECT_EQ(one.gamma, three.gamma);
  EXPECT_EQ(one.accuracy, three.accuracy);
  EXPECT_GT(one.accuracy, 0.6);
}

TEST(Svm, RefusesWhatDoesNotFit) {
  const Matrix x = rows(10, 0);
  EXPECT_THROW(svm_labels(x, {0, 1}, x, 1.0, 1.0), std::invalid_argument);
  EXPECT_THROW(svm_labels(x, labels(x), x.leftCols(2), 1.0, 1.0), std::invalid_argument);
  EXPECT_THROW(svm_labels(x, labels(x), x, 0.0, 1.0), std::invalid_argument);
  EXPECT_THROW(choose_svm(x, labels(x), 1, 1), std::invalid_argument);
}

TEST(LogisticRegression, FitsAsScikitLearn) {
  const Matrix x = rows(60, 0), t = rows(3, 100);
  const Logistic strong = fit_logistic(x, top_class(x), 0.1);
  EXPECT_NEAR(strong.weight[0], 0.924458989, 1e-7);
  EXPECT_NEAR(strong.weight[1], -0.468548810, 1e-7);
  EXPECT_NEAR(strong.weight[2], -0.252925939, 1e-7);
  EXPECT_NEAR(strong.intercept, -0.953968026, 1e-7);
  const Vector p = probabilities(strong, t);
  EXPECT_NEAR(p[0], 0.153884893, 1e-7);
  EXPECT_NEAR(p[1], 0.155399580, 1e-7);
  EXPECT_NEAR(p[2], 0.446103238, 1e-7);
  const Vector weak = probabilities(fit_logistic(x, top_class(x), 10.0), t);
  EXPECT_NEAR(weak[0], 0.000409163, 1e-7);
  EXPECT_NEAR(weak[1], 0.001836540, 1e-7);
  EXPECT_NEAR(weak[2], 0.940185116, 1e-7);
}

// As a pipeline of StandardScaler and LogisticRegression(C=1), with columns of different scales.
TEST(LogisticRegression, StandardisesByTheTrainingRows) {
  const Eigen::Array3d scale(1.0, 10.0, 100.0);
  const auto scaled = [&](const Matrix& x) -> Matrix {
    return (x.array().rowwise() * scale.transpose() + 5.0).matrix();
  };
  const Matrix x = rows(60, 0);
  LogisticOptions options;
  options.c = {1.0};
  const Vector p =
      logistic_probabilities(scaled(x), top_class(x), {}, scaled(rows(3, 100)), options);
  EXPECT_NEAR(p[0], 0.011379133, 1e-7);
  EXPECT_NEAR(p[1], 0.016569873, 1e-7);
  EXPECT_NEAR(p[2], 0.702096543, 1e-7);
}

TEST(LogisticRegression, SeparatesClouds) {
  const Vector p = logistic_probabilities(clouds(60, 1), cloud_of(60), {}, clouds(40, 2));
  for (Index i = 0; i < p.size(); ++i) EXPECT_EQ(p[i] > 0.5, i % 2 == 1);
}

// Each subject has a mark of its own, which tells its label where the subject is known and nothing
// where it is not: only folds that keep subjects together want it left alone.
TEST(LogisticRegression, SubjectsAreHeldOutWhole) {
  const Index subjects = 20, each = 5;
  Matrix x = Matrix::Zero(subjects * each, subjects + 1);
  std::vector<int> y, groups;
  for (Index i = 0; i < x.rows(); ++i) {
    const Index s = i / each;
    groups.push_back(static_cast<int>(s));
    y.push_back(uniform({3, Purpose::data, 0}, static_cast<std::uint64_t>(s), 0) < 0.5 ? 0 : 1);
    x(i, s) = 5.0;
  }
  EXPECT_GE(choose_logistic(x, y, {}), 1.0);
  EXPECT_LE(choose_logistic(x, y, groups), 0.01);
}

TEST(LogisticRegression, RefusesWhatDoesNotFit) {
  const Matrix x = rows(4, 0);
  EXPECT_THROW(fit_logistic(x, {0, 0, 0, 0}, 1.0), std::invalid_argument);
  EXPECT_THROW(fit_logistic(x, {0, 1, 2, 0}, 1.0), std::invalid_argument);
  EXPECT_THROW(choose_logistic(x, {0, 1, 1, 0}, {1, 2}), std::invalid_argument);
}

TEST(Folds, HaveTheSameShareOfEveryClass) {
  std::vector<int> classes;
  for (int i = 0; i < 103; ++i) classes.push_back(i % 10 == 0 ? 7 : i % 3);
  const std::vector<int> fold = stratified_folds(classes, 5, 1);
  for (const int label : {0, 1, 2, 7}) {
    std::vector<int> count(5, 0);
    for (std::size_t i = 0; i < fold.size(); ++i) {
      if (classes[i] == label) ++count[static_cast<std::size_t>(fold[i])];
    }
    const auto [least, most] = std::minmax_element(count.begin(), count.end());
    EXPECT_LE(*most - *least, 1);
  }
  EXPECT_NE(fold, stratified_folds(classes, 5, 2));
}

TEST(Folds, KeepGroupsTogether) {
  std::vector<int> groups;
  for (int i = 0; i < 40; ++i) groups.push_back(100 - i / 3);
  const std::vector<int> fold = group_folds(groups, 4, 1);
  for (std::size_t i = 1; i < groups.size(); ++i) {
    if (groups[i] != groups[i - 1]) continue;
    EXPECT_EQ(fold[i], fold[i - 1]);
  }
  EXPECT_EQ(*std::max_element(fold.begin(), fold.end()), 3);
}

}  // namespace
}  // namespace mdgp::experiments
