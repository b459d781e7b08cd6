#include "mdgp/inference/initialise.h"

#include <gtest/gtest.h>

#include <set>

#include "mdgp/inference/kmeans.h"
#include "mdgp/random/normal.h"

namespace mdgp {
namespace {

Matrix cloud(Index n, Index inputs, double centre, std::uint64_t seed) {
  Matrix x(n, inputs);
  const DrawKey key{seed, Purpose::data, 0};
  for (Index i = 0; i < x.size(); ++i) {
    x.data()[i] = centre + 0.1 * normal(key, static_cast<std::uint64_t>(i), 0);
  }
  return x;
}

TEST(Kmeans, FindsClustersThatAreThere) {
  Matrix x(60, 2);
  x << cloud(20, 2, 0.0, 1), cloud(20, 2, 5.0, 2), cloud(20, 2, -5.0, 3);
  const Matrix centres = kmeans(x, 3, 7);
  std::set<int> found;
  for (Index c = 0; c < 3; ++c) {
    EXPECT_NEAR(centres(c, 0), centres(c, 1), 0.2);
    found.insert(static_cast<int>(std::round(centres(c, 0) / 5.0)));
  }
  EXPECT_EQ(found, (std::set<int>{-1, 0, 1}));
}

TEST(Kmeans, GivesDistinctCentresWhereThereAreFewRows) {
  const Matrix x = cloud(4, 3, 1.0, 1);
  const Matrix centres = kmeans(x, 9, 1);
  for (Index a = 0; a < 9; ++a) {
    for (Index b = 0; b < a; ++b) EXPECT_GT((centres.row(a) - centres.row(b)).norm(), 1e-6);
  }
}

TEST(RandomRows, AreRowsWithoutRepetition) {
  const Matrix x = cloud(30, 2, 0.0, 4);
  const Matrix chosen = random_rows(x, 10, 3);
  std::set<Index> which;
  for (Index c = 0; c < 10; ++c) {
    for (Index r = 0; r < 30; ++r) {
      if (x.row(r) == chosen.row(c)) which.insert(r);
    }
  }
  EXPECT_EQ(which.size(), 10U);
  EXPECT_NE(random_rows(x, 10, 4), chosen);
}

// Task 0 around 0, task 1 around 5: private processes get their own task's region, shared ones
// both.
DataSet two_regions() {
  DataSet data{Matrix(40, 2), {}};
  data.x << cloud(20, 2, 0.0, 1), cloud(20, 2, 5.0, 2);
  for (Index r = 0; r < 40; ++r)
    data.observations.push_back({r, r < 20 ? 0 : 1, r % 2 == 0 ? 0.0 : 2.0});
  return data;
}

TEST(Initialise, PutsInducingInputsWhereTheTasksRowsAre) {
  const DataSet data = two_regions();
  Model model = make_model(default_spec("mmdgp", 2, {TaskSpec{}, TaskSpec{}}, 2, 4, 6));
  initialise(model, data);
  EXPECT_LT(model.parameters.view("h0.Z").maxCoeff(), 1.0);
  EXPECT_GT(model.parameters.view("h1.Z").minCoeff(), 4.0);
  EXPECT_LT(model.parameters.view("g0.Z").minCoeff(), 1.0);
  EXPECT_GT(model.parameters.view("g0.Z").maxCoeff(), 4.0);
}

TEST(Initialise, GivesCoregionalisedInducingInputsTheirTasksRows) {
  const DataSet data = two_regions();
  Model model = make_model(default_spec("cgp", 2, {TaskSpec{}, TaskSpec{}}, 2, 4, 6));
  initialise(model, data);
  const Process& f = model.cascade.layers[0].processes[0];
  for (Index m = 0; m < 6; ++m) {
    EXPECT_EQ(model.parameters.view("f.Z")(m, 0) > 2.5, f.Z_task[static_cast<std::size_t>(m)] == 1);
  }
}

// With an identity mean function the layer above sees the rows themselves at first.
TEST(Initialise, PushesRowsForwardForDeeperLayers) {
  const DataSet data = two_regions();
  Model model = make_model(default_spec("smdgp", 2, {TaskSpec{}, TaskSpec{}}, 2, 2, 6));
  initialise(model, data);
  EXPECT_LT(model.parameters.view("f0.Z").maxCoeff(), 1.0);
  EXPECT_GT(model.parameters.view("f1.Z").minCoeff(), 4.0);
}

TEST(Initialise, TakesNoiseAndLengthscalesFromTheData) {
  const DataSet data = two_regions();
  Model model = make_model(default_spec("igp", 2, {TaskSpec{}, TaskSpec{}}, 2, 2, 6));
  initialise(model, data, {.lengthscale = 2.0, .noise = 0.1});
  EXPECT_NEAR(model.parameters.view("likelihood0.variance")(0, 0), 0.1, 1e-12);  // targets 0 and 2
  const Matrix x = data.x.topRows(20);
  const double deviation = std::sqrt((x.col(0).array() - x.col(0).mean()).square().mean());
  EXPECT_NEAR(model.parameters.view("f0.kernel.lengthscales")(0, 0),
              2.0 * std::sqrt(2.0) * deviation, 1e-12);
}

TEST(Initialise, ManagesATaskWithoutRows) {
  DataSet data = two_regions();
  std::erase_if(data.observations, [](const Observation& o) { return o.task == 1; });
  for (const std::string_view name : model_names()) {
    Model model = make_model(default_spec(name, 2, {TaskSpec{}, TaskSpec{}}, 2, 2, 6));
    initialise(model, data);
    EXPECT_NO_THROW(check_model("test", model)) << name;
  }
}

TEST(Initialise, RefusesDataThatDoNotFit) {
  DataSet data = two_regions();
  Model model = make_model(default_spec("igp", 3, {TaskSpec{}, TaskSpec{}}, 2, 2, 6));
  EXPECT_THROW(initialise(model, data), std::invalid_argument);
}

}  // namespace
}  // namespace mdgp
