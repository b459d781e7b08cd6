// What experiments hold their models against that is not a model of mdgp: a support vector machine
// with an RBF kernel (libsvm, classes one against one) and l2-regularised logistic regression.
// Their settings are chosen by cross-validation on the training rows alone.
#pragma once

#include <cstdint>
#include <vector>

#include "mdgp/linalg/matrix.h"

namespace mdgp::experiments {

// Labels of the rows of test_x. x [n, D], labels any whole numbers.
//   k(a, b) = exp(-gamma |a - b|²), c the cost of a training error
std::vector<int> svm_labels(const Matrix& train_x, const std::vector<int>& train_y,
                            const Matrix& test_x, double c, double gamma);

struct SvmChoice {
  double c = 1.0, gamma = 1.0;
  double accuracy = 0.0;  // of the rows held out, over all folds
};

// Of c in 1, 3, 10, 30 and gamma in 0.3, 1, 3 times 1 / (D var(x)), those that label the most rows
// right that they have not seen; of equally good ones the smoothest. The folds have about the same
// share of every class.
SvmChoice choose_svm(const Matrix& x, const std::vector<int>& y, int folds, std::uint64_t seed);

// p(y = 1 | x) = 1 / (1 + exp(-b - xᵀw)), with w and b that minimise
//   |w|² / 2 + c sum_i log(1 + exp(-(±1)_i (b + x_iᵀw)))
// (c as scikit-learn's C).
struct Logistic {
  Vector weight;  // [D]
  double intercept = 0.0;
};
Logistic fit_logistic(const Matrix& x, const std::vector<int>& y01, double c);
Vector probabilities(const Logistic& logistic, const Matrix& x);

struct LogisticOptions {
  std::vector<double> c = {0.001, 0.01, 0.1, 1.0, 10.0, 100.0};
  int folds = 5;
  std::uint64_t seed = 1;
};

// The c with the least log loss of rows that were held out. Rows of one group (a subject) are held
// out together; no groups: every row is its own.
double choose_logistic(const Matrix& x, const std::vector<int>& y01, const std::vector<int>& groups,
                       const LogisticOptions& options = {});

// p(y = 1) of the rows of test_x: columns standardised by the training rows, c chosen, then fitted
// to all of them.
Vector logistic_probabilities(const Matrix& train_x, const std::vector<int>& train_y01,
                              const std::vector<int>& groups, const Matrix& test_x,
                              const LogisticOptions& options = {});

}  // namespace mdgp::experiments
