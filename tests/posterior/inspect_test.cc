#include "mdgp/posterior/inspect.h"

#include <gtest/gtest.h>

#include <cmath>

#include "testing/random_model.h"

namespace mdgp {
namespace {

using Names = std::vector<std::string>;

ModelSpec two_tasks(const char* name) {
  ModelSpec spec;
  spec.model = name;
  spec.inputs = 2;
  spec.tasks = {{}, {}};
  spec.inner = {LayerSpec{.shared = {2}, .priv = {1}, .inducing = 3}};
  spec.top.inducing = 3;
  return spec;
}

void set(Model& model, const char* name, std::initializer_list<double> values) {
  View view = model.parameters.view(name);
  ASSERT_EQ(view.size(), std::ssize(values));
  std::copy(values.begin(), values.end(), view.data());
}

// Row by row, NaN equal to NaN.
void expect_weights(const Matrix& weights, const std::vector<std::vector<double>>& expected) {
  ASSERT_EQ(weights.rows(), std::ssize(expected));
  for (Index t = 0; t < weights.rows(); ++t) {
    ASSERT_EQ(weights.cols(), std::ssize(expected[at(t)]));
    for (Index c = 0; c < weights.cols(); ++c) {
      const double e = expected[at(t)][at(c)];
      EXPECT_TRUE(std::isnan(e) ? std::isnan(weights(t, c)) : std::abs(weights(t, c) - e) < 1e-12)
          << t << ' ' << c << ": " << weights(t, c) << ", not " << e;
    }
  }
}

const double kNone = std::nan("");

// 1 - k(1) of a Matérn-5/2 or RBF kernel of variance 1: half the variance of the change over 1.
double matern52(double lengthscale) {
  const double r = std::sqrt(5.0) / lengthscale;
  return 1.0 - (1.0 + r + r * r / 3.0) * std::exp(-r);
}
double rbf(double lengthscale) { return -std::expm1(-0.5 / (lengthscale * lengthscale)); }

std::vector<double> shares(std::vector<double> row) {
  double sum = 0.0;
  for (const double w : row) sum += std::isnan(w) ? 0.0 : w;
  for (double& w : row) w /= sum;
  return row;
}

TEST(ArdWeights, OfSharedAndPrivateLatentsAndInputs) {
  ModelSpec spec = two_tasks("mmdgp");
  spec.propagate_inputs = true;
  Model model = make_model(spec);
  set(model, "f0.kernel.lengthscales", {1.0, 0.5, 0.5, 1.0, 1e300});
  set(model, "f1.kernel.lengthscales", {1.0, 1.0, 1.0, 1.0, 0.5});
  const ArdWeights ard = ard_weights(model);
  EXPECT_EQ(ard.processes, (Names{"g0", "h0", "h1"}));
  EXPECT_EQ(ard.shared, (std::vector<bool>{true, false, false}));
  EXPECT_EQ(ard.columns, (Names{"g0[0]", "g0[1]", "h0[0]", "h1[0]", "x[0]", "x[1]"}));
  const double a = matern52(1.0), b = matern52(0.5);
  expect_weights(ard.weights, {shares({a, b, b, kNone, a, 0.0}), shares({a, a, kNone, a, a, b})});
}

TEST(ArdWeights, OfAShallowModelAreOfX) {
  Model model = make_model(two_tasks("igp"));
  set(model, "f0.kernel.lengthscales", {1.0, 0.5});
  const ArdWeights ard = ard_weights(model);
  EXPECT_TRUE(ard.processes.empty());
  EXPECT_EQ(ard.columns, (Names{"x[0]", "x[1]"}));
  expect_weights(ard.weights, {shares({matern52(1.0), matern52(0.5)}), {0.5, 0.5}});
}

// As the tasks of such a kernel are scaled and mixed, but look at the same inputs.
TEST(ArdWeights, OfACoregionalisedTopAreTheSameForAllTasks) {
  ModelSpec spec = two_tasks("cmdgp");
  spec.inner[0].priv = {};
  Model model = make_model(spec);
  set(model, "f.kernel.lengthscales", {2.0, 1.0});
  const std::vector<double> each = shares({matern52(2.0), matern52(1.0)});
  expect_weights(ard_weights(model).weights, {each, each});
}

TEST(ArdWeights, OfVariancesOfEachTaskAreItsOwn) {
  ModelSpec spec = two_tasks("cgp");
  spec.top.kernel = "tasklinear";
  Model model = make_model(spec);
  model.parameters.view("f.kernel.variance") << 3.0, 1.0, 1.0, 4.0;  // [input, task]
  expect_weights(ard_weights(model).weights, {{0.75, 0.25}, {0.2, 0.8}});
}

TEST(ArdWeights, CountAllPartsOfAKernel) {
  ModelSpec spec = two_tasks("igp");
  spec.top.kernel = "white + linear";
  Model model = make_model(spec);
  set(model, "f0.kernel.variance", {3.0, 1.0});
  expect_weights(ard_weights(model).weights, {{0.75, 0.25}, {0.5, 0.5}});

  spec.top.kernel = "linear + rbf";
  model = make_model(spec);
  set(model, "f0.kernel.linear_0.variance", {3.0, 1.0});
  set(model, "f0.kernel.rbf_1.lengthscales", {1.0, 0.5});
  set(model, "f0.kernel.rbf_1.variance", {2.0});
  expect_weights(ard_weights(model).weights,
                 {shares({3.0 + 4.0 * rbf(1.0), 1.0 + 4.0 * rbf(0.5)}), {0.5, 0.5}});

  spec.top.kernel = "rbf";
  spec.top.ard = false;
  expect_weights(ard_weights(make_model(spec)).weights, {{0.5, 0.5}, {0.5, 0.5}});

  spec.top.kernel = "white";
  expect_weights(ard_weights(make_model(spec)).weights, {{0.0, 0.0}, {0.0, 0.0}});
}

TEST(ArdWeights, AreTheMeanOverMembers) {
  ModelSpec spec = two_tasks("igp");
  spec.top.kernel = "linear";
  Model model = make_model(spec);
  for (const double first : {3.0, 1.0}) {
    set(model, "f0.kernel.variance", {first, 1.0});
    model.members.push_back(model.parameters.values);
  }
  expect_weights(ard_weights(model).weights, {{0.625, 0.375}, {0.5, 0.5}});
}

class InnerFunctionsTest : public testing::TestWithParam<std::string> {
 protected:
  ModelSpec spec = fixture::small_spec(GetParam(), 3, fixture::gaussian_tasks());
  Matrix x = fixture::Random(3).normals(300, 3);
};
INSTANTIATE_TEST_SUITE_P(Models, InnerFunctionsTest,
                         testing::Values("smdgp", "mmdgp", "cmdgp", "idgp"));

TEST_P(InnerFunctionsTest, FirstLayerIsTheTextbooks) {
  const Posterior posterior(fixture::random_model(spec, 5));
  const Model& model = posterior.model();
  const auto layers = inner_functions(posterior, view_of(std::as_const(x)), 1, 3, 7);
  ASSERT_EQ(layers.size(), 2U);
  for (const Index i : {0, 7, 299}) {
    Index column = 0;
    for (const Process& process : model.cascade.layers[0].processes) {
      if (!process.shared() && process.tasks[0] != 1) continue;
      const auto f = fixture::textbook_conditional(process, model.parameters, model.cascade.jitter,
                                                   x.row(i), 1);
      for (Index p = 0; p < process.width; ++p, ++column) {
        EXPECT_EQ(layers[0].columns[at(column)], process.name + "[" + std::to_string(p) + "]");
        EXPECT_NEAR(layers[0].mean(i, column), f.mean[p], 1e-8);
        EXPECT_NEAR(layers[0].variance(i, column), f.variance[p], 1e-8);
      }
    }
    EXPECT_EQ(column, layers[0].mean.cols());
  }
}

// The textbook's cascade, cut off above the second layer, for noise drawn here.
TEST_P(InnerFunctionsTest, SecondLayerIsTheMixtureOverTheFirst) {
  spec.propagate_inputs = GetParam() == "mmdgp";
  Model model = fixture::random_model(spec, 5);
  const Posterior posterior(model);
  const Matrix few = x.topRows(2);
  const auto layers = inner_functions(posterior, view_of(few), 1, 4000, 7);
  model.cascade.layers.pop_back();
  fixture::Random random(9);
  const int samples = 1500;
  const Index width = layers[1].mean.cols();
  for (Index i = 0; i < few.rows(); ++i) {
    Matrix mean(samples, width), variance(samples, width);
    for (int s = 0; s < samples; ++s) {
      const auto f =
          fixture::textbook_cascade(model, few.row(i), 1, {Vector(random.normals(8, 1))});
      mean.row(s) = f.mean;
      variance.row(s) = f.variance;
    }
    for (Index c = 0; c < width; ++c) {
      const double between = (mean.col(c).array() - mean.col(c).mean()).square().mean();
      const double total = variance.col(c).mean() + between;
      EXPECT_NEAR(layers[1].mean(i, c), mean.col(c).mean(), 6.0 * std::sqrt(between / samples));
      EXPECT_NEAR(layers[1].variance(i, c), total, 0.2 * total);
    }
  }
}

TEST(InnerFunctions, SharedFunctionsAreTheSameForAllTasks) {
  const Posterior posterior(
      fixture::random_model(fixture::small_spec("smdgp", 3, fixture::gaussian_tasks()), 5));
  const Matrix x = Matrix::Random(6, 3);
  const auto a = inner_functions(posterior, view_of(x), 0, 10, 7);
  const auto b = inner_functions(posterior, view_of(x), 2, 10, 7);
  EXPECT_EQ(a[1].mean, b[1].mean);
  EXPECT_EQ(a[1].variance, b[1].variance);
}

TEST(InnerFunctions, ShallowModelsHaveNoneAndWrongArgumentsAreRefused) {
  const Posterior posterior(
      fixture::random_model(fixture::small_spec("igp", 2, fixture::gaussian_tasks()), 5));
  const Matrix x = Matrix::Random(6, 3), wide = Matrix::Random(6, 4);
  EXPECT_TRUE(inner_functions(posterior, view_of(x), 0, 10, 7).empty());
  EXPECT_THROW(inner_functions(posterior, view_of(x), 3, 10, 7), std::invalid_argument);
  EXPECT_THROW(inner_functions(posterior, view_of(wide), 0, 10, 7), std::invalid_argument);
  EXPECT_THROW(inner_functions(posterior, view_of(x), 0, 0, 7), std::invalid_argument);
}

}  // namespace
}  // namespace mdgp
