#include "mdgp/posterior/posterior.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mdgp/inference/bound.h"
#include "mdgp/linalg/parallel.h"
#include "testing/random_model.h"

namespace mdgp {
namespace {

// The textbook's law of total variance and log-sum-exp over the mixture that latent() gives.
class PosteriorTest : public testing::TestWithParam<std::string> {
 protected:
  Model model = fixture::random_model(
      fixture::small_spec(GetParam(), 3,
                          fixture::is_coregional(GetParam())
                              ? std::vector<TaskSpec>{{"gaussian"}, {"gaussian"}}
                              : std::vector<TaskSpec>{{"gaussian"}, {"robustmax", 3}}),
      5);
  Matrix x = Matrix::Random(37, 3);
};
INSTANTIATE_TEST_SUITE_P(Models, PosteriorTest,
                         testing::Values("smdgp", "mmdgp", "cmdgp", "idgp", "cgp", "igp"));

TEST_P(PosteriorTest, LatentIsWhatTheBoundSees) {
  const Posterior posterior(model);
  std::vector<Observation> observations;
  for (Index r = 0; r < x.rows(); ++r) observations.push_back({r, 0, 0.0});
  Bound bound(model);
  TopValues top;
  BoundOptions options;
  options.samples = 4;
  options.noise.seed = 11;
  bound({view_of(std::as_const(x)), &observations, nullptr}, options, nullptr, &top);
  const Mixture f = posterior.latent(view_of(std::as_const(x)), 0, {.samples = 4, .seed = 11});
  EXPECT_EQ(f.samples, top.samples);
  EXPECT_LT((f.mean - top.mean.leftCols(1)).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((f.variance - top.variance.leftCols(1)).cwiseAbs().maxCoeff(), 1e-12);
}

// More samples than draws have names for would repeat some.
TEST_P(PosteriorTest, SamplesAreLimited) {
  const Posterior posterior(model);
  for (const Index samples : {Index{0}, kMaxSamples + 1}) {
    EXPECT_THROW(posterior.latent(view_of(std::as_const(x)), 0, {.samples = samples}),
                 std::invalid_argument);
  }
}

TEST_P(PosteriorTest, MomentsFollowTheLawOfTotalVariance) {
  const Posterior posterior(model);
  const double noise = model.parameters.view("likelihood0.variance")(0, 0);
  const Mixture f = posterior.latent(view_of(std::as_const(x)), 0, {.samples = 9});
  const Prediction p = posterior.predict(view_of(std::as_const(x)), 0, {.samples = 9});
  for (Index i = 0; i < x.rows(); ++i) {
    double mean = 0.0, second = 0.0;
    for (Index s = 0; s < f.samples; ++s) {
      const double m = f.mean(i * f.samples + s, 0);
      mean += m / static_cast<double>(f.samples);
      second += (f.variance(i * f.samples + s, 0) + noise + m * m) / static_cast<double>(f.samples);
    }
    EXPECT_NEAR(p.mean(i, 0), mean, 1e-12);
    EXPECT_NEAR(p.variance(i, 0), second - mean * mean, 1e-10);
  }
}

TEST_P(PosteriorTest, DensityIntegratesToOneAndQuantilesInvertIt) {
  const Posterior posterior(model);
  const Matrix row = x.topRows(1);
  const std::vector<double> levels = {0.05, 0.5, 0.9};
  const Matrix quantiles = posterior.quantiles(view_of(row), 0, levels, {.samples = 7});
  const Prediction p = posterior.predict(view_of(row), 0, {.samples = 7});
  const double sd = std::sqrt(p.variance(0, 0)), step = sd / 100.0;
  std::vector<double> below(levels.size(), 0.0);
  double total = 0.0;
  const int half = 1200;
  Matrix rows(2 * half, 3);
  Vector y(2 * half);
  for (int k = 0; k < 2 * half; ++k) {
    rows.row(k) = row;
    y[k] = p.mean(0, 0) + (k - half + 0.5) * step;
  }
  // The same draws for every copy: one row at a time.
  for (int k = 0; k < 2 * half; ++k) {
    const double density = std::exp(
        posterior.log_density(view_of(row), 0, Vector::Constant(1, y[k]), {.samples = 7})[0]);
    total += density * step;
    for (std::size_t l = 0; l < levels.size(); ++l) {
      if (y[k] < quantiles(0, static_cast<Index>(l))) below[l] += density * step;
    }
  }
  EXPECT_NEAR(total, 1.0, 1e-3);
  for (std::size_t l = 0; l < levels.size(); ++l) EXPECT_NEAR(below[l], levels[l], 1e-2);
}

TEST_P(PosteriorTest, DoesNotDependOnThreadsNorOnPieces) {
  const Posterior posterior(model);
  set_num_threads(1);
  const Matrix whole = posterior.predict(view_of(std::as_const(x)), 0).mean;
  set_num_threads(3);
  EXPECT_EQ(posterior.predict(view_of(std::as_const(x)), 0).mean, whole);
  const Matrix tail = x.bottomRows(12);
  PredictOptions options;
  options.rows.resize(12);
  std::iota(options.rows.begin(), options.rows.end(), 25U);
  EXPECT_LT((posterior.predict(view_of(tail), 0, options).mean - whole.bottomRows(12)).norm(),
            1e-10);
}

TEST(Posterior, ClassProbabilitiesSumToOne) {
  const Model model =
      fixture::random_model(fixture::small_spec("mmdgp", 3, {{"robustmax", 4}, {"softmax", 3}}), 5);
  const Matrix x = Matrix::Random(20, 3);
  const Posterior posterior(model);
  for (const int task : {0, 1}) {
    const Prediction p = posterior.predict(view_of(x), task);
    EXPECT_LT((p.mean.rowwise().sum().array() - 1.0).abs().maxCoeff(), 1e-9);
    const Vector density = posterior.log_density(view_of(x), task, Vector::Constant(20, 1.0));
    EXPECT_LT((density.array().exp().matrix() - p.mean.col(1)).cwiseAbs().maxCoeff(), 1e-2);
  }
}

TEST(Posterior, RefusesWhatDoesNotFit) {
  const Model model =
      fixture::random_model(fixture::small_spec("igp", 3, {{"gaussian"}, {"softmax", 3}}), 5);
  const Posterior posterior(model);
  const Matrix x = Matrix::Random(4, 3), wide = Matrix::Random(4, 4);
  Matrix bad = x;
  bad(2, 1) = std::nan("");
  EXPECT_THROW(posterior.predict(view_of(wide), 0), std::invalid_argument);
  EXPECT_THROW(posterior.predict(view_of(std::as_const(bad)), 0), std::invalid_argument);
  EXPECT_THROW(posterior.predict(view_of(x), 2), std::invalid_argument);
  EXPECT_THROW(posterior.quantiles(view_of(x), 1, {0.5}), std::invalid_argument);
  EXPECT_THROW(posterior.quantiles(view_of(x), 0, {1.5}), std::invalid_argument);
  EXPECT_THROW(posterior.log_density(view_of(x), 1, Vector::Constant(4, 3.0)),
               std::invalid_argument);
}

}  // namespace
}  // namespace mdgp
