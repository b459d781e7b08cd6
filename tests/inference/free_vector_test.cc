#include "mdgp/inference/free_vector.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mdgp/autodiff/gradient_check.h"

namespace mdgp {
namespace {

// Every kind of parameter: plain, positive, P = 2 triangles, fixed.
struct Fixture {
  Parameters parameters;
  int plain, positive, triangles, fixed;

  Fixture() {
    plain = parameters.add("plain", 2, 3, Constraint::none, 0.0);
    positive = parameters.add("positive", 3, 1, Constraint::positive, 1.0);
    triangles = parameters.add("triangles", 3, 6, Constraint::lower_triangular, 0.0);
    fixed = parameters.add("fixed", 2, 1, Constraint::positive, 5.0);
    parameters.table[static_cast<std::size_t>(fixed)].trainable = false;
    for (Index i = 0; i < 6; ++i)
      parameters.view(plain).data()[i] = 0.3 * static_cast<double>(i) - 1;
    parameters.view(positive) << 0.2, 1.0, 7.0;
    View L = parameters.view(triangles);
    for (Index c = 0; c < 6; ++c) {
      for (Index i = c / 2; i < 3; ++i) L(i, c) = 0.1 * static_cast<double>(i + 3 * c) + 0.5;
    }
  }
};

TEST(FreeVector, HoldsWhatIsTrainable) {
  const Fixture f;
  EXPECT_EQ(FreeVector(f.parameters).size(), 6 + 3 + 2 * 6);
  EXPECT_EQ(FreeVector(f.parameters, {f.plain}).size(), 3 + 2 * 6);
}

TEST(FreeVector, GoesThereAndBack) {
  const Fixture f;
  const FreeVector packing(f.parameters);
  Vector free;
  packing.read(f.parameters, free);
  Parameters copy = f.parameters;
  copy.values.setConstant(9.0);
  for (const int id : {f.fixed}) copy.view(id) = f.parameters.view(id);
  copy.view(f.triangles).setZero();
  packing.write(free, copy);
  EXPECT_LT((copy.values - f.parameters.values).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(FreeVector, PullsGradientsBack) {
  const Fixture f;
  const FreeVector packing(f.parameters);
  const auto objective = [](const Vector& values) {
    double sum = 0.0;
    for (Index i = 0; i < values.size(); ++i) {
      sum += std::sin(values[i] * (1.0 + 0.1 * static_cast<double>(i)));
    }
    return sum;
  };
  Vector gradient(f.parameters.size());
  for (Index i = 0; i < gradient.size(); ++i) {
    const double factor = 1.0 + 0.1 * static_cast<double>(i);
    gradient[i] = factor * std::cos(f.parameters.values[i] * factor);
  }
  Vector free, pulled;
  packing.read(f.parameters, free);
  packing.pull_back(f.parameters, gradient, pulled);
  const GradientCheck check = check_gradient(
      [&](const Vector& at) {
        Parameters moved = f.parameters;
        packing.write(at, moved);
        return objective(moved.values);
      },
      free, pulled, 1e-4);
  EXPECT_LT(check.worst_error, 1e-8) << check.worst_index;
}

TEST(LogPrior, IsTheLogDensityUpToAConstant) {
  Parameters parameters;
  const int a = parameters.add("a", 1, 1, Constraint::none, 2.0);
  const int b = parameters.add("b", 2, 1, Constraint::positive, std::exp(1.5));
  parameters.table[static_cast<std::size_t>(a)].prior = {Prior::gaussian, 1.0, 0.5};
  parameters.table[static_cast<std::size_t>(b)].prior = {Prior::log_normal, 1.0, 2.0};
  EXPECT_NEAR(log_prior(parameters, nullptr), -0.5 * 4.0 - 2 * 0.5 * 0.0625, 1e-12);
  Vector gradient = Vector::Zero(3);
  log_prior(parameters, &gradient);
  const GradientCheck check = check_gradient(
      [&](const Vector& at) {
        Parameters moved = parameters;
        moved.values = at;
        return log_prior(moved, nullptr);
      },
      parameters.values, gradient);
  EXPECT_LT(check.worst_error, 1e-8);
}

TEST(LogPrior, OfWhatIsFixedIsLeftOut) {
  Parameters parameters;
  const int a = parameters.add("a", 1, 1, Constraint::positive, 2.0);
  const int b = parameters.add("b", 1, 1, Constraint::positive, 3.0);
  auto& table = parameters.table;
  const auto at = [](int id) { return static_cast<std::size_t>(id); };
  table[at(a)].prior = {Prior::log_normal, 0.0, 1.0};
  table[at(b)].prior = {Prior::log_normal, 0.0, 1.0, a};
  const double own = -0.5 * std::pow(std::log(2.0), 2), around = -0.5 * std::pow(std::log(1.5), 2);
  EXPECT_NEAR(log_prior(parameters, nullptr), own + around, 1e-12);
  table[at(b)].trainable = false;  // but a, which it is to be near, is not
  EXPECT_NEAR(log_prior(parameters, nullptr), own + around, 1e-12);
  table[at(a)].trainable = false;
  EXPECT_EQ(log_prior(parameters, nullptr), 0.0);
  table[at(b)].trainable = true;
  EXPECT_NEAR(log_prior(parameters, nullptr), around, 1e-12);
}

}  // namespace
}  // namespace mdgp
