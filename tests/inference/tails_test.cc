#include "mdgp/inference/tails.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "mdgp/inference/exact.h"
#include "mdgp/inference/initialise.h"
#include "mdgp/posterior/posterior.h"
#include "testing/random_model.h"

namespace mdgp {
namespace {

constexpr Index kTailInputs = 2;

DataSet two_tasks(Index rows, unsigned seed) {
  fixture::Random random(seed);
  DataSet data{random.normals(rows, kTailInputs), {}};
  for (Index r = 0; r < rows; ++r) {
    const double f = std::sin(1.5 * data.x(r, 0)) + 0.5 * data.x(r, 1);
    data.observations.push_back({r, static_cast<int>(r % 2), f + 0.2 * random.normal()});
  }
  return data;
}

Model exact_model(const std::string& name, const DataSet& data) {
  ModelSpec spec = default_spec(name, kTailInputs, {{"heavy_tailed"}, {"heavy_tailed"}});
  spec.top_inducing = observation_counts(data, 2);
  Model model = make_model(spec);
  fixture::Random random(7);
  fixture::randomise(model, random);
  place_on_observations(model, data);
  return model;
}

class LeftOut : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Models, LeftOut, testing::Values("exact-gp", "exact-icm"));

// Against the posterior of a model that was never shown the observation.
TEST_P(LeftOut, ErrorsAreThoseOfAModelWithoutTheObservation) {
  const DataSet data = two_tasks(9, 3);
  const Model model = exact_model(GetParam(), data);
  const Vector errors = left_out_errors(model, data);
  ASSERT_EQ(errors.size(), 9);
  std::vector<Observation> in_order = data.observations;  // task by task
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const Observation& a, const Observation& b) { return a.task < b.task; });
  for (Index i = 0; i < errors.size(); ++i) {
    const Observation left = in_order[static_cast<std::size_t>(i)];
    DataSet others{data.x, {}};
    for (const Observation& o : data.observations) {
      if (o.row != left.row) others.observations.push_back(o);
    }
    Model without = exact_model(GetParam(), others);
    for (const Parameter& p : model.parameters.table) {
      if (p.name.find(".kernel.") != std::string::npos || p.name.starts_with("likelihood")) {
        without.parameters.view(p.name) = model.parameters.view(p.name);
      }
    }
    set_best_posterior(without, others);
    const Matrix x = data.x.row(left.row);
    const Prediction y = Posterior(without).predict(view_of(x), left.task);
    EXPECT_NEAR(errors[i], (left.y - y.mean(0, 0)) / std::sqrt(y.variance(0, 0)), 1e-4) << i;
  }
}

TEST(LeftOut, TheTopOfADeepModelSeesTheMeanOfTheLayersBelow) {
  const Model model =
      fixture::random_model(fixture::small_spec("smdgp", 2, fixture::gaussian_tasks()), 5);
  DataSet data{fixture::Random(3).normals(6, 3), {}};
  for (const Index r : {5, 2, 0}) data.observations.push_back({r, 1, 0.1 * static_cast<double>(r)});
  const Process& process = model.cascade.layers.back().processes[1];
  const Regression rows = top_regression(model, process, data);
  const std::vector<Index> order = {5, 2, 0};
  EXPECT_EQ(rows.x, layer_inputs(model, 1, data.x(order, Eigen::all), 1));
  EXPECT_EQ(rows.task, std::vector<int>(3, 1));
  EXPECT_EQ(rows.y, (Matrix(3, 1) << 0.5, 0.2, 0.0).finished());
}

TEST(BestDegrees, AreThoseTheErrorsWereDrawnWith) {
  std::mt19937_64 random(5);
  for (const double nu : {3.5, 8.0}) {
    std::student_t_distribution<double> t(nu);
    const Vector errors =
        Vector::NullaryExpr(20000, [&] { return t(random) / std::sqrt(nu / (nu - 2.0)); });
    EXPECT_NEAR(best_degrees(errors), nu, 0.1 * nu);
  }
  std::normal_distribution<double> normal;
  EXPECT_GT(best_degrees(Vector::NullaryExpr(20000, [&] { return normal(random); })), 20.0);
  EXPECT_NEAR(best_degrees(Vector()), 6.0, 1e-3) << "the prior's median";
}

TEST(FitTails, SetsTheDegreesOfFreedomAndNothingElse) {
  const DataSet data = two_tasks(30, 4);
  Model model = exact_model("exact-gp", data);
  Vector before = model.parameters.values;
  fit_tails(model, data);
  const double degrees = best_degrees(left_out_errors(model, data));
  for (const Likelihood& likelihood : model.likelihoods) {
    before[model.parameters[likelihood.parameters[1]].offset] = degrees;
  }
  EXPECT_EQ(model.parameters.values, before);
}

}  // namespace
}  // namespace mdgp
