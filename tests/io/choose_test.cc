#include "mdgp/io/choose.h"

#include <gtest/gtest.h>

#include "mdgp/data/presets.h"
#include "testing/plans.h"
#include "testing/text.h"

namespace mdgp {
namespace {

using Words = std::vector<std::string>;

using fixture::kOne, fixture::kTwo, fixture::plan, fixture::plan_for, fixture::schema_of;
using fixture::with;

std::string error(const FitSettings& settings, const std::vector<TaskKind>& kinds) {
  try {
    plan(settings, kinds, 50);
  } catch (const OptionError& e) {
    return e.what();
  }
  return "no error";
}

// Nothing starts as an exact GP (exact_start_test.cc).
const FitSettings kPlain = with([](auto& s) { s.priors = false; });

TEST(Choose, ModelFollowsFromTasksAndDepth) {
  EXPECT_EQ(plan(kTwo, 50).spec.model, "cmdgp");
  EXPECT_EQ(plan(kPlain, kTwo, 50).spec.model, "mmdgp");
  EXPECT_EQ(plan({TaskKind::regression, TaskKind::count}, 50).spec.model, "mmdgp");
  EXPECT_EQ(plan(kOne, 50).spec.model, "idgp");
  const FitSettings flat = with([](auto& s) { s.depth = 1; });
  EXPECT_EQ(plan(flat, kTwo, 50).spec.model, "cgp");
  EXPECT_EQ(plan(flat, kOne, 50).spec.model, "igp");
  EXPECT_EQ(plan(with([](auto& s) { s.model = "smdgp"; }), kOne, 50).spec.model, "smdgp");
  for (const Index depth : {2, 3, 5}) {
    const FitPlan deep = plan(with([&](auto& s) { s.depth = depth; }), kTwo, 50);
    EXPECT_EQ(static_cast<Index>(deep.spec.inner.size()), depth - 1);
    EXPECT_EQ(deep.settings.at("depth"), std::to_string(depth));
  }
}

TEST(Choose, LikelihoodsFollowFromTheKinds) {
  const std::vector<TaskKind> kinds = {TaskKind::regression, TaskKind::binary, TaskKind::classes,
                                       TaskKind::count};
  const auto names = [&](const FitSettings& settings) {
    Words list;
    for (const TaskSpec& task : plan(settings, kinds, 50).spec.tasks) {
      list.push_back(task.likelihood + (task.classes > 0 ? std::to_string(task.classes) : ""));
    }
    return list;
  };
  EXPECT_EQ(names({}), (Words{"gaussian", "bernoulli", "softmax3", "poisson"}));
  EXPECT_EQ(names(with([](auto& s) {
              s.regression = "student_t";
              s.classification = "robustmax";
            })),
            (Words{"student_t", "bernoulli", "robustmax3", "poisson"}));
}

TEST(Choose, SizeFollowsFromTheRows) {
  struct Case {
    Index rows, inducing, batch, steps;
  };
  for (const Case& c : {Case{30, 30, 0, 3000}, Case{1000, 100, 0, 3000}, Case{1001, 100, 500, 3000},
                        Case{50000, 100, 500, 5000}, Case{300000, 100, 500, 20000}}) {
    const FitPlan p = plan(kPlain, kTwo, c.rows);
    EXPECT_EQ(p.spec.top.inducing, c.inducing) << c.rows;
    EXPECT_EQ(p.spec.inner[0].inducing, c.inducing) << c.rows;
    EXPECT_EQ(p.train.batch_rows, c.batch) << c.rows;
    EXPECT_EQ(p.train.steps, c.steps) << c.rows;
    EXPECT_FALSE(p.lbfgs);
  }
}

TEST(Choose, TheRestIsTheSameForAll) {
  const FitPlan p = plan(kPlain, kTwo, 50);
  EXPECT_EQ(p.spec.inputs, 3);
  EXPECT_EQ(p.spec.inner[0].shared, std::vector<Index>{3});
  EXPECT_EQ(p.spec.inner[0].priv, std::vector<Index>{2});
  EXPECT_TRUE(p.spec.propagate_inputs);
  EXPECT_EQ(p.spec.top.kernel, "matern52");
  EXPECT_EQ(p.spec.inner[0].mean, MeanFunction::identity);
  EXPECT_EQ(p.initialise.noise, 0.05);
  EXPECT_EQ(p.initialise.inducing, InducingInputs::kmeans);
  EXPECT_EQ(p.train.adam.learning_rate, 0.02);
  EXPECT_EQ(p.train.schedule, Schedule::cosine);
  EXPECT_EQ(p.train.natural, NaturalGradient::top);
  EXPECT_EQ(p.train.samples, 1);
  EXPECT_EQ(p.train.seed, 1U);
}

TEST(Choose, LbfgsWhereItIsSure) {
  const FitSettings flat = with([](auto& s) { s.depth = 1; });
  EXPECT_TRUE(plan(flat, kTwo, 2000).lbfgs);
  EXPECT_FALSE(plan(flat, kTwo, 2001).lbfgs);
  EXPECT_FALSE(plan(flat, {TaskKind::binary}, 50).lbfgs);
  FitSettings other = flat;
  other.regression = "student_t";
  EXPECT_FALSE(plan(other, kTwo, 50).lbfgs);
  other = flat;
  other.time = 10.0;
  EXPECT_TRUE(plan(other, kTwo, 50).lbfgs);
  other = flat;
  other.optimiser = "adam";
  EXPECT_FALSE(plan(other, kTwo, 50).lbfgs);
  other.optimiser = "lbfgs";
  EXPECT_TRUE(plan(other, kTwo, 3000).lbfgs);
  EXPECT_TRUE(plan(other, {TaskKind::count}, 50).lbfgs);
  EXPECT_EQ(plan(other, {TaskKind::count}, 50).reasons.back(), "L-BFGS on all rows");
}

TEST(Choose, SettingsHaveTheLastWord) {
  const FitPlan p = plan(with([](auto& s) {
                           s.model = "smdgp";
                           s.width = 7;
                           s.inducing = 11;
                           s.kernel = "rbf";
                           s.mean = "pca";
                           s.propagate_inputs = false;
                           s.noise = 0.3;
                           s.lengthscale = 2.0;
                           s.inducing_inputs = "rows";
                           s.steps = 12;
                           s.batch = 13;
                           s.samples = 4;
                           s.learning_rate = 0.5;
                           s.schedule = "plateau";
                           s.natural_gradient = "all";
                           s.natural_step = 0.25;
                           s.kl_warmup = 6;
                           s.balance = "balanced";
                           s.patience = 8;
                           s.seed = 9;
                         }),
                         kTwo, 50);
  EXPECT_EQ(p.spec.inner[0].shared, std::vector<Index>{7});
  EXPECT_EQ(p.spec.inner[0].inducing, 11);
  EXPECT_EQ(p.spec.top.inducing, 11);
  EXPECT_EQ(p.spec.inner[0].kernel, "rbf");
  EXPECT_EQ(p.spec.top.kernel, "rbf");
  EXPECT_EQ(p.spec.inner[0].mean, MeanFunction::pca);
  EXPECT_EQ(p.spec.pca_rows.rows(), 50);
  EXPECT_FALSE(p.spec.propagate_inputs);
  EXPECT_EQ(plan(with([](auto& s) { s.model = "cmdgp", s.rank = 3; }), kTwo, 50).spec.rank, 3);
  EXPECT_EQ(p.initialise.noise, 0.3);
  EXPECT_EQ(p.initialise.lengthscale, 2.0);
  EXPECT_EQ(p.initialise.inducing, InducingInputs::random_rows);
  EXPECT_EQ(p.initialise.seed, 9U);
  EXPECT_EQ(p.train.steps, 12);
  EXPECT_EQ(p.train.batch_rows, 13);
  EXPECT_EQ(p.train.samples, 4);
  EXPECT_EQ(p.train.adam.learning_rate, 0.5);
  EXPECT_EQ(p.train.schedule, Schedule::plateau);
  EXPECT_EQ(p.train.natural, NaturalGradient::all);
  EXPECT_EQ(p.train.natural_step, 0.25);
  EXPECT_EQ(p.train.kl_warmup, 6);
  EXPECT_EQ(p.train.balance, BatchBalance::balanced);
  EXPECT_EQ(p.train.patience, 8);
  EXPECT_EQ(p.train.seed, 9U);
}

TEST(Choose, ABatchOfAllRowsIsNone) {
  EXPECT_EQ(plan(with([](auto& s) { s.batch = 50; }), kTwo, 50).train.batch_rows, 0);
  EXPECT_EQ(plan(with([](auto& s) { s.batch = 49; }), kTwo, 50).train.batch_rows, 49);
  EXPECT_EQ(plan(with([](auto& s) { s.batch = 0; }), kTwo, 5000).train.batch_rows, 0);
}

TEST(Choose, RefusesContradictions) {
  EXPECT_EQ(error(with([](auto& s) { s.model = "igp", s.depth = 3; }), kTwo),
            "--depth 3: igp has one layer");
  EXPECT_EQ(error(with([](auto& s) { s.model = "cmdgp", s.depth = 1; }), kTwo),
            "--depth 1: cmdgp has two layers at least; igp and cgp have one");
  EXPECT_EQ(error(with([](auto& s) { s.model = "igp", s.depth = 1; }), kTwo), "no error");
  EXPECT_EQ(error(with([](auto& s) { s.optimiser = "lbfgs"; }), kTwo),
            "--optimiser lbfgs: for igp and cgp; cmdgp is trained with adam");
  const std::vector<TaskKind> mixed = {TaskKind::regression, TaskKind::classes};
  for (const std::string model : {"cgp", "cmdgp"}) {
    EXPECT_EQ(error(with([&](auto& s) { s.model = model; }), mixed),
              "--model " + model +
                  ": its tasks must have equally many classes; use smdgp or mmdgp for tasks of "
                  "different kinds");
  }
  EXPECT_EQ(error(with([](auto& s) { s.model = "cgp"; }), {TaskKind::binary, TaskKind::count}),
            "no error");
}

// What was not asked for must not be what cannot be done.
TEST(Choose, ADepthOfOneSuitsTasksOfDifferentKinds) {
  const FitPlan p =
      plan(with([](auto& s) { s.depth = 1; }), {TaskKind::regression, TaskKind::classes}, 50);
  EXPECT_EQ(p.spec.model, "igp");
}

TEST(Choose, TailsAreFittedWhereTheTopIsAnExactGP) {
  const auto likelihood = [](const FitPlan& p) {
    EXPECT_EQ(p.settings.at("regression"), p.spec.tasks[1].likelihood);
    return p.spec.tasks[1].likelihood;
  };
  EXPECT_EQ(likelihood(plan_for({}, 200)), "heavy_tailed");
  EXPECT_EQ(likelihood(plan_for(with([](auto& s) { s.model = "exact-gp"; }), 200)), "heavy_tailed");
  EXPECT_EQ(likelihood(plan_for(with([](auto& s) { s.model = "igp"; }), 200)), "gaussian");
  for (const char* baseline : {"mann2", "mbnn3", "irf"}) {
    EXPECT_EQ(likelihood(plan_for(with([&](auto& s) { s.model = baseline; }), 200)), "gaussian");
  }
  const FitPlan asked = plan_for(with([](auto& s) { s.regression = "gaussian"; }), 200);
  EXPECT_EQ(likelihood(asked), "gaussian");
  EXPECT_GT(asked.prefit, 0);
  const FitSettings heavy = with([](auto& s) { s.regression = "heavy_tailed"; });
  EXPECT_EQ(likelihood(plan_for(heavy, 200)), "heavy_tailed");
  FitSettings not_exact = heavy;
  not_exact.priors = false;
  EXPECT_EQ(error(not_exact, kTwo),
            "--regression heavy_tailed: for models whose top layer is or starts as an exact GP, "
            "which mmdgp here is not; student_t is for any");
  EXPECT_THROW(plan_for(with([](auto& s) {
                          s.regression = "heavy_tailed";
                          s.model = "mann2";
                        }),
                        200),
               OptionError);
}

TEST(Choose, BayesianNetworksHaveThePapersPriorWithItsPresetsOnly) {
  FitSettings s = with([](auto& settings) { settings.model = "mbnn2"; });
  const auto chosen = [&] {
    const FitPlan p = plan_for(s, 200);
    EXPECT_EQ(p.settings.at("weight-prior"), p.spec.network.fan_in_prior ? "fan-in" : "standard");
    return std::pair(p.spec.network.fan_in_prior, p.spec.network.kl_weight);
  };
  EXPECT_EQ(chosen(), std::pair(true, 0.3));
  s.preset = "paper-sarcos";
  EXPECT_EQ(chosen(), std::pair(false, 1.0));
  s.weight_prior = "fan-in";
  s.kl_weight = 0.5;
  EXPECT_EQ(chosen(), std::pair(true, 0.5));
}

TEST(Choose, ExactModelsAreForRegressionOnFewRows) {
  const FitSettings exact = with([](auto& s) { s.model = "exact-icm"; });
  const FitPlan p = plan_for(exact, 200);
  EXPECT_TRUE(p.exact);
  EXPECT_TRUE(p.priors);
  EXPECT_FALSE(p.lbfgs);
  EXPECT_EQ(p.spec.top_inducing, (std::vector<Index>{100, 100}));
  EXPECT_EQ(p.spec.top.kernel, "matern52");
  EXPECT_EQ(
      error(exact, {TaskKind::count, TaskKind::count}),
      "--model exact-icm: for regression with gaussian noise only; igp and cgp take any task");
  EXPECT_THROW(plan_for(exact, 6001), OptionError);
  EXPECT_NO_THROW(plan_for(with([](auto& s) { s.model = "exact-gp"; }), 6001));
}

TEST(Choose, PrivateKernelsAreForCorrelatedTasks) {
  const auto kernel = [](const char* model) {
    return with([&](auto& s) { s.model = model, s.kernel = "rbf + private"; });
  };
  EXPECT_EQ(error(kernel("cmdgp"), kTwo), "no error");
  EXPECT_EQ(
      error(kernel("igp"), kTwo),
      "--kernel rbf + private: private is for correlated tasks; every task of igp has its own "
      "kernel");
}

TEST(Choose, SaysWhatAndWhy) {
  EXPECT_EQ(plan(kPlain, kTwo, 40).reasons,
            (Words{"mmdgp: 2 tasks, some latent functions shared, some private, 2 layers",
                   "40 inducing points, 5 latent functions per task beside the inputs (40 rows, 3 "
                   "inputs)",
                   "3000 steps of all rows"}));
  EXPECT_EQ(plan(with([](auto& s) { s.depth = 1; }), kOne, 40).reasons,
            (Words{"igp: one task, one layer", "40 inducing points (40 rows, 3 inputs)",
                   "L-BFGS on all rows: few rows and Gaussian noise"}));
  EXPECT_EQ(plan(with([](auto& s) { s.depth = 3, s.priors = false; }), kOne, 2000).reasons,
            (Words{"idgp: one task, 3 layers",
                   "100 inducing points, 5 latent functions per task beside the inputs (2000 rows, "
                   "3 inputs)",
                   "3000 steps of 500 rows"}));
  const auto first = [](const char* model) {
    return plan(with([&](auto& s) { s.model = model; }), kTwo, 40).reasons[0];
  };
  EXPECT_EQ(first("smdgp"), "smdgp: 2 tasks, all latent functions shared, 2 layers");
  EXPECT_EQ(first("cmdgp"), "cmdgp: 2 tasks, tasks correlated, 2 layers");
  EXPECT_EQ(first("idgp"), "idgp: 2 tasks, nothing shared, 2 layers");
  EXPECT_EQ(first("cgp"), "cgp: 2 tasks, tasks correlated");
  EXPECT_EQ(first("igp"), "igp: 2 tasks, nothing shared");
}

TEST(Choose, RemembersEverySetting) {
  const FitPlan p = plan(kPlain, kTwo, 40);
  EXPECT_EQ(p.settings.size(), fit_options().size());
  for (const auto& [key, value] : std::map<std::string, std::string>{{"model", "mmdgp"},
                                                                     {"depth", "2"},
                                                                     {"width", "5"},
                                                                     {"inducing", "40"},
                                                                     {"propagate-inputs", "true"},
                                                                     {"optimiser", "adam"},
                                                                     {"steps", "3000"},
                                                                     {"batch", "0"},
                                                                     {"samples", "1"},
                                                                     {"learning-rate", "0.02"},
                                                                     {"seed", "1"},
                                                                     {"preset", ""}}) {
    EXPECT_EQ(p.settings.at(key), value) << key;
  }
  EXPECT_EQ(plan(with([](auto& s) { s.depth = 1; }), kOne, 40).settings.at("width"), "");
}

FitSettings preset(const char* name) {
  return with([&](auto& s) { s.preset = name; });
}

TEST(Choose, PresetsAreThePapers) {
  const FitPlan p = plan(preset("paper-sarcos"), kTwo, 1500);
  EXPECT_EQ(p.spec.top.inducing, 100);
  EXPECT_EQ(p.spec.inner[0].shared, std::vector<Index>{5});
  EXPECT_FALSE(p.spec.propagate_inputs);
  EXPECT_EQ(p.initialise.noise_variance, 1e-6);
  EXPECT_EQ(p.initialise.shared->lengthscale, 10.0);
  EXPECT_EQ(p.train.steps, 10000);
  EXPECT_EQ(p.train.batch_rows, 500);
  EXPECT_EQ(p.train.schedule, Schedule::constant);
  EXPECT_EQ(p.train.natural, NaturalGradient::none);
  EXPECT_EQ(p.train.adam.learning_rate, 0.01);
  EXPECT_EQ(plan(preset("paper-sarcos"), kTwo, 1000).train.batch_rows, 0);
  EXPECT_EQ(plan(preset("paper-faims"), kTwo, 50).spec.inner[0].inducing, 60);
}

TEST(Choose, SettingsChangeWhatAPresetSays) {
  FitSettings s = preset("paper-sarcos");
  s.steps = 7;
  s.learning_rate = 0.5;
  s.schedule = "plateau";
  s.natural_gradient = "all";
  s.noise = 0.25;
  s.lengthscale = 3.0;
  s.propagate_inputs = true;
  const FitPlan p = plan(s, kTwo, 50);
  EXPECT_EQ(p.train.steps, 7);
  EXPECT_EQ(p.train.adam.learning_rate, 0.5);
  EXPECT_EQ(p.train.schedule, Schedule::plateau);
  EXPECT_EQ(p.train.natural, NaturalGradient::all);
  EXPECT_EQ(p.initialise.noise, 0.25);
  EXPECT_FALSE(p.initialise.noise_variance);
  EXPECT_EQ(p.initialise.lengthscale, 3.0);
  EXPECT_FALSE(p.initialise.shared || p.initialise.priv || p.initialise.top);
  EXPECT_TRUE(p.spec.propagate_inputs);
}

// One size that is set leaves the others as the preset has them.
TEST(Choose, PresetsKeepTheSizesThatAreNotSet) {
  FitSettings s = preset("paper-mnist");
  s.width = 8;
  EXPECT_EQ(plan(s, kTwo, 500).spec.top.inducing, 50);
  EXPECT_EQ(plan(s, kTwo, 500).spec.inner[0].inducing, 100);
  s = preset("paper-mnist");
  s.inducing = 20;
  EXPECT_EQ(plan(s, kTwo, 500).settings.at("width"), "30");
  s = preset("paper-mnist");
  s.depth = 3;
  EXPECT_EQ(plan(s, kTwo, 500).settings.at("width"), "30");
  EXPECT_EQ(plan(s, kTwo, 500).spec.top.inducing, 50);
}

TEST(Choose, PresetsSayWhenToUseLbfgs) {
  FitSettings s = preset("paper-sarcos");
  s.model = "cgp";
  EXPECT_TRUE(plan(s, kTwo, 1000).lbfgs);
  EXPECT_FALSE(plan(s, kTwo, 1500).lbfgs);
  s.preset = "paper-mnist";
  const std::vector<TaskKind> classes = {TaskKind::classes, TaskKind::classes};
  EXPECT_TRUE(plan(s, classes, 5000).lbfgs);
  s.preset = "paper-faims";
  EXPECT_TRUE(plan(s, {TaskKind::binary, TaskKind::binary}, 88).lbfgs);
  s.preset.clear();
  EXPECT_FALSE(plan(s, classes, 50).lbfgs);
}

TEST(Choose, StepsOfLbfgsAreItsIterations) {
  const auto steps = [](const char* model, Index wanted) {
    return plan(with([&](auto& s) {
                  s.model = model;
                  if (wanted > 0) s.steps = wanted;
                }),
                kTwo, 50)
        .settings.at("steps");
  };
  EXPECT_EQ(steps("igp", 0), "500");
  EXPECT_EQ(steps("exact-icm", 0), "100");
  EXPECT_EQ(steps("igp", 7), "7");
  EXPECT_EQ(steps("exact-gp", 7), "7");
}

// What starts from nothing is trained for as long as there is time; else time is only a limit.
TEST(Choose, TimeIsFilledOrALimit) {
  const auto fills = [](auto set) {
    return plan(with([&](auto& s) {
                  s.time = 60.0;
                  set(s);
                }),
                kTwo, 50)
        .fills_time;
  };
  EXPECT_TRUE(fills([](auto& s) { s.priors = false; }));
  EXPECT_TRUE(fills([](auto& s) { s.model = "mann2"; }));
  EXPECT_FALSE(fills([](auto&) {}));
  EXPECT_FALSE(fills([](auto& s) { s.model = "igp"; }));
  EXPECT_FALSE(fills([](auto& s) { s.model = "exact-gp"; }));
  EXPECT_FALSE(plan(kPlain, kTwo, 50).fills_time);
}

TEST(Choose, SaysWhatABetterStartDoesNotGoWith) {
  const auto last = [](const FitSettings& s, const std::vector<TaskKind>& kinds) {
    return plan(s, kinds, 50).reasons.back();
  };
  EXPECT_TRUE(contains(last(with([](auto& s) { s.noise = 0.05; }), kTwo), "because of --noise;"));
  EXPECT_TRUE(contains(last(with([](auto& s) { s.kernel = "rbf", s.inducing = 9; }),
                            {TaskKind::binary, TaskKind::binary}),
                       "because of --inducing, --kernel;"));
  EXPECT_FALSE(contains(last({}, kTwo), "because"));
  EXPECT_FALSE(contains(last(kPlain, kTwo), "because"));
}

TEST(Choose, RemembersWhatAPresetChose) {
  const FitPlan p = plan(preset("paper-sarcos"), kTwo, 50);
  EXPECT_EQ(p.settings.at("preset"), "paper-sarcos");
  EXPECT_EQ(p.settings.at("schedule"), "constant");
  EXPECT_EQ(p.settings.at("natural-gradient"), "none");
  EXPECT_EQ(p.settings.at("inducing-inputs"), "rows");
}

}  // namespace
}  // namespace mdgp
