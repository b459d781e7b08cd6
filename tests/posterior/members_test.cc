// Predictions of a model with members are the average over theirs.
#include <gtest/gtest.h>

#include <cmath>

#include "mdgp/posterior/joint_samples.h"
#include "mdgp/posterior/posterior.h"
#include "testing/random_model.h"

namespace mdgp {
namespace {

constexpr Index kRows = 7;
constexpr int kMembers = 3;

class MembersTest : public testing::TestWithParam<std::string> {
 protected:
  MembersTest() {
    const std::vector<TaskSpec> tasks =
        fixture::is_coregional(GetParam())
            ? std::vector<TaskSpec>{{"heavy_tailed"}, {"gaussian"}, {"poisson"}, {"bernoulli"}}
            : std::vector<TaskSpec>{
                  {"heavy_tailed"}, {"gaussian"}, {"poisson"}, {"bernoulli"}, {"softmax", 3}};
    const ModelSpec spec = fixture::small_spec(GetParam(), 2, tasks);
    model = fixture::random_model(spec, 5);
    for (unsigned m = 0; m < kMembers; ++m) {
      const Model member = fixture::random_model(spec, 20 + m);
      alone.push_back(member);
      model.members.push_back(member.parameters.values);
    }
  }

  // What the members say of a task, each for itself: f of the first is drawn as the whole draws it.
  Model model;
  std::vector<Model> alone;
  Matrix x = Matrix::Random(kRows, 3);
};
INSTANTIATE_TEST_SUITE_P(Models, MembersTest, testing::Values("smdgp", "cmdgp", "igp", "cgp"));

TEST_P(MembersTest, ShareTheSamplesInOrder) {
  const Posterior posterior(model);
  const Mixture f = posterior.latent(view_of(std::as_const(x)), 0, {.samples = 4});
  const bool deep = fixture::is_deep(GetParam());
  const Index each = deep ? 2 : 1;  // 4 samples are 2 of each
  EXPECT_EQ(f.samples, kMembers * each);
  const Posterior first(alone[0]);
  const Mixture own = first.latent(view_of(std::as_const(x)), 0, {.samples = 2});
  for (Index i = 0; i < kRows; ++i) {
    EXPECT_EQ(f.mean.middleRows(i * f.samples, each), own.mean.middleRows(i * each, each));
    EXPECT_EQ(f.variance.middleRows(i * f.samples, each), own.variance.middleRows(i * each, each));
  }
}

// f of each member alone, as it stands in the mixture of all.
TEST_P(MembersTest, PredictionsAreTheAverageOfTheirs) {
  const Posterior posterior(model);
  for (int task = 0; task < model.cascade.tasks; ++task) {
    const Mixture f = posterior.latent(view_of(std::as_const(x)), task, {.samples = 6});
    const Index each = f.samples / kMembers;
    const Vector y = Vector::Ones(kRows);
    const bool ordered = model.likelihoods[at(task)].classes == 0;
    Matrix mean = Matrix::Zero(kRows, posterior.predict(f, task).mean.cols()), second = mean;
    Vector density = Vector::Zero(kRows), below = density;
    for (int m = 0; m < kMembers; ++m) {
      Mixture part{each, Matrix(kRows * each, f.mean.cols()), Matrix(kRows * each, f.mean.cols())};
      for (Index i = 0; i < kRows; ++i) {
        part.mean.middleRows(i * each, each) = f.mean.middleRows(i * f.samples + m * each, each);
        part.variance.middleRows(i * each, each) =
            f.variance.middleRows(i * f.samples + m * each, each);
      }
      const Posterior one(alone[static_cast<std::size_t>(m)]);
      const Prediction p = one.predict(part, task);
      mean += p.mean / kMembers;
      second += (p.variance + p.mean.cwiseAbs2()) / kMembers;
      density += one.log_density(part, task, y).array().exp().matrix() / kMembers;
      if (ordered) below += one.distribution(part, task, y) / kMembers;
    }
    const Prediction all = posterior.predict(f, task);
    EXPECT_TRUE(all.mean.isApprox(mean, 1e-12)) << task;
    EXPECT_TRUE(all.variance.isApprox(second - mean.cwiseAbs2(), 1e-9)) << task;
    EXPECT_TRUE(posterior.log_density(f, task, y).array().exp().matrix().isApprox(density, 1e-12));
    if (!ordered) continue;
    EXPECT_TRUE(posterior.distribution(f, task, y).isApprox(below, 1e-12)) << task;
    const Matrix q = posterior.quantiles(f, task, {0.3});
    const Vector at = posterior.distribution(f, task, q.col(0));
    for (Index i = 0; i < kRows; ++i) EXPECT_GE(at[i], 0.3 - 1e-9) << task;
    if (task < 2) {
      EXPECT_LT((at.array() - 0.3).abs().maxCoeff(), 1e-9) << task;
    }
  }
}

TEST_P(MembersTest, JointSamplesAreDealtInTurn) {
  const Posterior posterior(model);
  const std::vector<int> tasks = {0, 2};
  const auto all = joint_targets(posterior, view_of(std::as_const(x)), tasks, 5, 9);
  for (Index s = 0; s < 5; ++s) {
    const Posterior one(alone[static_cast<std::size_t>(s % kMembers)]);
    const auto own = joint_targets(one, view_of(std::as_const(x)), tasks, 5, 9);
    for (std::size_t t = 0; t < 2; ++t) EXPECT_EQ(all[t].col(s), own[t].col(s)) << s;
  }
}

TEST(Members, WrongOnesAreRefused) {
  Model model = fixture::random_model(fixture::small_spec("igp", 2, fixture::gaussian_tasks()), 5);
  model.members = {model.parameters.values, model.parameters.values};
  model.members[1][model.parameters[model.parameters.find("likelihood1.variance")].offset] = -1.0;
  EXPECT_THROW(Posterior{model}, std::invalid_argument);
  Model baseline;  // no layers
  baseline.parameters = model.parameters;
  baseline.members = {model.parameters.values};
  EXPECT_THROW(Posterior(baseline, [](const auto&, int, const auto&) { return Mixture{}; }),
               std::invalid_argument);
}

}  // namespace
}  // namespace mdgp
