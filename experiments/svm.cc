// The support vector machine of yardstick.h. libsvm prints and calls rand() only where it estimates
// probabilities or cross-validates, which it is not asked to; the folds are ours.
#include <libsvm/svm.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "folds.h"
#include "mdgp/linalg/check.h"
#include "mdgp/linalg/parallel.h"
#include "yardstick.h"

namespace mdgp::experiments {
namespace {

constexpr double kCosts[] = {1.0, 3.0, 10.0, 30.0};
constexpr double kGammas[] = {0.3, 1.0, 3.0};  // times 1 / (D var(x))

// Rows as libsvm wants them: what is not zero, each row ended by an index of -1.
class SparseRows {
 public:
  explicit SparseRows(const Matrix& x) {
    std::vector<std::size_t> begin;
    for (Index i = 0; i < x.rows(); ++i) {
      begin.push_back(nodes_.size());
      for (Index j = 0; j < x.cols(); ++j) {
        if (x(i, j) != 0.0) nodes_.push_back({static_cast<int>(j) + 1, x(i, j)});
      }
      nodes_.push_back({-1, 0.0});
    }
    for (const std::size_t b : begin) rows_.push_back(nodes_.data() + b);
  }
  svm_node* row(Index i) const { return rows_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<svm_node> nodes_;
  std::vector<svm_node*> rows_;
};

struct FreeModel {
  void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
};
using SvmModel = std::unique_ptr<svm_model, FreeModel>;

// On some of the rows. The model points into them.
SvmModel train(const SparseRows& rows, const std::vector<int>& y, const std::vector<Index>& which,
               double c, double gamma) {
  // By class: where all classes win once against another, libsvm takes the one it met first.
  std::vector<Index> sorted = which;
  std::stable_sort(sorted.begin(), sorted.end(), [&](Index a, Index b) {
    return y[static_cast<std::size_t>(a)] < y[static_cast<std::size_t>(b)];
  });
  std::vector<double> labels;
  std::vector<svm_node*> x;
  for (const Index i : sorted) {
    labels.push_back(y[static_cast<std::size_t>(i)]);
    x.push_back(rows.row(i));
  }
  const svm_problem problem{static_cast<int>(x.size()), labels.data(), x.data()};
  svm_parameter how{};
  how.svm_type = C_SVC;
  how.kernel_type = RBF;
  how.gamma = gamma;
  how.C = c;
  how.cache_size = 200.0;
  how.eps = 1e-3;
  how.shrinking = 1;
  static const bool silent = (svm_set_print_string_function([](const char*) {}), true);
  static_cast<void>(silent);  // once: it is a global
  return SvmModel(svm_train(&problem, &how));
}

int label_of(const SvmModel& model, const svm_node* row) {
  return static_cast<int>(std::lround(svm_predict(model.get(), row)));
}

void check_training(const Matrix& x, const std::vector<int>& y) {
  check_size("svm", "labels", static_cast<Index>(y.size()), x.rows());
  check_positive("svm", "number of rows", static_cast<double>(x.rows()));
  check_finite("svm", "x", view_of(x));
}

// How many rows of the fold are labelled right by a machine that was trained on the others.
Index right_in_fold(const SparseRows& rows, const std::vector<int>& y, const std::vector<int>& fold,
                    int f, const SvmChoice& choice) {
  std::vector<Index> seen, held;
  for (std::size_t i = 0; i < y.size(); ++i) {
    (fold[i] == f ? held : seen).push_back(static_cast<Index>(i));
  }
  if (seen.empty() || held.empty()) return 0;
  const SvmModel model = train(rows, y, seen, choice.c, choice.gamma);
  Index right = 0;
  for (const Index i : held) {
    right += label_of(model, rows.row(i)) == y[static_cast<std::size_t>(i)] ? 1 : 0;
  }
  return right;
}

}  // namespace

std::vector<int> svm_labels(const Matrix& train_x, const std::vector<int>& train_y,
                            const Matrix& test_x, double c, double gamma) {
  check_training(train_x, train_y);
  check_size("svm_labels", "columns of test_x", test_x.cols(), train_x.cols());
  check_finite("svm_labels", "test_x", view_of(test_x));
  check_positive("svm_labels", "c", c);
  check_positive("svm_labels", "gamma", gamma);
  const SparseRows rows(train_x), test(test_x);
  std::vector<Index> all(train_y.size());
  std::iota(all.begin(), all.end(), Index{0});
  const SvmModel model = train(rows, train_y, all, c, gamma);
  std::vector<int> labels(static_cast<std::size_t>(test_x.rows()));
  parallel_for(test_x.rows(), [&](Index i, int) {
    labels[static_cast<std::size_t>(i)] = label_of(model, test.row(i));
  });
  return labels;
}

SvmChoice choose_svm(const Matrix& x, const std::vector<int>& y, int folds, std::uint64_t seed) {
  check_training(x, y);
  if (folds < 2) refuse("choose_svm", "folds", std::to_string(folds), "at least 2");
  const double variance = (x.array() - x.mean()).square().mean();
  const double unit = variance > 0.0 ? 1.0 / (static_cast<double>(x.cols()) * variance) : 1.0;
  std::vector<SvmChoice> grid;  // the smoothest first
  for (const double c : kCosts) {
    for (const double gamma : kGammas) grid.push_back({c, gamma * unit, 0.0});
  }
  const SparseRows rows(x);
  const std::vector<int> fold = stratified_folds(y, folds, seed);
  std::vector<Index> right(grid.size() * static_cast<std::size_t>(folds));
  parallel_for(static_cast<Index>(right.size()), [&](Index k, int) {
    const auto choice = static_cast<std::size_t>(k / folds);
    right[static_cast<std::size_t>(k)] =
        right_in_fold(rows, y, fold, static_cast<int>(k % folds), grid[choice]);
  });
  SvmChoice best;
  best.accuracy = -1.0;
  for (std::size_t g = 0; g < grid.size(); ++g) {
    Index sum = 0;
    for (int f = 0; f < folds; ++f)
      sum += right[g * static_cast<std::size_t>(folds) + static_cast<std::size_t>(f)];
    grid[g].accuracy = static_cast<double>(sum) / static_cast<double>(x.rows());
    if (grid[g].accuracy > best.accuracy) best = grid[g];
  }
  return best;
}

}  // namespace mdgp::experiments
