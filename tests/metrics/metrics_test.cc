#include "mdgp/metrics/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "testing/not_finite.h"

namespace mdgp {
namespace {

// Numbers of scikit-learn 1.9.1 (m = sklearn.metrics) and scipy 1.17.1 on the same values; the
// command stands above each number.

Vector vector(std::initializer_list<double> values) {
  return Eigen::Map<const Vector>(values.begin(), std::ssize(values));
}

const Vector kY = vector({1.0, 2.5, -0.5, 3.0, 0.25});
const Vector kMean = vector({1.2, 2.0, 0.0, 2.5, 0.5});

TEST(Rmse, AgreesWithScikitLearn) {
  // m.root_mean_squared_error(y, mean)
  EXPECT_NEAR(rmse(kY, kMean), 0.4129164564412516, 1e-14);
}

TEST(Smse, AgreesWithScikitLearn) {
  // 1 - m.r2_score(y, mean)
  EXPECT_NEAR(smse(kY, kMean), 0.09742857142857142, 1e-14);
  EXPECT_NEAR(smse(kY, Vector::Constant(5, kY.mean())), 1.0, 1e-14);
  EXPECT_TRUE(std::isnan(smse(Vector::Constant(3, 2.0), Vector::Constant(3, 1.0))));
}

TEST(Nlpp, AgreesWithScipy) {
  // l = scipy.stats.norm(mean, 0.5).logpdf(y); -l.mean()
  const Vector log_density = vector({-0.30579135264472734, -0.7257913526447274, -0.7257913526447274,
                                     -0.7257913526447274, -0.3507913526447274});
  EXPECT_NEAR(nlpp(log_density), 0.5667913526447272, 1e-14);
}

// Row 4 has two largest probabilities; rows 0, 2, 3, 4 and 5 are on the edges of bins.
const std::vector<int> kLabel = {0, 1, 2, 1, 0, 2, 1, 0};
const Matrix kProbability{{0.7, 0.2, 0.1}, {0.1, 0.85, 0.05}, {0.3, 0.3, 0.4},   {0.5, 0.25, 0.25},
                          {0.4, 0.4, 0.2}, {0.05, 0.05, 0.9}, {0.35, 0.45, 0.2}, {0.1, 0.15, 0.75}};

TEST(Accuracy, AgreesWithScikitLearn) {
  // m.accuracy_score(label, p.argmax(1))
  EXPECT_EQ(accuracy(kLabel, view_of(kProbability)), 0.75);
}

TEST(Accuracy, TakesTheFirstOfEqualProbabilities) {
  const Matrix equal{{0.5, 0.5}};
  EXPECT_EQ(accuracy({0}, view_of(equal)), 1.0);
  EXPECT_EQ(accuracy({1}, view_of(equal)), 0.0);
}

TEST(LogLoss, AgreesWithScikitLearn) {
  // m.log_loss(label, p)
  EXPECT_NEAR(log_loss(kLabel, view_of(kProbability)), 0.8680653753967938, 1e-14);
}

TEST(LogLoss, FloorsProbabilities) {
  const Matrix sure{{1.0, 0.0}};
  EXPECT_EQ(log_loss({0}, view_of(sure)), 0.0);
  EXPECT_NEAR(log_loss({1}, view_of(sure)), 15.0 * std::log(10.0), 1e-12);
}

TEST(CalibrationError, AgreesWithScikitLearn) {
  // conf = p.max(1); right = p.argmax(1) == label
  // share, mean = sklearn.calibration.calibration_curve(right, conf, n_bins=10)
  // n = np.bincount(np.searchsorted(np.linspace(0, 1, 11)[1:-1], conf)); n = n[n > 0]
  // (n * abs(share - mean)).sum() / n.sum()
  EXPECT_NEAR(calibration_error(kLabel, view_of(kProbability)), 0.31875, 1e-14);
}

TEST(CalibrationError, IsZeroForRightCertaintyAndOneForWrong) {
  const Matrix sure{{1.0, 0.0}, {0.0, 1.0}};
  EXPECT_EQ(calibration_error({0, 1}, view_of(sure)), 0.0);
  EXPECT_EQ(calibration_error({1, 0}, view_of(sure)), 1.0);
}

TEST(CalibrationError, ForgivesRoundingAboveOne) {
  const Matrix above{{1.0 + 1e-15, 0.0}};
  EXPECT_NEAR(calibration_error({0}, view_of(above)), 0.0, 1e-14);
}

TEST(RocAuc, AgreesWithScikitLearn) {
  // m.roc_auc_score(label, score); one score is shared by two ones and a zero
  const Vector score = vector({0.1, 0.4, 0.35, 0.8, 0.4, 0.4, 0.2, 0.9});
  EXPECT_NEAR(roc_auc({0, 1, 1, 0, 1, 0, 0, 1}, score), 0.6875, 1e-15);
}

TEST(RocAuc, OrdersInfiniteScores) {
  EXPECT_EQ(roc_auc({0, 1, 1}, vector({-kInfinity, 0.0, kInfinity})), 1.0);
  EXPECT_EQ(roc_auc({0, 1}, vector({kInfinity, kInfinity})), 0.5);
}

TEST(RocAuc, IsNaNWithoutPairs) {
  EXPECT_TRUE(std::isnan(roc_auc({1, 1}, vector({0.1, 0.2}))));
  EXPECT_TRUE(std::isnan(roc_auc({}, Vector())));
}

TEST(Coverage, CountsTheEnds) {
  EXPECT_EQ(coverage(vector({0.0, 1.0, 2.0, 3.0}), vector({0.0, 0.0, 0.0, -kInfinity}),
                     vector({1.0, 1.0, 1.0, 2.0})),
            0.5);
}

TEST(MeanErrorOf, AgreesWithScipy) {
  // np.mean(v), scipy.stats.sem(v)
  const MeanError result = mean_error({1.5, 2.25, 0.75, 3.0});
  EXPECT_NEAR(result.mean, 1.875, 1e-15);
  EXPECT_NEAR(result.error, 0.4841229182759271, 1e-15);
}

TEST(MeanErrorOf, OneValueHasNoError) {
  EXPECT_EQ(mean_error({3.0}).mean, 3.0);
  EXPECT_EQ(mean_error({3.0}).error, 0.0);
}

double wilcoxon_of(const std::vector<double>& differences) {
  return wilcoxon(differences, std::vector<double>(differences.size(), 0.0));
}

// 1, 4, -9, 16, 25, -36 …: no two of equal size.
std::vector<double> squares(int n) {
  std::vector<double> out;
  for (int i = 1; i <= n; ++i) out.push_back(i % 3 == 0 ? -i * i : i * i);
  return out;
}

TEST(Wilcoxon, IsExactForFewPairs) {
  // scipy.stats.wilcoxon(a, b, method='exact').pvalue
  EXPECT_NEAR(wilcoxon({1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30},
                       {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}),
              0.0390625, 1e-15);
  EXPECT_NEAR(wilcoxon_of(squares(25)), 0.14847958087921143, 1e-14);
  EXPECT_EQ(wilcoxon_of({1.0, -2.0, -3.0, 4.0}), 1.0);
  EXPECT_EQ(wilcoxon_of({4.0}), 1.0);
}

TEST(Wilcoxon, IsExactOnWhatZerosLeave) {
  // scipy.stats.wilcoxon([3, -1, 2, 7, -4, 5], method='exact').pvalue
  EXPECT_NEAR(wilcoxon_of({3.0, -1.0, 0.0, 2.0, 7.0, 0.0, -4.0, 5.0}), 0.3125, 1e-15);
}

TEST(Wilcoxon, IsApproximateForManyPairs) {
  // scipy.stats.wilcoxon(d, method='asymptotic', correction=True).pvalue
  EXPECT_NEAR(wilcoxon_of(squares(26)), 0.08881828327172404, 1e-14);
}

TEST(Wilcoxon, IsApproximateWithTies) {
  // scipy.stats.wilcoxon(d, zero_method='wilcox', method='asymptotic', correction=True).pvalue
  EXPECT_NEAR(wilcoxon_of({3, -1, 2, 2, 0, 4, -2, 5, 1, 0, 6, 3}), 0.027801830120072507, 1e-14);
  EXPECT_EQ(wilcoxon_of({1.0, -1.0, 2.0, -2.0}), 1.0);
}

TEST(Wilcoxon, DoesNotDependOnTheOrderOfItsArguments) {
  const std::vector<double> zeros(26, 0.0);
  EXPECT_EQ(wilcoxon(squares(26), zeros), wilcoxon(zeros, squares(26)));
}

TEST(Wilcoxon, IsOneWhereNoPairDiffers) {
  EXPECT_EQ(wilcoxon_of({0.0, 0.0}), 1.0);
  EXPECT_EQ(wilcoxon_of({}), 1.0);
}

TEST(Metrics, RefuseSizesThatDoNotMatch) {
  const Vector two = vector({0.0, 1.0});
  EXPECT_THROW(rmse(kY, two), std::invalid_argument);
  EXPECT_THROW(smse(kY, two), std::invalid_argument);
  EXPECT_THROW(accuracy({0, 1}, view_of(kProbability)), std::invalid_argument);
  EXPECT_THROW(roc_auc({0, 1, 1}, two), std::invalid_argument);
  EXPECT_THROW(log_loss({0, 1}, view_of(kProbability)), std::invalid_argument);
  EXPECT_THROW(coverage(two, two, kY), std::invalid_argument);
  EXPECT_THROW(coverage(two, kY, two), std::invalid_argument);
  EXPECT_THROW(calibration_error({0, 1}, view_of(kProbability)), std::invalid_argument);
  EXPECT_THROW(wilcoxon({1.0}, {1.0, 2.0}), std::invalid_argument);
}

TEST(Metrics, RefuseTheMeanOfNothing) {
  const Matrix none(0, 2);
  EXPECT_THROW(rmse(Vector(), Vector()), std::invalid_argument);
  EXPECT_THROW(smse(Vector(), Vector()), std::invalid_argument);
  EXPECT_THROW(nlpp(Vector()), std::invalid_argument);
  EXPECT_THROW(accuracy({}, view_of(none)), std::invalid_argument);
  EXPECT_THROW(log_loss({}, view_of(none)), std::invalid_argument);
  EXPECT_THROW(coverage(Vector(), Vector(), Vector()), std::invalid_argument);
  EXPECT_THROW(calibration_error({}, view_of(none)), std::invalid_argument);
  EXPECT_THROW(mean_error({}), std::invalid_argument);
}

TEST(Metrics, RefuseLabelsWithoutAClass) {
  const Matrix one{{0.5, 0.5}};
  for (const int label : {-1, 2}) {
    EXPECT_THROW(accuracy({label}, view_of(one)), std::invalid_argument);
    EXPECT_THROW(log_loss({label}, view_of(one)), std::invalid_argument);
    EXPECT_THROW(calibration_error({label}, view_of(one)), std::invalid_argument);
    EXPECT_THROW(roc_auc({label}, vector({0.5})), std::invalid_argument);
  }
}

TEST(Metrics, RefuseWhatHasNoOrder) {
  const Matrix bad{{kNaN, 0.5}};
  EXPECT_THROW(accuracy({1}, view_of(bad)), std::invalid_argument);
  EXPECT_THROW(log_loss({0}, view_of(bad)), std::invalid_argument);
  EXPECT_THROW(calibration_error({0}, view_of(bad)), std::invalid_argument);
  EXPECT_THROW(roc_auc({0, 1}, vector({0.5, kNaN})), std::invalid_argument);
  EXPECT_THROW(wilcoxon_of({1.0, kNaN}), std::invalid_argument);
}

}  // namespace
}  // namespace mdgp
