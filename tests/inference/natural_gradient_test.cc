#include "mdgp/inference/natural_gradient.h"

#include <gtest/gtest.h>

#include "mdgp/inference/bound.h"
#include "mdgp/random/normal.h"

namespace mdgp {
namespace {

// igp on random rows of two tasks: conjugate, so the optimal q is one natural step of length 1
// away.
struct Conjugate {
  Model model = make_model([] {
    ModelSpec spec = default_spec("igp", 2, {TaskSpec{}, TaskSpec{}});
    spec.top.inducing = 7;
    return spec;
  }());
  Matrix x = Matrix(30, 2);
  std::vector<Observation> observations;

  Conjugate() {
    const DrawKey key{5, Purpose::data, 0};
    for (Index i = 0; i < x.size(); ++i) {
      x.data()[i] = normal(key, static_cast<std::uint64_t>(i), 0);
    }
    for (Index r = 0; r < 30; ++r) {
      observations.push_back({r, static_cast<int>(r % 2), std::sin(x(r, 0)) + 0.3 * x(r, 1)});
    }
    for_processes(model.cascade, [&](const Process& process, std::size_t, std::size_t) {
      model.parameters.view(process.Z) = x.middleRows(process.tasks[0] == 0 ? 0 : 10, 7);
    });
  }

  Vector gradient() {
    Bound bound(model);
    Vector g;
    bound({view_of(std::as_const(x)), &observations}, {}, &g);
    return g;
  }
  double value() {
    Bound bound(model);
    return bound({view_of(std::as_const(x)), &observations}, {}).bound;
  }
  double largest_q_gradient() {
    const Vector g = gradient();
    double largest = 0.0;
    for_processes(model.cascade, [&](const Process& process, std::size_t, std::size_t) {
      for (const int id : {process.q_mu, process.q_sqrt}) {
        const Parameter& p = model.parameters[id];
        largest = std::max(largest, g.segment(p.offset, p.size()).cwiseAbs().maxCoeff());
      }
    });
    return largest;
  }
  void step(double length) {
    const Vector g = gradient();
    for_processes(model.cascade, [&](const Process& process, std::size_t, std::size_t) {
      natural_gradient_step(process, g, length, model.parameters);
    });
  }
};

TEST(NaturalGradient, ReachesTheOptimumOfAConjugateProblemInOneStep) {
  Conjugate c;
  EXPECT_GT(c.largest_q_gradient(), 1.0);
  c.step(1.0);
  EXPECT_LT(c.largest_q_gradient(), 1e-9);
}

TEST(NaturalGradient, StaysAtTheOptimum) {
  Conjugate c;
  c.step(1.0);
  const Vector before = c.model.parameters.values;
  c.step(1.0);
  EXPECT_LT((c.model.parameters.values - before).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(NaturalGradient, ShortStepsImproveTheBound) {
  Conjugate c;
  double value = c.value();
  for (int i = 0; i < 10; ++i) {
    c.step(0.1);
    const double next = c.value();
    EXPECT_GT(next, value);
    value = next;
  }
}

// A gradient that would make the precision indefinite: the step is shortened, q stays a Gaussian.
TEST(NaturalGradient, ShortensAStepThatLeavesTheCone) {
  Conjugate c;
  const Process& process = c.model.cascade.layers[0].processes[0];
  Vector g = Vector::Zero(c.model.parameters.size());
  const Parameter& q_sqrt = c.model.parameters[process.q_sqrt];
  for (Index j = 0; j < process.inducing; ++j) g[q_sqrt.offset + j * process.inducing + j] = 1000.0;
  const double taken = natural_gradient_step(process, g, 1.0, c.model.parameters);
  EXPECT_GT(taken, 0.0);
  EXPECT_LT(taken, 1e-2);
  EXPECT_NO_THROW(check_process("test", process, c.model.parameters));
}

TEST(NaturalGradient, LeavesQAloneWhereNoStepHelps) {
  Conjugate c;
  const Process& process = c.model.cascade.layers[0].processes[0];
  const Vector before = c.model.parameters.values;
  Vector g = Vector::Zero(c.model.parameters.size());
  g[c.model.parameters[process.q_mu].offset] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(natural_gradient_step(process, g, 1.0, c.model.parameters), 0.0);
  EXPECT_EQ(c.model.parameters.values, before);
}

}  // namespace
}  // namespace mdgp
