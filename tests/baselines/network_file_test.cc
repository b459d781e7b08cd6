// A network in the program's files: the same bits when read back, damaged ones refused, runs that
// go on where they were, and what the settings make of it.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "../../fuzz/use_model.h"
#include "mdgp/baselines/baseline.h"
#include "mdgp/baselines/network.h"
#include "mdgp/io/checkpoint.h"
#include "mdgp/io/run_plan.h"
#include "mdgp/posterior/inspect.h"
#include "mdgp/posterior/joint_samples.h"
#include "testing/fitted_model.h"
#include "testing/temporary_folder.h"

namespace mdgp {
namespace {

using Json = nlohmann::json;

FittedModel fitted_network(std::string_view name) {
  fixture::Random random(1);
  FittedModel fitted;
  fitted.spec.model = name;
  fitted.spec.inputs = 2;
  fitted.spec.tasks = {{"gaussian"}, {"softmax", 3}, {"bernoulli"}};
  fitted.spec.inner.clear();
  fitted.spec.network.units = network_units(name, 4);
  fitted.schema = fixture::random_schema(fitted.spec, random);
  fitted.model = make_network_model(fitted.spec);
  initialise_network(fitted.spec, 0.1, 1, fitted.model);
  return fitted;
}

class NetworkFiles : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, NetworkFiles, ::testing::Values("mann2", "mann3", "mbnn2", "mbnn3"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(NetworkFiles, PredictTheSameBitsWhenReadBack) {
  const FittedModel fitted = fitted_network(GetParam());
  const FittedModel back = from_tensors(to_tensors(fitted), "m.mdgp");
  EXPECT_EQ(back.model.parameters.values, fitted.model.parameters.values);
  EXPECT_EQ(back.spec.network.units, fitted.spec.network.units);
  EXPECT_EQ(back.spec.network.dropout, fitted.spec.network.dropout);
  EXPECT_EQ(back.spec.network.l2, fitted.spec.network.l2);
  EXPECT_EQ(back.spec.network.fan_in_prior, fitted.spec.network.fan_in_prior);
  EXPECT_EQ(back.spec.network.kl_weight, fitted.spec.network.kl_weight);
  const Matrix x = Matrix::Random(5, 2);
  const Posterior one = make_posterior(fitted.spec, fitted.model);
  const Posterior other = make_posterior(back.spec, back.model);
  for (int t = 0; t < 3; ++t) {
    EXPECT_EQ(one.predict(view_of(x), t).mean, other.predict(view_of(x), t).mean);
    EXPECT_EQ(one.predict(view_of(x), t).variance, other.predict(view_of(x), t).variance);
  }
}

// As files were before there was a choice.
TEST(NetworkFile, WithoutAPriorHasThatOfThePaper) {
  TensorFile file = to_tensors(fitted_network("mbnn2"));
  Json json = Json::parse(file.metadata.at("structure"));
  json["network"].erase("fan_in_prior");
  json["network"].erase("kl_weight");
  file.metadata["structure"] = json.dump();
  const NetworkSpec network = from_tensors(file, "m.mdgp").spec.network;
  EXPECT_FALSE(network.fan_in_prior);
  EXPECT_EQ(network.kl_weight, 1.0);
}

std::string outcome(const TensorFile& file) {
  try {
    from_tensors(file, "m.mdgp");
  } catch (const FileError& e) {
    EXPECT_EQ(std::string_view(e.what()).find('\n'), std::string_view::npos);
    return e.what();
  }
  return "loads";
}

std::string with_structure(const char* pointer, const Json& value) {
  TensorFile file = to_tensors(fitted_network("mbnn3"));
  Json json = Json::parse(file.metadata.at("structure"));
  json[Json::json_pointer(pointer)] = value;
  file.metadata["structure"] = json.dump();
  return outcome(file);
}

TEST(DamagedNetwork, StructuresAreRefused) {
  EXPECT_EQ(with_structure("/network/l2", 0.5), "loads");
  for (const Json& units : {Json{4}, Json{4, 4, 4}, Json{4, 0}, Json{4, -1}, Json{4, 5}, Json{5, 4},
                            Json{4, 1 << 30}, Json{4, 1e300}, Json{4, "4"}, Json(), Json("x")}) {
    EXPECT_NE(with_structure("/network/units", units), "loads") << units.dump();
  }
  for (const Json& value : {Json(-0.1), Json(1.0), Json("0.2"), Json()}) {
    EXPECT_NE(with_structure("/network/dropout", value), "loads") << value.dump();
  }
  EXPECT_NE(with_structure("/network/l2", -1.0), "loads");
  EXPECT_NE(with_structure("/network/l2", nullptr), "loads");
  EXPECT_EQ(with_structure("/network/fan_in_prior", false), "loads");
  EXPECT_NE(with_structure("/network/fan_in_prior", 1), "loads");
  for (const Json& value : {Json(-0.1), Json(0.0), Json("1"), Json()}) {
    EXPECT_NE(with_structure("/network/kl_weight", value), "loads") << value.dump();
  }
  EXPECT_NE(with_structure("/network", 7), "loads");
  EXPECT_NE(with_structure("/network", Json::object()), "loads");
  EXPECT_NE(with_structure("/model", "mbnn2"), "loads");
  EXPECT_NE(with_structure("/model", "mmdgp"), "loads");
  EXPECT_NE(with_structure("/inputs", 3), "loads");
  EXPECT_NE(with_structure("/inputs", Index{1} << 39), "loads");
}

TEST(DamagedNetwork, NumbersAreRefusedOrPredictedWithoutACrash) {
  for (const char* name : {"mann2", "mbnn3"}) {
    const TensorFile whole = to_tensors(fitted_network(name));
    for (const auto& [tensor, values] : whole.tensors) {
      TensorFile file = whole;
      file.tensors.at(tensor).values.at(0) = std::nan("");
      EXPECT_NE(outcome(file), "loads") << tensor;
      file = whole;
      file.tensors.erase(tensor);
      EXPECT_TRUE(outcome(file).starts_with("m.mdgp: damaged: ")) << tensor;
      for (const double value : {0.0, 1e300, -1e300, 1e6}) {
        file = whole;
        for (double& each : file.tensors.at(tensor).values) each = value;
        fuzz::use_model(to_safetensors(file));
      }
    }
  }
}

TEST(Baseline, HasNothingOfGaussianProcessesToShow) {
  const FittedModel fitted = fitted_network("mann2");
  const Posterior posterior = make_posterior(fitted.spec, fitted.model);
  const Matrix x = Matrix::Zero(2, 2);
  EXPECT_THROW(ard_weights(fitted.model), std::invalid_argument);
  EXPECT_THROW(inner_functions(posterior, view_of(x), 0, 2, 1), std::invalid_argument);
  EXPECT_THROW(joint_samples(posterior, view_of(x), {0}, 2, 1), std::invalid_argument);
}

TEST(Baseline, NamesAreKnown) {
  for (const std::string_view name : baseline_names()) EXPECT_TRUE(is_baseline(name));
  for (const std::string_view name : all_model_names()) EXPECT_FALSE(is_baseline(name));
  EXPECT_EQ(known_model_names().size(), baseline_names().size() + all_model_names().size());
}

struct Problem {
  Schema schema;
  DataSet data{Matrix::Random(60, 2), {}};
  Problem() {
    fixture::Random random(1);
    ModelSpec spec;
    spec.inputs = 2;
    spec.tasks = {{"gaussian"}, {"gaussian"}};
    schema = fixture::random_schema(spec, random);
    for (Index i = 0; i < 60; ++i) {
      data.observations.push_back({i, static_cast<int>(i % 2), data.x(i, 0) - data.x(i, 1)});
    }
  }
};

FitSettings settings_for(const char* model) {
  FitSettings settings;
  settings.model = model;
  settings.steps = 20;
  settings.batch = 16;
  settings.units = 8;
  return settings;
}

TEST_P(NetworkFiles, ResumedRunsAreTheSameToTheBit) {
  const Problem problem;
  const FitPlan plan = choose(settings_for(GetParam()), problem.schema, problem.data);
  const PlanResult whole = run_plan(plan, problem.data);
  EXPECT_EQ(whole.steps, 20);

  Checkpoint half;
  half.fitted.schema = problem.schema;
  half.fitted.spec = plan.spec;
  half.fitted.model = start_model(plan, problem.data);
  train_plan(plan, plan.train, problem.data, half.fitted.model, half.state,
             [](const TrainRecord& record, const Model&, const TrainState&) {
               return record.step == 8 ? TrainAction::stop : TrainAction::go_on;
             });
  const fixture::TemporaryFolder folder;
  const std::string path = folder.file("run.checkpoint");
  save_checkpoint(path, half);
  Checkpoint back = load_checkpoint(path);
  train_plan(plan, plan.train, problem.data, back.fitted.model, back.state);
  EXPECT_EQ(back.fitted.model.parameters.values, whole.model.parameters.values);
}

std::string refusal(const FitSettings& settings) {
  const Problem problem;
  try {
    choose(settings, problem.schema, problem.data);
  } catch (const OptionError& e) {
    return e.what();
  }
  return "chosen";
}

TEST(ChooseNetwork, OptionsOfGaussianProcessesAreRefused) {
  const auto with = [](const char* model, const char* key, const char* value) {
    FitSettings settings = settings_for(model);
    set_option(settings, *find_option(key), value, key);
    return refusal(settings);
  };
  EXPECT_EQ(with("mann2", "kernel", "rbf"),
            "--kernel rbf: for Gaussian processes; mann2 is a network");
  for (const char* key : {"depth", "width", "inducing", "rank", "lengthscale"}) {
    EXPECT_NE(with("mbnn3", key, "3"), "chosen") << key;
  }
  EXPECT_NE(with("mann2", "optimiser", "lbfgs"), "chosen");
  EXPECT_EQ(with("mann2", "optimiser", "adam"), "chosen");
  EXPECT_NE(with("mann2", "classification", "robustmax"), "chosen");
  EXPECT_NE(with("mann2", "kl-warmup", "5"), "chosen");
  EXPECT_EQ(with("mbnn2", "kl-warmup", "5"), "chosen");
  EXPECT_EQ(with("mbnn2", "dropout", "0.5"),
            "--dropout 0.5: for mann2 and mann3; mbnn2 has a prior instead");
  EXPECT_EQ(with("mann3", "dropout", "0.5"), "chosen");
  FitSettings gp;
  gp.units = 5;
  EXPECT_EQ(refusal(gp), "--units 5: for networks: mann2, mann3, mbnn2, mbnn3");
}

TEST(ChooseNetwork, SettingsAreRememberedAndGiveTheSamePlan) {
  const Problem problem;
  FitSettings settings;
  settings.model = "mann3";
  const FitPlan plan = choose(settings, problem.schema, problem.data);
  EXPECT_EQ(plan.spec.network.units, (std::vector<Index>{128, 128}));
  EXPECT_EQ(plan.settings.at("dropout"), "0.2");
  EXPECT_EQ(plan.settings.at("units"), "128");
  EXPECT_EQ(plan.settings.at("model"), "mann3");
  FitSettings again;
  for (const auto& [key, text] : plan.settings) set_option(again, *find_option(key), text, key);
  EXPECT_EQ(choose(again, problem.schema, problem.data).settings, plan.settings);
}

TEST(ChooseNetwork, PresetsAreThePapers) {
  const Problem problem;
  FitSettings settings;
  settings.model = "mann2";
  settings.preset = "paper-faims";
  const FitPlan plan = choose(settings, problem.schema, problem.data);
  EXPECT_EQ(plan.train.steps, 20000);
  EXPECT_EQ(plan.train.adam.learning_rate, 1e-4);
  EXPECT_EQ(plan.train.schedule, Schedule::constant);
}

}  // namespace
}  // namespace mdgp
