#include "mdgp/metrics/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>

#include "mdgp/linalg/check.h"

namespace mdgp {
namespace {

// The mean of nothing is nobody's result: better to hear of it here than to find a NaN in a table.
void check_some(std::string_view function, Index values) {
  check_positive(function, "number of values", static_cast<double>(values));
}

// A probability for each class in each row, and a class for each label. NaN would lose or win every
// comparison, so it may not pass as a wrong or a right prediction.
void check_classes(std::string_view function, const std::vector<int>& label,
                   const ConstView& probability) {
  check_some(function, std::ssize(label));
  check_size(function, "probability", probability.rows(), std::ssize(label));
  check_finite(function, "probability", probability);
  for (const int l : label) check_index(function, "label", l, probability.cols());
}

// The first of the most probable classes.
Index predicted(const ConstView& probability, Index row) {
  Index best = 0;
  for (Index c = 1; c < probability.cols(); ++c) {
    if (probability(row, c) > probability(row, best)) best = c;
  }
  return best;
}

double mean_squared_error(const Vector& y, const Vector& mean) {
  return (y - mean).squaredNorm() / static_cast<double>(y.size());
}

}  // namespace

double rmse(const Vector& y, const Vector& mean) {
  check_some("rmse", y.size());
  check_size("rmse", "mean", mean.size(), y.size());
  return std::sqrt(mean_squared_error(y, mean));
}

double smse(const Vector& y, const Vector& mean) {
  check_some("smse", y.size());
  check_size("smse", "mean", mean.size(), y.size());
  const double variance = mean_squared_error(y, Vector::Constant(y.size(), y.mean()));
  return variance > 0.0 ? mean_squared_error(y, mean) / variance : std::nan("");
}

double nlpp(const Vector& log_density) {
  check_some("nlpp", log_density.size());
  return -log_density.mean();
}

double accuracy(const std::vector<int>& label, const ConstView& probability) {
  check_classes("accuracy", label, probability);
  int right = 0;
  for (Index i = 0; i < probability.rows(); ++i) right += predicted(probability, i) == label[at(i)];
  return static_cast<double>(right) / static_cast<double>(probability.rows());
}

double roc_auc(const std::vector<int>& label, const Vector& score) {
  check_size("roc_auc", "score", score.size(), std::ssize(label));
  for (const int l : label) check_index("roc_auc", "label", l, 2);
  for (const double s : score) {  // infinite scores have an order, NaN has none
    if (std::isnan(s)) refuse("roc_auc", "score", "NaN", "a number");
  }
  std::vector<Index> order(label.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return score[a] < score[b]; });

  // From low to high, one group of equal scores at a time.
  double ones = 0.0, zeros = 0.0, right = 0.0;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    double group_ones = 0.0, group_zeros = 0.0;
    for (; end < order.size() && score[order[end]] == score[order[begin]]; ++end) {
      (label[at(order[end])] == 1 ? group_ones : group_zeros) += 1.0;
    }
    right += group_ones * (zeros + 0.5 * group_zeros);
    ones += group_ones;
    zeros += group_zeros;
  }
  const double pairs = ones * zeros;
  return pairs > 0.0 ? right / pairs : std::numeric_limits<double>::quiet_NaN();
}

double log_loss(const std::vector<int>& label, const ConstView& probability) {
  constexpr double kLeast = 1e-15;
  check_classes("log_loss", label, probability);
  double sum = 0.0;
  for (Index i = 0; i < probability.rows(); ++i) {
    sum += std::log(std::max(probability(i, label[at(i)]), kLeast));
  }
  return -sum / static_cast<double>(probability.rows());
}

double coverage(const Vector& y, const Vector& low, const Vector& high) {
  check_some("coverage", y.size());
  check_size("coverage", "low", low.size(), y.size());
  check_size("coverage", "high", high.size(), y.size());
  const Index inside = (low.array() <= y.array() && y.array() <= high.array()).count();
  return static_cast<double>(inside) / static_cast<double>(y.size());
}

double calibration_error(const std::vector<int>& label, const ConstView& probability) {
  constexpr int kBins = 10;
  check_classes("calibration_error", label, probability);
  // Bin b holds (b / 10, (b + 1) / 10], as in Guo et al., "On calibration of modern neural
  // networks" (2017). Its size times its gap is the difference of two sums, so one is enough.
  std::array<double, kBins> excess{};
  for (Index i = 0; i < probability.rows(); ++i) {
    const Index best = predicted(probability, i);
    const double confidence = probability(i, best);
    const double bin = std::clamp(std::ceil(kBins * confidence) - 1.0, 0.0, kBins - 1.0);
    excess[static_cast<std::size_t>(bin)] += confidence - (best == label[at(i)] ? 1.0 : 0.0);
  }
  double sum = 0.0;
  for (const double e : excess) sum += std::abs(e);
  return sum / static_cast<double>(probability.rows());
}

MeanError mean_error(const std::vector<double>& values) {
  check_some("mean_error", std::ssize(values));
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() == 1) return {mean, 0.0};
  double squares = 0.0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return {mean, std::sqrt(squares / (n - 1.0) / n)};
}

}  // namespace mdgp
