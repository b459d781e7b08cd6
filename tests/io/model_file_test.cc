#include "mdgp/io/model_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mdgp/posterior/posterior.h"
#include "testing/fitted_model.h"
#include "testing/temporary_folder.h"

namespace mdgp {
namespace {

FittedModel through_bytes(const FittedModel& fitted) {
  return parse_model(to_safetensors(to_tensors(fitted)), "m.mdgp");
}

void expect_equal(const TensorFile& a, const TensorFile& b) {
  EXPECT_EQ(a.metadata, b.metadata);
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (const auto& [name, tensor] : a.tensors) {
    EXPECT_EQ(b.tensors.at(name).shape, tensor.shape) << name;
    EXPECT_EQ(b.tensors.at(name).values, tensor.values) << name;
  }
}

// Two models that predict the same bits, and of which the same is known.
void expect_same(const FittedModel& a, const FittedModel& b) {
  expect_equal(to_tensors(a), to_tensors(b));
  ASSERT_EQ(a.model.parameters.values, b.model.parameters.values);
  const Posterior one(a.model), other(b.model);
  const Matrix x = Matrix::Random(9, a.spec.inputs);
  for (int t = 0; t < a.model.cascade.tasks; ++t) {
    const Prediction p = one.predict(view_of(x), t, {.samples = 3, .seed = 4}),
                     q = other.predict(view_of(x), t, {.samples = 3, .seed = 4});
    EXPECT_TRUE(p.mean.allFinite());
    EXPECT_EQ(p.mean, q.mean) << "task " << t;
    EXPECT_EQ(p.variance, q.variance) << "task " << t;
  }
}

struct Layout {
  std::string model;
  Index depth;
};
class ModelFile : public testing::TestWithParam<Layout> {
 protected:
  static ModelSpec spec() {
    // Coregionalised tasks have f of one width.
    const std::vector<TaskSpec> tasks =
        fixture::is_coregional(GetParam().model)
            ? std::vector<TaskSpec>{{"gaussian"},
                                    {"student_t"},
                                    {"bernoulli"},
                                    {"poisson"},
                                    {"heavy_tailed"}}
            : std::vector<TaskSpec>{{"gaussian"}, {"student_t"},    {"bernoulli"},
                                    {"poisson"},  {"robustmax", 3}, {"softmax", 4}};
    return fixture::small_spec(GetParam().model, GetParam().depth, tasks);
  }
};
INSTANTIATE_TEST_SUITE_P(Models, ModelFile,
                         testing::Values(Layout{"smdgp", 2}, Layout{"smdgp", 3}, Layout{"mmdgp", 2},
                                         Layout{"mmdgp", 3}, Layout{"cmdgp", 2}, Layout{"cmdgp", 3},
                                         Layout{"idgp", 2}, Layout{"idgp", 3}, Layout{"cgp", 2},
                                         Layout{"igp", 2}),
                         [](const auto& layout) {
                           return fixture::numbered(layout.param.model.c_str(),
                                                    at(layout.param.depth));
                         });

TEST_P(ModelFile, PredictsTheSameBits) {
  const FittedModel fitted = fixture::fitted_model(spec(), 5);
  expect_same(fitted, through_bytes(fitted));
}

TEST_P(ModelFile, KeepsTheMapOfTheInputs) {
  FittedModel fitted = fixture::fitted_model(spec(), 7);
  fixture::Random random(8);
  fixture::reduce_columns(fitted, fitted.spec.inputs + 3, random);
  const FittedModel back = through_bytes(fitted);
  expect_same(fitted, back);
  EXPECT_EQ(back.schema.reduction, "sparse-pca");
  EXPECT_EQ(back.schema.projection, fitted.schema.projection);
  EXPECT_EQ(back.schema.input_width(), fitted.spec.inputs);
}

TEST_P(ModelFile, KeepsTheMeanFunctions) {
  for (const MeanFunction mean : {MeanFunction::zero, MeanFunction::pca}) {
    ModelSpec with_mean = spec();
    for (LayerSpec& layer : with_mean.inner) layer.mean = mean;
    const FittedModel fitted = fixture::fitted_model(with_mean, 6);
    const FittedModel back = through_bytes(fitted);
    expect_same(fitted, back);
    for_processes(fitted.model.cascade, [&](const Process& p, std::size_t l, std::size_t) {
      const auto& others = back.model.cascade.layers[l].processes;
      const auto same = std::find_if(others.begin(), others.end(),
                                     [&](const Process& other) { return other.name == p.name; });
      ASSERT_NE(same, others.end());
      EXPECT_EQ(same->mean_weights, p.mean_weights) << p.name;
    });
  }
}

TEST_P(ModelFile, KeepsTheStructure) {
  ModelSpec other = spec();
  other.propagate_inputs = true;
  other.rank = 1;
  other.jitter = 3e-5;
  other.top.kernel = "rbf + linear";
  other.top.ard = false;
  for (LayerSpec& layer : other.inner) {
    layer.kernel = "matern32 * linear";
    layer.white = 0.0;
  }
  const FittedModel fitted = fixture::fitted_model(other, 7);
  const FittedModel back = through_bytes(fitted);
  expect_same(fitted, back);
  EXPECT_EQ(back.model.cascade.jitter, 3e-5);
  EXPECT_EQ(back.spec.top.kernel, "rbf + linear");
}

TEST(ModelFile, KeepsAnInducingInputForEveryObservation) {
  for (const char* model : {"exact-gp", "exact-icm", "smdgp", "cmdgp"}) {
    ModelSpec spec = default_spec(model, 2, {TaskSpec{}, TaskSpec{}}, 2, 2, 3);
    spec.top_inducing = {4, 7};
    const FittedModel fitted = fixture::fitted_model(spec, 8);
    const FittedModel back = through_bytes(fitted);
    expect_same(fitted, back);
    EXPECT_EQ(back.spec.top_inducing, spec.top_inducing);
  }
}

TEST(ModelFile, KeepsTheMembers) {
  const ModelSpec spec = fixture::small_spec("smdgp", 2, fixture::gaussian_tasks());
  FittedModel fitted = fixture::fitted_model(spec, 5);
  const Parameters& own = fitted.model.parameters;
  for (unsigned m = 0; m < 3; ++m) {
    Vector values = fixture::random_model(spec, 20 + m).parameters.values;
    const Parameter& same = own[own.find("g0.Z")];
    values.segment(same.offset, same.size()) = own.values.segment(same.offset, same.size());
    fitted.model.members.push_back(values);
  }
  const TensorFile file = to_tensors(fitted);
  EXPECT_FALSE(file.tensors.contains("members.g0.Z"));
  EXPECT_EQ(file.tensors.at("members.likelihood0.variance").shape, (std::vector<Index>{3, 1, 1}));
  const FittedModel loaded = from_tensors(file, "here");
  EXPECT_EQ(loaded.model.members, fitted.model.members);
  expect_same(fitted, loaded);

  const auto damaged = [&](auto change) {
    TensorFile other = file;
    change(other.tensors.at("members.likelihood0.variance"));
    EXPECT_THROW(from_tensors(other, "here"), FileError);
  };
  damaged([](Tensor& t) { t.values[1] = -1.0; });
  damaged([](Tensor& t) { t.shape = {2, 1, 1}, t.values.pop_back(); });
  damaged([](Tensor& t) { t.shape = {3, 1, 0}, t.values.clear(); });
  TensorFile many = file;  // what would take 1 TB
  std::erase_if(many.tensors, [](const auto& t) { return t.first.starts_with("members."); });
  many.tensors["members.likelihood0.variance"] = {{Index{1} << 40U, 1, 1}, {}};
  EXPECT_THROW(from_tensors(many, "here"), FileError);
  many.tensors.erase("members.likelihood0.variance");
  EXPECT_THROW(from_tensors(many, "here"), FileError);  // version 2 without members
  many.metadata["mdgp"] = "1";
  EXPECT_NO_THROW(from_tensors(many, "here"));
  many.tensors["members.nothing"] = {{2, 1}, {1.0, 1.0}};
  EXPECT_THROW(from_tensors(many, "here"), FileError);
}

TEST(ModelFile, IsWrittenAndReadWhole) {
  const fixture::TemporaryFolder folder;
  const FittedModel fitted = fixture::fitted_model(fixture::tiny_spec("mmdgp", {{}, {}}), 1);
  save_model(folder.file("m.mdgp"), fitted);
  expect_same(fitted, load_model(folder.file("m.mdgp")));
  EXPECT_EQ(read_whole_file(folder.file("m.mdgp")), to_safetensors(to_tensors(fitted)));
  EXPECT_THROW(load_model(folder.file("other")), FileError);
}

TEST(ModelFile, KeepsWhatColumnsMean) {
  FittedModel fitted = fixture::fitted_model(fixture::tiny_spec("igp", {{"softmax", 3}}), 1);
  fitted.spec.inputs = 4;
  fitted.model = fixture::random_model(fitted.spec, 1);
  const std::string odd = "a \"quoted\", \\ name\nwith 漢字";
  fitted.schema.wide = false;
  fitted.schema.task_column = odd;
  fitted.schema.target_column = "y";
  fitted.schema.inputs = {{"x", false, {}, 1.0 / 3.0, 1e-30},
                          {"colour", true, {"", "1", odd}, 0.0, 1.0}};
  fitted.schema.tasks[0].labels = {"1", "2", "größe"};
  fitted.schema.tasks[0].observed = 123456789012;
  fitted.settings = {{"", ""}, {"types", odd}};
  const Schema schema = through_bytes(fitted).schema;
  EXPECT_FALSE(schema.wide);
  EXPECT_EQ(schema.task_column, odd);
  EXPECT_EQ(schema.target_column, "y");
  ASSERT_EQ(schema.inputs.size(), 2U);
  EXPECT_EQ(schema.inputs[0].mean, 1.0 / 3.0);
  EXPECT_EQ(schema.inputs[0].deviation, 1e-30);
  EXPECT_TRUE(schema.inputs[1].text);
  EXPECT_EQ(schema.inputs[1].words, fitted.schema.inputs[1].words);
  ASSERT_EQ(schema.tasks.size(), 1U);
  EXPECT_EQ(schema.tasks[0].kind, TaskKind::classes);
  EXPECT_EQ(schema.tasks[0].labels, fitted.schema.tasks[0].labels);
  EXPECT_EQ(schema.tasks[0].observed, 123456789012);
  expect_same(fitted, through_bytes(fitted));
}

TEST(ModelFile, KeepsTheRecordOfTraining) {
  FittedModel fitted = fixture::fitted_model(fixture::tiny_spec("igp", {{}}), 1);
  fitted.training.held_out = {{"rmse", 0.1}, {"nlpp", std::nan("")}};
  fitted.training.points = {
      {0, -1e300}, {7, 1.0 / 3.0}, {8, -std::numeric_limits<double>::infinity()}};
  const TrainingNotes notes = through_bytes(fitted).training;
  EXPECT_EQ(notes.source, "rows.csv");
  EXPECT_EQ(notes.rows, 40);
  EXPECT_EQ(notes.observations, 80);
  EXPECT_EQ(notes.steps, 100);
  EXPECT_EQ(notes.outcome, "all steps done");
  ASSERT_EQ(notes.points.size(), 3U);
  EXPECT_EQ(notes.points[1].step, 7);
  EXPECT_EQ(notes.points[1].bound, 1.0 / 3.0);
  EXPECT_FALSE(std::isfinite(notes.points[2].bound));
  EXPECT_EQ(notes.held_out.at("rmse"), 0.1);
  EXPECT_TRUE(std::isnan(notes.held_out.at("nlpp")));
}

// It must not fail after hours of training.
TEST(ModelFile, TakesAnyBytesAsTheNameOfTheTable) {
  FittedModel fitted = fixture::fitted_model(fixture::tiny_spec("igp", {{}}), 1);
  fitted.training.source = "caf\xE9.csv";
  EXPECT_EQ(through_bytes(fitted).training.rows, 40);
}

TEST(ModelFile, HoldsTrianglesAsMatrices) {
  const FittedModel fitted = fixture::fitted_model(fixture::tiny_spec("smdgp", {{}}), 1);
  const Tensor q = to_tensors(fitted).tensors.at("g0.q_sqrt");
  const Process& process = fitted.model.cascade.layers[0].processes[0];
  ASSERT_EQ(q.shape, (std::vector<Index>{2, 2, 2}));
  for (Index p = 0; p < 2; ++p) {
    const Matrix L = q_sqrt_triangle(process, fitted.model.parameters, p);
    for (Index i = 0; i < 2; ++i) {
      for (Index j = 0; j < 2; ++j) {
        EXPECT_EQ(q.values[at(4 * p + 2 * i + j)], L(i, j));
      }
    }
  }
  const Tensor Z = to_tensors(fitted).tensors.at("f0.Z");
  ASSERT_EQ(Z.shape, (std::vector<Index>{2, 2}));
  EXPECT_EQ(Z.values[1], fitted.model.parameters.view("f0.Z")(0, 1));
}

}  // namespace
}  // namespace mdgp
