#include "mdgp/baselines/forest.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mdgp/baselines/baseline.h"
#include "mdgp/baselines/train_forest.h"
#include "mdgp/io/model_file.h"
#include "mdgp/linalg/parallel.h"
#include "mdgp/random/normal.h"
#include "testing/fitted_model.h"

namespace mdgp {
namespace {

double draw(std::uint32_t step, Index row, Index column) {
  return normal({1, Purpose::data, step}, static_cast<std::uint64_t>(row),
                static_cast<std::uint32_t>(column));
}

ModelSpec forest_spec(std::vector<TaskSpec> tasks, Index inputs = 2) {
  ModelSpec spec;
  spec.model = "irf";
  spec.inputs = inputs;
  spec.tasks = std::move(tasks);
  spec.inner.clear();
  return spec;
}

const std::vector<TaskSpec> kAllKinds = {{"gaussian"}, {"bernoulli"}, {"softmax", 3}, {"poisson"}};

// Row i has the class c = i % 3, seen as a cloud at (4c, 4c); each task tells it in its own way.
DataSet clouds(Index n, std::uint32_t step) {
  DataSet data;
  data.x.resize(n, 2);
  for (Index i = 0; i < n; ++i) {
    const double c = static_cast<double>(i % 3);
    data.x(i, 0) = 4.0 * c + 0.3 * draw(step, i, 0);
    data.x(i, 1) = 4.0 * c + 0.3 * draw(step, i, 1);
    data.observations.push_back({i, 0, c - 1.0});
    data.observations.push_back({i, 1, i % 3 == 2 ? 1.0 : 0.0});
    data.observations.push_back({i, 2, c});
    data.observations.push_back({i, 3, 10.0 * c});
  }
  return data;
}

Mixture latent_at(const FittedForest& fitted, const Matrix& x, int task) {
  return forest_latent(fitted.spec, fitted.model)(view_of(x), task, {});
}

TEST(Forest, LearnsEveryKindOfTask) {
  const FittedForest fitted = train_forest(forest_spec(kAllKinds), clouds(120, 0), {100, 1});
  const Matrix x = clouds(60, 1).x;
  const Posterior posterior = make_posterior(fitted.spec, fitted.model);
  const Prediction real = posterior.predict(view_of(x), 0), yes = posterior.predict(view_of(x), 1),
                   classes = posterior.predict(view_of(x), 2),
                   count = posterior.predict(view_of(x), 3);
  for (Index i = 0; i < 60; ++i) {
    const Index c = i % 3;
    EXPECT_NEAR(real.mean(i, 0), static_cast<double>(c) - 1.0, 0.05);
    EXPECT_NEAR(yes.mean(i, 0), c == 2 ? 1.0 : 0.0, 0.05);
    EXPECT_NEAR(classes.mean(i, c), 1.0, 0.05);
    EXPECT_NEAR(classes.mean.row(i).sum(), 1.0, 1e-9);
    EXPECT_NEAR(count.mean(i, 0), 10.0 * static_cast<double>(c), 0.5);
  }
}

// A vote more for each class: all 100 trees agree, and (100 + 1) / (100 + classes) is said.
TEST(Forest, NothingIsImpossible) {
  const FittedForest fitted = train_forest(forest_spec(kAllKinds), clouds(120, 0), {100, 1});
  const Matrix x = Matrix::Zero(1, 2);  // the middle of class 0
  const Posterior posterior = make_posterior(fitted.spec, fitted.model);
  EXPECT_NEAR(posterior.predict(view_of(x), 1).mean(0, 0), 1.0 / 102.0, 1e-9);
  EXPECT_NEAR(posterior.predict(view_of(x), 2).mean(0, 0), 101.0 / 103.0, 1e-9);
  EXPECT_NEAR(posterior.predict(view_of(x), 3).mean(0, 0), 0.5 / 100.0, 1e-9);
  EXPECT_TRUE(std::isfinite(posterior.log_density(view_of(x), 2, Vector::Constant(1, 2.0))[0]));
  EXPECT_TRUE(std::isfinite(posterior.log_density(view_of(x), 3, Vector::Constant(1, 7.0))[0]));
}

// Of noise alone, the rows out of the bag are predicted by the mean of other rows' noise: their
// error is a little above its variance, and not the 0 of rows that were seen.
TEST(Forest, NoiseIsThatOfRowsOutOfTheBag) {
  DataSet data;
  data.x.resize(400, 3);
  for (Index i = 0; i < 400; ++i) {
    for (Index j = 0; j < 3; ++j) data.x(i, j) = draw(0, i, j);
    data.observations.push_back({i, 0, draw(1, i, 0)});
  }
  const FittedForest fitted = train_forest(forest_spec({{}}, 3), data, {200, 1});
  const double noise = fitted.model.parameters.view("likelihood0.variance")(0, 0);
  EXPECT_GT(noise, 0.9);
  EXPECT_LT(noise, 1.5);
}

TEST(Forest, OneObservationIsEnough) {
  DataSet data;
  data.x = Matrix::Ones(1, 2);
  data.observations = {{0, 0, 0.5}};
  const FittedForest fitted = train_forest(forest_spec({{}}), data, {3, 1});
  EXPECT_EQ(latent_at(fitted, Matrix::Zero(1, 2), 0).mean(0, 0), 0.5);
  EXPECT_EQ(fitted.model.parameters.view("likelihood0.variance")(0, 0), 1.0);
}

TEST(Forest, SameSeedSameBitsWithAnyThreads) {
  const int before = num_threads();
  const auto values = [&](int threads, std::uint64_t seed) {
    set_num_threads(threads);
    return train_forest(forest_spec(kAllKinds), clouds(90, 0), {20, seed}).model.parameters.values;
  };
  const Vector one = values(1, 1), three = values(3, 1), other = values(3, 2);
  set_num_threads(before);
  EXPECT_EQ(one.size(), three.size());
  EXPECT_TRUE(one == three);
  EXPECT_FALSE(one.size() == other.size() && one == other);
}

TEST(Forest, RefusesWhatDoesNotFit) {
  const DataSet data = clouds(30, 0);
  EXPECT_THROW(train_forest(forest_spec({{"student_t"}}), data), std::invalid_argument);
  EXPECT_THROW(train_forest(forest_spec(kAllKinds, 3), data), std::invalid_argument);
  EXPECT_THROW(train_forest(forest_spec({{}}), data), std::invalid_argument);  // four tasks
  EXPECT_THROW(train_forest(forest_spec(kAllKinds), data, {0, 1}), std::invalid_argument);
  DataSet missing = data;
  std::erase_if(missing.observations, [](const Observation& o) { return o.task == 1; });
  EXPECT_THROW(train_forest(forest_spec(kAllKinds), missing), std::invalid_argument);
}

FittedModel as_fitted(const FittedForest& forest) {
  fixture::Random random(1);
  FittedModel fitted;
  fitted.schema = fixture::random_schema(forest.spec, random);
  fitted.spec = forest.spec;
  fitted.model = forest.model;
  return fitted;
}

TEST(Forest, ComesBackFromItsFile) {
  const FittedForest forest = train_forest(forest_spec(kAllKinds), clouds(60, 0), {10, 1});
  const FittedModel back = from_tensors(to_tensors(as_fitted(forest)), "m.mdgp");
  const Matrix x = clouds(30, 1).x;
  const Posterior before = make_posterior(forest.spec, forest.model),
                  after = make_posterior(back.spec, back.model);
  for (int t = 0; t < 4; ++t) {
    EXPECT_TRUE(before.predict(view_of(x), t).mean == after.predict(view_of(x), t).mean);
    EXPECT_TRUE(before.predict(view_of(x), t).variance == after.predict(view_of(x), t).variance);
  }
}

// What is said of a file in which one number is another.
std::string damage(const std::string& tensor, std::size_t i, double value) {
  const FittedForest forest =
      train_forest(forest_spec({{}}),
                   [] {
                     DataSet data;
                     data.x = Matrix::Zero(4, 2);
                     data.x.col(0) << 1.0, 2.0, 3.0, 4.0;
                     data.x.col(1) << 1.0, 2.0, 3.0, 4.0;
                     for (Index r = 0; r < 4; ++r)
                       data.observations.push_back({r, 0, static_cast<double>(r)});
                     return data;
                   }(),
                   {2, 1});
  TensorFile file = to_tensors(as_fitted(forest));
  file.tensors.at(tensor).values.at(i) = value;
  try {
    from_tensors(file, "m.mdgp");
  } catch (const std::exception& e) {
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    return e.what();
  }
  return "loads";
}

TEST(Forest, DamageIsFoundAndNamed) {
  EXPECT_EQ(damage("task0.forest.value", 0, 2.25), "loads");
  EXPECT_EQ(
      damage("task0.forest.left", 0, 0.0)
          .find("m.mdgp: damaged: forest: task0.forest.left[0] is 0, but must be a whole number "
                "from 1 to "),
      0U);
  EXPECT_EQ(damage("task0.forest.feature", 0, 2.0),
            "m.mdgp: damaged: forest: task0.forest.feature[0] is 2, but must be a whole number "
            "from -1 to 1");
  for (const double wrong : {-1.0, 0.5, 1e9, 1e300, std::nan("")}) {
    EXPECT_NE(damage("task0.forest.left", 0, wrong), "loads") << wrong;
    EXPECT_NE(damage("task0.forest.root", 1, wrong), "loads") << wrong;
  }
  for (const double wrong : {-2.0, 0.5, 1e300, std::nan("")}) {
    EXPECT_NE(damage("task0.forest.feature", 0, wrong), "loads") << wrong;
  }
  EXPECT_NE(damage("task0.forest.value", 0, std::nan("")), "loads");
  EXPECT_NE(damage("task0.forest.value", 1, INFINITY), "loads");
  EXPECT_NE(damage("likelihood0.variance", 0, -1.0), "loads");
}

}  // namespace
}  // namespace mdgp
