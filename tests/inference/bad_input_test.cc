// What is wrong with the input is said by name, and an evaluator that refused it goes on working.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>

#include "mdgp/linalg/check.h"
#include "testing/not_finite.h"
#include "testing/random_model.h"

namespace mdgp {
namespace {

using fixture::Data;
using fixture::GivenNoise;
using fixture::Observed;
using fixture::Random;

// The message of what f throws; fails where it throws nothing or something else.
template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    return e.what();
  } catch (const NumericalError& e) {
    return e.what();
  }
  ADD_FAILURE() << "nothing thrown";
  return "";
}

void expect_parts(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << '"' << part << "\" in: " << message;
  }
}

// Everything that goes into an evaluation, to be spoilt in one place.
struct Input {
  Model model;
  Data data;
  BoundOptions options;
  GivenNoise noise;
  Batch batch() const { return data.batch(); }
  View parameter(std::string_view name) { return model.parameters.view(name); }
};

Input good_input() {
  Input in;
  in.model = fixture::random_model(
      fixture::small_spec("mmdgp", 2, {{"gaussian"}, {"bernoulli"}, {"robustmax", 3}, {"poisson"}}),
      81);
  Random random(82);
  in.data = fixture::random_data(in.model, 8, Observed::all, random);
  in.noise = fixture::random_noise(in.model, 8, 2, random);
  in.options.samples = 2;
  return in;
}

struct Spoilt {
  std::string name;
  std::function<void(Input&)> spoil;
  std::vector<std::string> parts;  // of the message

  friend std::ostream& operator<<(std::ostream& out, const Spoilt& s) { return out << s.name; }
};

std::function<void(Input&)> set_y(std::size_t observation, double y) {
  return [=](Input& in) { in.data.observations[observation].y = y; };
}

std::function<void(Input&)> set_parameter(const char* name, double value, Index i = 0,
                                          Index j = 0) {
  return [=](Input& in) { in.parameter(name)(i, j) = value; };
}

class BadInput : public ::testing::TestWithParam<Spoilt> {};

