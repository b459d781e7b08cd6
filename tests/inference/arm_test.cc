// Training on a known function of 8 inputs and 7,000 rows: how far the tip of an arm with eight
// links is from a point. The curves are printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "mdgp/inference/initialise.h"
#include "mdgp/inference/trainer.h"
#include "mdgp/posterior/posterior.h"
#include "mdgp/random/normal.h"

#if MDGP_SANITIZED
#define MDGP_TOO_SLOW
#endif

namespace mdgp {
namespace {

constexpr Index kArmRows = 7000, kHeldOut = 1000, kArmInputs = 8;

double distance_of_tip(const Matrix& x, Index row) {
  double angle = 0.0, across = 0.0, up = 0.0;
  for (Index d = 0; d < kArmInputs; ++d) {
    angle += 0.8 * x(row, d);
    across += std::cos(angle) / kArmInputs;
    up += std::sin(angle) / kArmInputs;
  }
  return std::hypot(across - 0.1, up - 0.1);
}

struct Arm {
  DataSet train;
  Matrix x = Matrix(kHeldOut, kArmInputs);
  Vector y = Vector(kHeldOut);

  Arm() {
    const DrawKey key{1, Purpose::data, 0};
    Matrix all(kArmRows + kHeldOut, kArmInputs);
    Vector targets(all.rows());
    for (Index r = 0; r < all.rows(); ++r) {
      const auto row = static_cast<std::uint64_t>(r);
      for (Index d = 0; d < kArmInputs; ++d) {
        all(r, d) = std::sqrt(3.0) * (2.0 * uniform(key, row, static_cast<std::uint32_t>(d)) - 1.0);
      }
      targets[r] = distance_of_tip(all, r);
    }
    targets.array() -= targets.mean();
    targets /= std::sqrt(targets.squaredNorm() / static_cast<double>(targets.size()));
    for (Index r = 0; r < all.rows(); ++r) {
      targets[r] += 0.1 * normal(key, static_cast<std::uint64_t>(r), 100);
    }
    train.x = all.topRows(kArmRows);
    x = all.bottomRows(kHeldOut);
    y = targets.tail(kHeldOut);
    for (Index r = 0; r < kArmRows; ++r) train.observations.push_back({r, 0, targets[r]});
  }
};

struct Curve {
  std::vector<double> bounds;  // of all rows, every `every` steps
  double held_out = 0.0;       // mean log density
};

TrainOptions plan(NaturalGradient natural, Index steps) {
  TrainOptions options;
  options.steps = steps;
  options.batch_rows = 500;
  options.schedule = Schedule::constant;
  options.natural = natural;
  options.natural_step = 0.2;
  options.natural_start = 1e-2;
  options.natural_ramp = 20;
  return options;
}

Curve run(const Arm& arm, const char* name, const TrainOptions& options, Index every) {
  Model model = make_model(default_spec(name, kArmInputs, {TaskSpec{}}, 2, kArmInputs, 100));
  initialise(model, arm.train);
  Curve curve;
  std::printf("%s, %s:", name,
              options.natural == NaturalGradient::none ? "Adam" : "natural gradient and Adam");
  Bound bound(model);
  TrainState state;
  train(model, arm.train, options, state,
        [&](const TrainRecord&, const Model&, const TrainState& s) {
          if (s.step % every == 0) {
            const Batch all{view_of(arm.train.x), &arm.train.observations, nullptr};
            curve.bounds.push_back(bound(all, {}).bound);
            std::printf(" %.0f", curve.bounds.back());
          }
          return TrainAction::go_on;
        });
  curve.held_out = Posterior(model).log_density(view_of(arm.x), 0, arm.y, {.samples = 20}).mean();
  std::printf("; held-out log density %.3f\n", curve.held_out);
  return curve;
}

TEST(Arm, TwoLayersBeatOne) {
#ifdef MDGP_TOO_SLOW
  GTEST_SKIP() << "too slow with sanitizers";
#endif
  const Arm arm;
  const Curve shallow = run(arm, "igp", plan(NaturalGradient::top, 600), 100);
  const Curve deep = run(arm, "smdgp", plan(NaturalGradient::top, 600), 100);
  EXPECT_GT(deep.held_out, shallow.held_out + 0.05);
}

TEST(Arm, NaturalGradientsOnTopTakeAFifthOfTheSteps) {
#ifdef MDGP_TOO_SLOW
  GTEST_SKIP() << "too slow with sanitizers";
#endif
  const Arm arm;
  for (const char* name : {"igp", "smdgp"}) {
    TrainOptions adam = plan(NaturalGradient::none, 1000);  // at 0.01, as the literature has it
    adam.batch_rows = 2500;
    TrainOptions natural = adam;
    natural.natural = NaturalGradient::top;
    natural.steps = 200;
    natural.natural_step = 1.0;
    natural.natural_start = 0.1;
    natural.natural_ramp = 5;
    natural.natural_refresh = true;
    natural.adam.learning_rate = 0.15;
    natural.schedule = Schedule::cosine;
    EXPECT_GE(run(arm, name, natural, 20).bounds.back(), run(arm, name, adam, 100).bounds.back())
        << name;
  }
}

}  // namespace
}  // namespace mdgp
