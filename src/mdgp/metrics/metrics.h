// How good predictions are.
#pragma once

#include <vector>

#include "mdgp/linalg/matrix.h"

namespace mdgp {

double rmse(const Vector& y, const Vector& mean);
// Mean squared error over the variance of y (0: perfect, 1: as good as y's own mean); NaN where
// all y are equal.
double smse(const Vector& y, const Vector& mean);
// Minus the mean log predictive density.
double nlpp(const Vector& log_density);
// The share of labels for which the largest probability is theirs. probability [n, classes]; the
// first of equal ones counts.
double accuracy(const std::vector<int>& label, const ConstView& probability);
// The share of pairs (one, zero) that the score puts in the right order, ties half. NaN where there
// is no such pair. label: 0 or 1.
double roc_auc(const std::vector<int>& label, const Vector& score);
// Minus the mean log probability of the label; probabilities are floored at 1e-15.
double log_loss(const std::vector<int>& label, const ConstView& probability);
// The share of y inside [low, high].
double coverage(const Vector& y, const Vector& low, const Vector& high);
// Expected calibration error of a classifier: over ten bins of the largest probability, the mean
// gap between it and the share that was right, weighted by the bins' sizes.
double calibration_error(const std::vector<int>& label, const ConstView& probability);

struct MeanError {
  double mean = 0.0, error = 0.0;  // standard error; 0 for one value
};
MeanError mean_error(const std::vector<double>& values);

// Two-sided p of the paired Wilcoxon signed-rank test; zeros are dropped, ties share ranks. Exact
// up to 25 pairs without ties, else the normal approximation with corrections for ties and
// continuity. 1 where no pair differs.
double wilcoxon(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace mdgp
