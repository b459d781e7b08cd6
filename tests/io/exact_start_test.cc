#include "mdgp/io/exact_start.h"

#include <gtest/gtest.h>

#include "testing/plans.h"

namespace mdgp {
namespace {

using fixture::plan, fixture::plan_for, fixture::with;

TEST(ExactStart, IsForRegressionOnFewRows) {
  const FitPlan p = plan_for({}, 200);
  EXPECT_GT(p.prefit, 0);
  EXPECT_TRUE(p.priors);
  EXPECT_EQ(p.spec.model, "smdgp");
  EXPECT_EQ(p.spec.top_inducing, (std::vector<Index>{100, 100}));
  EXPECT_EQ(p.spec.top.kernel, "(matern32 + constant) * (constant + linear)");
  EXPECT_EQ(p.spec.inner[0].kernel, "matern52");
  EXPECT_EQ(p.train.steps, 100);
  EXPECT_EQ(p.settings.at("steps"), "100");
  EXPECT_EQ(p.settings.at("mean"), "zero");
  EXPECT_EQ(p.settings.at("width"), "3");
  EXPECT_EQ(p.reasons[2], "the top layer starts as an exact GP on the inputs, with priors");
  EXPECT_GT(plan_for({}, 200, 1).prefit, 0);
  EXPECT_EQ(plan_for({}, 10001).prefit, 0);
  EXPECT_EQ(plan({TaskKind::regression, TaskKind::binary}, 50).prefit, 0);
}

TEST(ExactStart, ModelFollowsFromTheTargets) {
  EXPECT_EQ(plan_for({}, 349).spec.model, "smdgp");
  EXPECT_EQ(plan_for({}, 350).spec.model, "cmdgp");
  EXPECT_EQ(plan_for({}, 3000).spec.model, "cmdgp");
  EXPECT_EQ(plan_for({}, 3001).spec.model, "smdgp");
  EXPECT_EQ(plan_for({}, 20, 5).spec.model, "smdgp");
  EXPECT_EQ(plan_for({}, 20, 4).spec.model, "cmdgp");
  EXPECT_EQ(plan_for({}, 3001, 4).spec.model, "smdgp");
  EXPECT_EQ(plan_for({}, 2000).spec.top.kernel,
            "(matern32 + constant) * (constant + linear) + private");
}

TEST(ExactStart, LimitsTheInducingInputs) {
  const auto sum = [](const std::vector<Index>& counts) {
    Index total = 0;
    for (const Index count : counts) total += count;
    return total;
  };
  const FitPlan own = plan_for(with([](auto& s) { s.model = "smdgp"; }), 5000);
  EXPECT_EQ(own.spec.top_inducing, (std::vector<Index>{800, 800}));
  EXPECT_EQ(own.train_inducing, (std::vector<Index>{100, 100}));
  const FitPlan shared = plan_for(with([](auto& s) { s.model = "cmdgp"; }), 5000);
  EXPECT_EQ(sum(shared.spec.top_inducing), 2000);
  EXPECT_EQ(sum(shared.train_inducing), 300);
}

TEST(ExactStart, GivesWayToSettings) {
  EXPECT_EQ(plan_for(with([](auto& s) { s.priors = false; }), 200).prefit, 0);
  EXPECT_EQ(plan_for(with([](auto& s) { s.inducing = 50; }), 200).prefit, 0);
  EXPECT_EQ(plan_for(with([](auto& s) { s.noise = 0.1; }), 200).prefit, 0);
  EXPECT_EQ(plan_for(with([](auto& s) { s.regression = "student_t"; }), 200).prefit, 0);
  EXPECT_EQ(plan_for(with([](auto& s) { s.model = "cgp"; }), 200).prefit, 0);
  EXPECT_EQ(plan_for(with([](auto& s) { s.preset = "paper-sarcos"; }), 200).prefit, 0);
  const FitPlan p = plan_for(with([](auto& s) {
                               s.kernel = "rbf";
                               s.steps = 7;
                               s.mean = "identity";
                               s.width = 4;
                               s.learning_rate = 0.5;
                             }),
                             200);
  EXPECT_GT(p.prefit, 0);
  EXPECT_EQ(p.spec.top.kernel, "rbf");
  EXPECT_EQ(p.train.steps, 7);
  EXPECT_EQ(p.spec.inner[0].mean, MeanFunction::identity);
  EXPECT_EQ(p.spec.inner[0].shared, std::vector<Index>{4});
  EXPECT_EQ(p.train.adam.learning_rate, 0.5);
}

TEST(ExactStart, FewTargetsDrawHyperparameters) {
  const FitPlan few = plan_for({}, 100);  // 50 of each task
  EXPECT_EQ(few.hyperparameter_samples, 50);
  EXPECT_EQ(few.settings.at("hyperparameter-samples"), "50");
  EXPECT_EQ(few.reasons[3], "predictions average over 50 draws of hyperparameters");
  EXPECT_EQ(plan_for({}, 101).hyperparameter_samples, 0);
  EXPECT_EQ(plan_for({}, 100, 4).hyperparameter_samples, 50);
  for (const char* model : {"igp", "exact-gp", "exact-icm"}) {
    EXPECT_EQ(plan_for(with([&](auto& s) { s.model = model; }), 100).hyperparameter_samples, 0);
  }
  const auto asked = [](const char* model, Index samples) {
    return with([&](auto& s) { s.model = model, s.hyperparameter_samples = samples; });
  };
  EXPECT_EQ(plan_for(asked("smdgp", 0), 100).hyperparameter_samples, 0);
  EXPECT_EQ(plan_for(asked("idgp", 7), 500).hyperparameter_samples, 7);
  EXPECT_EQ(plan_for(asked("exact-gp", 7), 500).hyperparameter_samples, 7);
  EXPECT_EQ(plan_for(asked("exact-icm", 7), 500).hyperparameter_samples, 7);
  EXPECT_THROW(plan_for(asked("igp", 7), 100), OptionError);
  FitSettings without = asked("exact-gp", 7);
  without.priors = false;
  EXPECT_THROW(plan_for(without, 100), OptionError);
  EXPECT_THROW(plan_for(asked("smdgp", 7), 5000), OptionError);  // hours
  EXPECT_EQ(plan_for({}, 100, 1000).hyperparameter_samples, 0);  // many inputs
  // Few targets, so that it is the correlations of the inputs that take long.
  EXPECT_EQ(plan_for({}, 10, 1000).hyperparameter_samples, 50);
  EXPECT_EQ(plan_for({}, 10, 2000).hyperparameter_samples, 0);
}

TEST(ExactStart, LargeModelsDrawFewerHyperparameters) {
  const Index most = plan_for(with([](auto& s) { s.width = 300; }), 100).hyperparameter_samples;
  EXPECT_GT(most, 30);
  EXPECT_LT(most, 50);
  const auto asked = [](Index samples) {
    return with([&](auto& s) { s.width = 300, s.hyperparameter_samples = samples; });
  };
  EXPECT_EQ(plan_for(asked(most), 100).hyperparameter_samples, most);
  EXPECT_THROW(plan_for(asked(most + 1), 100), OptionError);
}

TEST(ExactStart, CorrelatedTasksDrawLinearVariancesOfTheirOwn) {
  const FitSettings cmdgp = with([](auto& s) { s.model = "cmdgp"; });
  const FitPlan few = plan_for(cmdgp, 100);
  EXPECT_EQ(few.hyperparameter_samples, 50);
  EXPECT_EQ(few.spec.top.kernel, "(matern32 + constant) * (constant + tasklinear)");
  EXPECT_EQ(few.settings.at("kernel"), few.spec.top.kernel);
  const FitPlan best =
      plan_for(with([](auto& s) { s.model = "cmdgp", s.hyperparameter_samples = 0; }), 100);
  EXPECT_EQ(best.hyperparameter_samples, 0);
  EXPECT_EQ(best.spec.top.kernel, "(matern32 + constant) * (constant + linear)");
  const FitPlan own = plan_for(with([](auto& s) { s.model = "cmdgp", s.kernel = "rbf"; }), 100);
  EXPECT_EQ(own.hyperparameter_samples, 50);
  EXPECT_EQ(own.spec.top.kernel, "rbf");
}

}  // namespace
}  // namespace mdgp
