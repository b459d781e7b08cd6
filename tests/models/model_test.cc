// The six builders: which processes they make, how these are named and shaped, and the defaults.
#include "mdgp/models/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "testing/random_model.h"

namespace mdgp {
namespace {

struct Expected {
  std::string name;
  Index inputs, inducing, width;
  bool white;
};

// small_spec: D = 3, shared {2, 1} with M = 3, private {1, 2} with M = 3, top M = 4; three tasks,
// of which where not coregionalised the second has three classes.
struct Builder {
  std::string model;
  Index depth;
  bool propagate_inputs;
  std::vector<Expected> processes;

  friend std::ostream& operator<<(std::ostream& out, const Builder& b) {
    return out << b.model << " depth " << b.depth;
  }
};

std::vector<Builder> builders() {
  return {
      {"smdgp",
       2,
       false,
       {{"g0", 3, 3, 2, true},
        {"g1", 3, 3, 1, true},
        {"f0", 3, 4, 1, false},
        {"f1", 3, 4, 3, false},
        {"f2", 3, 4, 1, false}}},
      {"smdgp",
       3,
       true,
       {{"g0_0", 3, 3, 2, true},
        {"g0_1", 3, 3, 1, true},
        {"g1_0", 6, 3, 2, true},
        {"g1_1", 6, 3, 1, true},
        {"f0", 6, 4, 1, false},
        {"f1", 6, 4, 3, false},
        {"f2", 6, 4, 1, false}}},
      {"mmdgp",
       2,
       true,
       {{"g0", 3, 3, 2, true},
        {"g1", 3, 3, 1, true},
        {"h0_0", 3, 3, 1, true},
        {"h1_0", 3, 3, 1, true},
        {"h2_0", 3, 3, 1, true},
        {"h0_1", 3, 3, 2, true},
        {"h1_1", 3, 3, 2, true},
        {"h2_1", 3, 3, 2, true},
        {"f0", 9, 4, 1, false},
        {"f1", 9, 4, 3, false},
        {"f2", 9, 4, 1, false}}},
      {"mmdgp",
       3,
       false,
       {{"g0_0", 3, 3, 2, true},
        {"g0_1", 3, 3, 1, true},
        {"h0_0_0", 3, 3, 1, true},
        {"h0_1_0", 3, 3, 1, true},
        {"h0_2_0", 3, 3, 1, true},
        {"h0_0_1", 3, 3, 2, true},
        {"h0_1_1", 3, 3, 2, true},
        {"h0_2_1", 3, 3, 2, true},
        {"g1_0", 6, 3, 2, true},
        {"g1_1", 6, 3, 1, true},
        {"h1_0_0", 6, 3, 1, true},
        {"h1_1_0", 6, 3, 1, true},
        {"h1_2_0", 6, 3, 1, true},
        {"h1_0_1", 6, 3, 2, true},
        {"h1_1_1", 6, 3, 2, true},
        {"h1_2_1", 6, 3, 2, true},
        {"f0", 6, 4, 1, false},
        {"f1", 6, 4, 3, false},
        {"f2", 6, 4, 1, false}}},
      {"cmdgp", 2, false, {{"g0", 3, 3, 2, true}, {"g1", 3, 3, 1, true}, {"f", 3, 4, 1, false}}},
      {"cmdgp",
       3,
       false,
       {{"g0_0", 3, 3, 2, true},
        {"g0_1", 3, 3, 1, true},
        {"g1_0", 3, 3, 2, true},
        {"g1_1", 3, 3, 1, true},
        {"f", 3, 4, 1, false}}},
      {"idgp",
       2,
       false,
       {{"h0_0", 3, 3, 1, true},
        {"h1_0", 3, 3, 1, true},
        {"h2_0", 3, 3, 1, true},
        {"h0_1", 3, 3, 2, true},
        {"h1_1", 3, 3, 2, true},
        {"h2_1", 3, 3, 2, true},
        {"f0", 3, 4, 1, false},
        {"f1", 3, 4, 3, false},
        {"f2", 3, 4, 1, false}}},
      {"idgp",
       3,
       false,
       {{"h0_0_0", 3, 3, 1, true},
        {"h0_1_0", 3, 3, 1, true},
        {"h0_2_0", 3, 3, 1, true},
        {"h0_0_1", 3, 3, 2, true},
        {"h0_1_1", 3, 3, 2, true},
        {"h0_2_1", 3, 3, 2, true},
        {"h1_0_0", 3, 3, 1, true},
        {"h1_1_0", 3, 3, 1, true},
        {"h1_2_0", 3, 3, 1, true},
        {"h1_0_1", 3, 3, 2, true},
        {"h1_1_1", 3, 3, 2, true},
        {"h1_2_1", 3, 3, 2, true},
        {"f0", 3, 4, 1, false},
        {"f1", 3, 4, 3, false},
        {"f2", 3, 4, 1, false}}},
      {"cgp", 2, false, {{"f", 3, 4, 1, false}}},
      {"igp", 2, false, {{"f0", 3, 4, 1, false}, {"f1", 3, 4, 3, false}, {"f2", 3, 4, 1, false}}},
  };
}

using Shapes = std::map<std::string, std::pair<Index, Index>>;

class BuilderTest : public ::testing::TestWithParam<Builder> {
 protected:
  BuilderTest() {
    ModelSpec spec =
        fixture::small_spec(GetParam().model, GetParam().depth, {{}, {}, {"student_t"}});
    if (!fixture::is_coregional(GetParam().model)) spec.tasks[1] = {"robustmax", 3};
    spec.propagate_inputs = GetParam().propagate_inputs;
    spec.inner[0].white = 0.02;
    model_ = make_model(spec);
  }