// Observation k of the good input is of row k / 4; the tasks of row 0 are 0, 1, 2, 3.
INSTANTIATE_TEST_SUITE_P(
    Batch, BadInput,
    ::testing::Values(
        Spoilt{"Columns",
               [](Input& in) { in.data.x = Matrix::Zero(8, 2); },
               {"batch.x's columns", "is 2", "3"}},
        Spoilt{"NaNInX", [](Input& in) { in.data.x(4, 1) = kNaN; }, {"batch.x[4, 1]", "is nan"}},
        Spoilt{"InfinityInX",
               [](Input& in) { in.data.x(0, 2) = -kInfinity; },
               {"batch.x[0, 2]", "is -inf"}},
        Spoilt{"NaNInY", set_y(0, kNaN), {"target", "gaussian", "is nan"}},
        Spoilt{"InfinityInY", set_y(0, kInfinity), {"target", "gaussian", "is inf"}},
        Spoilt{"LabelNeither0Nor1", set_y(1, -1.0), {"target", "bernoulli", "is -1", "0 or 1"}},
        Spoilt{"ClassTooLarge", set_y(2, 3.0), {"target", "robustmax", "is 3", "class"}},
        Spoilt{"ClassNotWhole", set_y(2, 0.5), {"target", "robustmax", "is 0.5", "class"}},
        Spoilt{"ClassNaN", set_y(2, kNaN), {"target", "robustmax", "is nan", "class"}},
        Spoilt{"NegativeCount", set_y(3, -2.0), {"target", "poisson", "is -2", "count"}},
        Spoilt{"RowTooLarge",
               [](Input& in) { in.data.observations[3].row = 8; },
               {"observation's row", "is 8"}},
        Spoilt{"RowNegative",
               [](Input& in) { in.data.observations[3].row = -1; },
               {"observation's row", "is -1"}},
        Spoilt{"TaskTooLarge",
               [](Input& in) { in.data.observations[3].task = 4; },
               {"observation's task", "is 4"}},
        Spoilt{"TaskNegative",
               [](Input& in) { in.data.observations[3].task = -1; },
               {"observation's task", "is -1"}},
        Spoilt{"NoObservations",
               [](Input& in) { in.data.observations.clear(); },
               {"batch.observations", "is empty"}}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(Options, BadInput,
                         ::testing::Values(Spoilt{"NoSamples",
                                                  [](Input& in) { in.options.samples = 0; },
                                                  {"samples", "is 0"}},
                                           Spoilt{"TooManySamples",
                                                  [](Input& in) { in.options.samples = 1 << 20; },
                                                  {"samples", "is 1048576"}},
                                           Spoilt{"NegativeKlWeight",
                                                  [](Input& in) { in.options.kl_weight = -0.5; },
                                                  {"kl_weight", "is -0.5"}},
                                           Spoilt{"NaNKlWeight",
                                                  [](Input& in) { in.options.kl_weight = kNaN; },
                                                  {"kl_weight", "is nan"}},
                                           Spoilt{"NegativeNumData",
                                                  [](Input& in) { in.options.num_data = -1.0; },
                                                  {"num_data", "is -1"}},
                                           Spoilt{"TaskScaleSize",
                                                  [](Input& in) {
                                                    in.options.task_scale = {1.0, 1.0, 1.0};
                                                  },
                                                  {"task_scale", "is 3", "4"}},
                                           Spoilt{"TaskScaleNaN",
                                                  [](Input& in) {
                                                    in.options.task_scale = {1.0, kNaN, 1.0, 1.0};
                                                  },
                                                  {"task_scale", "nan"}},
                                           Spoilt{"TaskScaleNegative",
                                                  [](Input& in) {
                                                    in.options.task_scale = {1.0, 1.0, -3.0, 1.0};
                                                  },
                                                  {"task_scale", "-3"}}),
                         [](const auto& test) { return test.param.name; });

std::function<void(Input&)> give(std::function<void(GivenNoise&)> spoil) {
  return [spoil](Input& in) {
    spoil(in.noise);
    in.options.noise.given = &in.noise;
  };
}

INSTANTIATE_TEST_SUITE_P(
    Noise, BadInput,
    ::testing::Values(
        Spoilt{
            "Layers", give([](GivenNoise& n) { n.push_back(n[0]); }), {"noise.given", "is 2", "1"}},
        Spoilt{"NoLayers", give([](GivenNoise& n) { n.clear(); }), {"noise.given", "is 0", "1"}},
        Spoilt{"Samples",
               give([](GivenNoise& n) { n[0].pop_back(); }),
               {"noise.given[0]", "is 1", "2"}},
        Spoilt{"Rows",
               give([](GivenNoise& n) { n[0][1] = Matrix::Zero(7, 6); }),
               {"noise.given[0]", "[7, 6]", "[8, 6]"}},
        Spoilt{"Columns",
               give([](GivenNoise& n) { n[0][0] = Matrix::Zero(8, 5); }),
               {"noise.given[0]", "[8, 5]", "[8, 6]"}},
        Spoilt{
            "NaN", give([](GivenNoise& n) { n[0][1](2, 3) = kNaN; }), {"noise.given[0]", "nan"}}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Parameters, BadInput,
    ::testing::Values(
        Spoilt{"ZeroLengthscale",
               set_parameter("g0.kernel.lengthscales", 0.0, 1),
               {"g0.kernel.lengthscales[1]", "is 0", "positive"}},
        Spoilt{"NegativeLengthscale",
               set_parameter("f1.kernel.lengthscales", -1.0, 5),
               {"f1.kernel.lengthscales[5]", "is -1", "positive"}},
        Spoilt{"NaNLengthscale",
               set_parameter("h0_1.kernel.lengthscales", kNaN),
               {"h0_1.kernel.lengthscales[0]", "is nan"}},
        Spoilt{"NegativeVariance",
               set_parameter("f0.kernel.variance", -2.0),
               {"f0.kernel.variance", "is -2", "positive"}},
        Spoilt{"InfiniteVariance",
               set_parameter("f0.kernel.variance", kInfinity),
               {"f0.kernel.variance", "is inf"}},
        Spoilt{"ZeroNoise",
               set_parameter("likelihood0.variance", 0.0),
               {"likelihood0.variance", "is 0", "positive"}},
        Spoilt{"NegativeNoise",
               set_parameter("likelihood0.variance", -0.1),
               {"likelihood0.variance", "is -0.1", "positive"}},
        Spoilt{"ZeroOnDiagonal",
               set_parameter("f0.q_sqrt", 0.0, 2, 2),
               {"f0.q_sqrt[0, 2, 2]", "is 0", "diagonal"}},
        Spoilt{"NaNInQSqrt", set_parameter("f0.q_sqrt", kNaN, 3, 1), {"f0.q_sqrt", "is nan"}},
        Spoilt{"NaNInQMu", set_parameter("g1.q_mu", kNaN, 2), {"g1.q_mu", "is nan"}},
        Spoilt{"NaNInZ", set_parameter("g0.Z", kNaN, 1, 2), {"g0.Z[1, 2]", "is nan"}},
        Spoilt{"InfinityInZ", set_parameter("f2.Z", kInfinity, 3, 0), {"f2.Z[3, 0]", "is inf"}}),
    [](const auto& test) { return test.param.name; });

TEST_P(BadInput, IsRefusedByNameAndLeavesTheEvaluatorWorking) {
  const Input good = good_input();
  Input in = good;
  Bound bound(in.model);
  Vector expected, gradient;
  const BoundValue value = bound(in.batch(), in.options, &expected);
  GetParam().spoil(in);
  const std::string message = message_of([&] { bound(in.batch(), in.options, &gradient); });
  expect_parts(message, GetParam().parts);
  expect_parts(message, {"Bound"});

  in.model.parameters.values = good.model.parameters.values;
  EXPECT_EQ(bound(good.batch(), good.options, &gradient).bound, value.bound);
  EXPECT_EQ(gradient, expected);
}

TEST_P(BadInput, IsRefusedWithoutAGradientToo) {
  Input in = good_input();
  Bound bound(in.model);
  GetParam().spoil(in);
  expect_parts(message_of([&] { bound(in.batch(), in.options); }), GetParam().parts);
}

TEST(BadParameters, AreRefusedWhenTheEvaluatorIsMade) {
  Input in = good_input();
  in.parameter("g0.Z")(1, 2) = kNaN;
  expect_parts(message_of([&] { Bound bound(in.model); }), {"Bound", "g0.Z[1, 2]", "is nan"});
}

TEST(BadBatch, WithoutObservationsAtAllIsRefused) {
  const Input in = good_input();
  Bound bound(in.model);
  Batch batch = in.batch();
  batch.observations = nullptr;
  expect_parts(message_of([&] { bound(batch, in.options); }),
               {"Bound", "batch.observations", "empty"});
}

TEST(BadMatrix, ThatNoJitterSavesIsANumericalErrorAndLeavesTheEvaluatorWorking) {
  Input in = good_input();
  Bound bound(in.model);
  Vector expected, gradient;
  const BoundValue value = bound(in.batch(), in.options, &expected);
  const Vector good = in.model.parameters.values;
  in.parameter("h2_0.Z").setConstant(1.0);
  in.parameter("h2_0.kernel.variance").setConstant(0x1p100);
  EXPECT_THROW(bound(in.batch(), in.options, &gradient), NumericalError);
  expect_parts(message_of([&] { bound(in.batch(), in.options); }),
               {"layer 0", "h2_0", "h2_0.kernel.variance = 1.268e+30"});
  in.model.parameters.values = good;
  EXPECT_EQ(bound(in.batch(), in.options, &gradient).bound, value.bound);
  EXPECT_EQ(gradient, expected);
}

// Specifications.
struct BadSpec {
  std::string name, model;
  std::function<void(ModelSpec&)> spoil;
  std::vector<std::string> parts;

  friend std::ostream& operator<<(std::ostream& out, const BadSpec& s) { return out << s.name; }
};

class BadSpecification : public ::testing::TestWithParam<BadSpec> {};

TEST_P(BadSpecification, IsRefusedByName) {
  ModelSpec spec = fixture::small_spec(GetParam().model, 2, fixture::gaussian_tasks());
  GetParam().spoil(spec);
  expect_parts(message_of([&] { make_model(spec); }), GetParam().parts);
}

INSTANTIATE_TEST_SUITE_P(
    Fields, BadSpecification,
    ::testing::Values(
        BadSpec{"Model",
                "smdgp",
                [](ModelSpec& s) { s.model = "xgp"; },
                {"make_model", "'xgp'", "mmdgp"}},
        BadSpec{"PrivateInSmdgp",
                "smdgp",
                [](ModelSpec& s) {
                  s.inner[0].priv = {2, 3};
                },
                {"make_model", "inner[0].priv", "[2, 3]", "empty for smdgp"}},
        BadSpec{"SharedInIdgp",
                "idgp",
                [](ModelSpec& s) { s.inner[0].shared = {2}; },
                {"make_model", "inner[0].shared", "[2]", "empty for idgp"}},
        BadSpec{"NoneInIdgp",
                "idgp",
                [](ModelSpec& s) { s.inner[0].priv = {}; },
                {"make_model", "inner[0].priv", "[]", "not empty for idgp"}},
        BadSpec{"NoPrivateInMmdgp",
                "mmdgp",
                [](ModelSpec& s) { s.inner[0].priv = {}; },
                {"make_model", "inner[0].priv", "[]", "not empty for mmdgp"}},
        BadSpec{"ZeroWidth",
                "mmdgp",
                [](ModelSpec& s) {
                  s.inner[0].shared = {2, 0};
                },
                {"make_model", "inner[0].shared", "is 0"}},
        BadSpec{"NoInnerLayers",
                "cmdgp",
                [](ModelSpec& s) { s.inner.clear(); },
                {"make_model", "inner layers", "is 0"}},
        BadSpec{"NoInputs",
                "igp",
                [](ModelSpec& s) { s.inputs = 0; },
                {"make_model", "inputs", "is 0"}},
        BadSpec{"NoTasks",
                "igp",
                [](ModelSpec& s) { s.tasks.clear(); },
                {"make_model", "tasks", "is 0"}},
        BadSpec{"NoInducing",
                "igp",
                [](ModelSpec& s) { s.top.inducing = 0; },
                {"make_process(f0)", "inducing", "is 0"}},
        BadSpec{"NoRank", "cgp", [](ModelSpec& s) { s.rank = 0; }, {"make_kernel", "rank", "is 0"}},
        BadSpec{"Jitter", "igp", [](ModelSpec& s) { s.jitter = -1.0; }, {"jitter", "is -1"}},
        BadSpec{"White", "smdgp", [](ModelSpec& s) { s.inner[0].white = -0.5; }, {"white", "-0.5"}},
        BadSpec{"Kernel",
                "igp",
                [](ModelSpec& s) { s.top.kernel = "rbf + cosine"; },
                {"make_kernel", "'cosine'", "position 7"}},
        BadSpec{"PcaWithoutRows",
                "smdgp",
                [](ModelSpec& s) { s.inner[0].mean = MeanFunction::pca; },
                {"make_model", "pca_rows", "empty"}},
        BadSpec{"PcaColumns",
                "smdgp",
                [](ModelSpec& s) {
                  s.inner[0].mean = MeanFunction::pca;
                  s.pca_rows = Matrix::Ones(5, 4);
                },
                {"make_model", "pca_rows", "is 4", "3"}},
        BadSpec{"LikelihoodWidthsInCgp",
                "cgp",
                [](ModelSpec& s) {
                  s.tasks[2] = {"softmax", 4};
                },
                {"make_model", "tasks[2]", "is 4", "1"}},
        BadSpec{"LikelihoodWidthsInCmdgp",
                "cmdgp",
                [](ModelSpec& s) {
                  s.tasks[1] = {"robustmax", 3};
                },
                {"make_model", "tasks[1]", "is 3", "1"}},
        BadSpec{"Likelihood",
                "igp",
                [](ModelSpec& s) { s.tasks[0] = {"cauchy"}; },
                {"make_likelihood", "cauchy", "gaussian"}},
        BadSpec{"Classes",
                "igp",
                [](ModelSpec& s) {
                  s.tasks[0] = {"softmax", 1};
                },
                {"make_likelihood", "classes", "is 1"}},
        BadSpec{"NegativeClasses",
                "igp",
                [](ModelSpec& s) {
                  s.tasks[0] = {"softmax", -2};
                },
                {"make_likelihood", "classes", "is -2"}}),
    [](const auto& test) { return test.param.name; });

TEST(BadDefaultSpec, DepthOfOneIsRefused) {
  expect_parts(message_of([] { default_spec("mmdgp", 3, {{}}, 1); }),
               {"default_spec", "depth", "is 1"});
}

}  // namespace
}  // namespace mdgp
