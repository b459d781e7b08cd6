// The logistic regression of yardstick.h.
#include <cmath>
#include <limits>
#include <set>

#include "folds.h"
#include "mdgp/inference/lbfgs.h"
#include "mdgp/linalg/check.h"
#include "yardstick.h"

namespace mdgp::experiments {
namespace {

// log(1 + exp(z)), without overflow.
double softplus(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

double sigmoid(double z) {
  const double e = std::exp(-std::abs(z));
  return (z >= 0.0 ? 1.0 : e) / (1.0 + e);
}

void check_training(const Matrix& x, const std::vector<int>& y01) {
  check_size("logistic", "labels", static_cast<Index>(y01.size()), x.rows());
  check_positive("logistic", "number of rows", static_cast<double>(x.rows()));
  check_finite("logistic", "x", view_of(x));
  for (const int y : y01) {
    if (y != 0 && y != 1) refuse("logistic", "label", std::to_string(y), "0 or 1");
  }
}

bool one_class(const std::vector<int>& y01) {
  return std::set<int>(y01.begin(), y01.end()).size() < 2;
}

double log_loss(const Logistic& logistic, const Matrix& x, const std::vector<int>& y01) {
  double sum = 0.0;
  for (Index i = 0; i < x.rows(); ++i) {
    const double z = logistic.intercept + x.row(i).dot(logistic.weight);
    sum += softplus(y01[static_cast<std::size_t>(i)] == 1 ? -z : z);
  }
  return sum;
}

struct Split {
  Matrix seen_x, held_x;
  std::vector<int> seen_y, held_y;
};

Split split_at(const Matrix& x, const std::vector<int>& y01, const std::vector<int>& fold, int f) {
  Split split;
  std::vector<Index> seen, held;
  for (std::size_t i = 0; i < y01.size(); ++i) {
    (fold[i] == f ? held : seen).push_back(static_cast<Index>(i));
    (fold[i] == f ? split.held_y : split.seen_y).push_back(y01[i]);
  }
  split.seen_x = x(seen, Eigen::all);
  split.held_x = x(held, Eigen::all);
  return split;
}

}  // namespace

Logistic fit_logistic(const Matrix& x, const std::vector<int>& y01, double c) {
  check_training(x, y01);
  check_positive("fit_logistic", "c", c);
  if (one_class(y01)) refuse("fit_logistic", "labels", "all the same", "of both classes");
  Vector y(x.rows());
  for (Index i = 0; i < x.rows(); ++i) y[i] = y01[static_cast<std::size_t>(i)];
  const Index d = x.cols();
  // Its negative, to be maximised; at = (w, b). Divided by n c, so that tolerances mean the same.
  const double scale = 1.0 / (c * static_cast<double>(x.rows()));
  const auto f = [&](const Vector& at, Vector& gradient) {
    const Vector z = (x * at.head(d)).array() + at[d];
    double loss = 0.0;
    Vector residual(z.size());
    for (Index i = 0; i < z.size(); ++i) {
      loss += softplus(y[i] > 0.5 ? -z[i] : z[i]);
      residual[i] = y[i] - sigmoid(z[i]);
    }
    gradient.resize(d + 1);
    gradient.head(d) = scale * (c * (x.transpose() * residual) - at.head(d));
    gradient[d] = scale * c * residual.sum();
    return -scale * (0.5 * at.head(d).squaredNorm() + c * loss);
  };
  Vector at = Vector::Zero(d + 1);
  maximise(f, at, {.iterations = 1000, .gradient_tolerance = 1e-9, .value_tolerance = 1e-14});
  return {at.head(d), at[d]};
}

Vector probabilities(const Logistic& logistic, const Matrix& x) {
  check_size("probabilities", "columns of x", x.cols(), logistic.weight.size());
  const Vector z = (x * logistic.weight).array() + logistic.intercept;
  return z.unaryExpr(&sigmoid);
}

double choose_logistic(const Matrix& x, const std::vector<int>& y01, const std::vector<int>& groups,
                       const LogisticOptions& options) {
  check_training(x, y01);
  if (options.folds < 2) {
    refuse("choose_logistic", "folds", std::to_string(options.folds), "at least 2");
  }
  if (options.c.empty()) refuse("choose_logistic", "c", "empty", "a list of candidates");
  if (!groups.empty()) {
    check_size("choose_logistic", "groups", static_cast<Index>(groups.size()), x.rows());
  }
  const std::vector<int> fold = groups.empty() ? stratified_folds(y01, options.folds, options.seed)
                                               : group_folds(groups, options.folds, options.seed);
  double best = options.c.front(), least = std::numeric_limits<double>::infinity();
  for (const double c : options.c) {
    double loss = 0.0;
    for (int f = 0; f < options.folds; ++f) {
      const Split split = split_at(x, y01, fold, f);
      // Nothing to learn from, or nothing to try it on; the same folds for every c.
      if (split.held_y.empty() || split.seen_y.empty() || one_class(split.seen_y)) continue;
      loss += log_loss(fit_logistic(split.seen_x, split.seen_y, c), split.held_x, split.held_y);
    }
    if (loss >= least) continue;
    least = loss;
    best = c;
  }
  return best;
}

Vector logistic_probabilities(const Matrix& train_x, const std::vector<int>& train_y01,
                              const std::vector<int>& groups, const Matrix& test_x,
                              const LogisticOptions& options) {
  check_training(train_x, train_y01);
  check_size("logistic_probabilities", "columns of test_x", test_x.cols(), train_x.cols());
  const Eigen::RowVectorXd mean = train_x.colwise().mean();
  Eigen::RowVectorXd deviation =
      (train_x.rowwise() - mean).array().square().colwise().mean().sqrt();
  for (double& each : deviation) {
    if (!(each > 0.0)) each = 1.0;
  }
  const auto standardised = [&](const Matrix& x) -> Matrix {
    return (x.rowwise() - mean).array().rowwise() / deviation.array();
  };
  const Matrix x = standardised(train_x);
  const double c = choose_logistic(x, train_y01, groups, options);
  return probabilities(fit_logistic(x, train_y01, c), standardised(test_x));
}

}  // namespace mdgp::experiments