  Shapes expected_shapes() const {
    Shapes shapes;
    for (const Expected& p : GetParam().processes) {
      shapes[p.name + ".kernel.variance"] = {1, 1};
      shapes[p.name + ".kernel.lengthscales"] = {p.inputs, 1};
      if (p.white) shapes[p.name + ".kernel.white.variance"] = {1, 1};
      if (fixture::is_coregional(GetParam().model)) {
        shapes[p.name + ".kernel.coregion.W"] = {3, 2};
        shapes[p.name + ".kernel.coregion.kappa"] = {3, 1};
      }
      shapes[p.name + ".Z"] = {p.inducing, p.inputs};
      shapes[p.name + ".q_mu"] = {p.inducing, p.width};
      shapes[p.name + ".q_sqrt"] = {p.inducing, p.inducing * p.width};
    }
    shapes["likelihood0.variance"] = {1, 1};
    if (fixture::is_coregional(GetParam().model)) shapes["likelihood1.variance"] = {1, 1};
    shapes["likelihood2.scale"] = {1, 1};
    shapes["likelihood2.degrees_of_freedom"] = {1, 1};
    return shapes;
  }

  Model model_;
};

INSTANTIATE_TEST_SUITE_P(Models, BuilderTest, ::testing::ValuesIn(builders()),
                         [](const auto& test) {
                           return test.param.model + std::to_string(test.param.depth);
                         });

TEST_P(BuilderTest, ParametersHaveTheirNamesAndShapes) {
  Shapes shapes;
  for (const Parameter& p : model_.parameters.table) shapes[p.name] = {p.rows, p.cols};
  EXPECT_EQ(shapes, expected_shapes());
}

// 1 + D for the kernel, M (D + P + M P) for Z and q, what white noise and coregionalisation add.
TEST_P(BuilderTest, NumberOfParametersIsThatOfTheFormula) {
  Index count = 0;
  for (const Expected& p : GetParam().processes) {
    count += 1 + p.inputs + p.inducing * (p.inputs + p.width + p.inducing * p.width);
    if (p.white) count += 1;
    if (fixture::is_coregional(GetParam().model)) count += 3 * 2 + 3;
  }
  EXPECT_EQ(model_.likelihoods_begin, count);
  EXPECT_EQ(model_.parameters.size(), count + (fixture::is_coregional(GetParam().model) ? 4 : 3));
}

TEST_P(BuilderTest, ProcessesComeInOrderAndServeTheirTasks) {
  std::size_t next = 0;
  for_processes(model_.cascade, [&](const Process& process, std::size_t layer, std::size_t) {
    ASSERT_LT(next, GetParam().processes.size());
    EXPECT_EQ(process.name, GetParam().processes[next++].name);
    EXPECT_EQ(process.layer, static_cast<Index>(layer));
    const bool is_private = process.name[0] == 'h' ||
                            (process.name[0] == 'f' && !fixture::is_coregional(GetParam().model));
    EXPECT_EQ(process.tasks.size(), is_private ? 1U : 0U) << process.name;
  });
  EXPECT_EQ(next, GetParam().processes.size());
}

TEST_P(BuilderTest, RangesOfProcessesFollowEachOther) {
  Index end = 0;
  for_processes(model_.cascade, [&](const Process& process, std::size_t, std::size_t) {
    EXPECT_EQ(process.begin, end) << process.name;
    end = process.end;
  });
  EXPECT_EQ(end, model_.likelihoods_begin);
}

TEST_P(BuilderTest, InducingInputsAreDealtToTheTasksInTurn) {
  for_processes(model_.cascade, [&](const Process& process, std::size_t, std::size_t) {
    std::vector<int> dealt = {0, 1, 2, 0};
    dealt.resize(static_cast<std::size_t>(process.inducing));
    if (!fixture::is_coregional(GetParam().model)) dealt.clear();
    EXPECT_EQ(process.Z_task, dealt) << process.name;
  });
}

TEST_P(BuilderTest, WhiteNoiseAndDegreesOfFreedomAreFixedAndAllElseIsLearned) {
  for (const Parameter& p : model_.parameters.table) {
    const bool fixed = p.name.ends_with("white.variance") || p.name.ends_with("degrees_of_freedom");
    EXPECT_EQ(p.trainable, !fixed) << p.name;
  }
}

TEST_P(BuilderTest, WhiteNoiseIsThatOfItsLayer) {
  for_processes(model_.cascade, [&](const Process& process, std::size_t layer, std::size_t) {
    if (layer + 1 == model_.cascade.layers.size()) return;
    EXPECT_EQ(model_.parameters.view(process.name + ".kernel.white.variance")(0, 0),
              layer == 0 ? 0.02 : LayerSpec{}.white);
  });
}

TEST_P(BuilderTest, PosteriorBeginsAtThePrior) {
  for_processes(model_.cascade, [&](const Process& process, std::size_t, std::size_t) {
    EXPECT_EQ(kl_divergence(process, model_.parameters, 1.0, nullptr), 0.0) << process.name;
  });
}

TEST_P(BuilderTest, OnlyInnerProcessesHaveAMean) {
  for_processes(model_.cascade, [&](const Process& process, std::size_t layer, std::size_t) {
    const bool top = layer + 1 == model_.cascade.layers.size();
    EXPECT_EQ(process.mean_weights.size(), top ? 0 : process.inputs * process.width)
        << process.name;
  });
}

TEST(MakeModel, WithoutWhiteNoiseThereIsNoSuchParameter) {
  ModelSpec spec = fixture::small_spec("smdgp", 2, fixture::gaussian_tasks());
  spec.inner[0].white = 0.0;
  const Model model = make_model(spec);
  EXPECT_THROW(model.parameters.find("g0.kernel.white.variance"), std::invalid_argument);
}

TEST(MakeModel, OneLengthscaleForAllInputsWhereNotArd) {
  ModelSpec spec = fixture::small_spec("igp", 1, fixture::gaussian_tasks());
  spec.top.ard = false;
  const Model model = make_model(spec);
  EXPECT_EQ(model.parameters.view("f0.kernel.lengthscales").size(), 1);
}

TEST(ModelNames, AreTheSixOfTheDesign) {
  const auto names = model_names();
  EXPECT_EQ(std::vector<std::string>(names.begin(), names.end()), fixture::kModels);
}

struct Widths {
  std::string model;
  Index width;
  std::vector<Index> shared, priv;
};

class DefaultSpec : public ::testing::TestWithParam<Widths> {};

TEST_P(DefaultSpec, HasThePapersWidthsInEveryInnerLayer) {
  const ModelSpec spec = default_spec(GetParam().model, 5, {{}, {}}, 3, GetParam().width, 20);
  ASSERT_EQ(spec.inner.size(), 2U);
  for (const LayerSpec& layer : spec.inner) {
    EXPECT_EQ(layer.shared, GetParam().shared);
    EXPECT_EQ(layer.priv, GetParam().priv);
    EXPECT_EQ(layer.inducing, 20);
  }
  EXPECT_EQ(spec.top.inducing, 20);
  EXPECT_NO_THROW(make_model(spec));
}

INSTANTIATE_TEST_SUITE_P(
    Models, DefaultSpec,
    ::testing::Values(Widths{"smdgp", 10, {10}, {}}, Widths{"mmdgp", 10, {5}, {5}},
                      Widths{"mmdgp", 7, {4}, {3}}, Widths{"mmdgp", 1, {1}, {1}},
                      Widths{"cmdgp", 10, {10}, {}}, Widths{"idgp", 10, {}, {10}}));

TEST(DefaultSpecOfShallowModels, MakesOneLayer) {
  for (const char* name : {"cgp", "igp"}) {
    EXPECT_EQ(make_model(default_spec(name, 5, {{}, {}})).cascade.layers.size(), 1U) << name;
  }
}

}  // namespace
}  // namespace mdgp
