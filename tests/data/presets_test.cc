#include "mdgp/data/presets.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace mdgp {
namespace {

TEST(Presets, AreThePapersThree) {
  EXPECT_EQ(preset_names(),
            (std::vector<std::string_view>{"paper-sarcos", "paper-mnist", "paper-faims"}));
  try {
    find_preset("paper-toy");
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(),
                 "find_preset: 'paper-toy' is not a preset; there are paper-sarcos, paper-mnist, "
                 "paper-faims");
  }
}

// paper.tex, SARCOS: l = 10, v = 1, private v = 0.5, 100 inducing inputs, noise 1e-6, width 10,
// batches of 500 above 1000 rows.
TEST(Presets, SarcosStartsAsInThePaper) {
  const Preset& preset = find_preset("paper-sarcos");
  DataSet data{Matrix::Random(60, 4), {}};
  for (Index r = 0; r < 60; ++r) data.observations.push_back({r, static_cast<int>(r % 2), 0.1});
  Model model = make_model(preset_spec(preset, "mmdgp", 4, {TaskSpec{}, TaskSpec{}}));
  initialise(model, data, preset.initialise);
  EXPECT_EQ(model.parameters.view("g0.kernel.variance")(0, 0), 1.0);
  EXPECT_EQ(model.parameters.view("h1.kernel.variance")(0, 0), 0.5);
  EXPECT_EQ(model.parameters.view("f0.kernel.lengthscales")(2, 0), 10.0);
  EXPECT_EQ(model.parameters.view("likelihood1.variance")(0, 0), 1e-6);
  EXPECT_EQ(model.parameters.view("g0.Z").rows(), 100);
  EXPECT_EQ(model.cascade.layers[0].width[0], 10);
  EXPECT_EQ(preset_training(preset, 1000).batch_rows, 0);
  EXPECT_EQ(preset_training(preset, 2000).batch_rows, 500);
  EXPECT_EQ(preset.train.steps, 10000);
}

// paper.tex, FAIMS: what acts on the data has l = 0.5, v = 1.5 in every model; private beside
// shared l = 1.5; on top of deep models l = 1, v = 2.
TEST(Presets, KernelsOnTheDataStartAlikeInEveryModel) {
  const Preset& preset = find_preset("paper-faims");
  DataSet data{Matrix::Random(60, 4), {}};
  for (Index r = 0; r < 60; ++r) data.observations.push_back({r, static_cast<int>(r % 2), 1.0});
  const auto start = [&](const char* name, const std::string& process) {
    Model model = make_model(preset_spec(preset, name, 4, {{"bernoulli"}, {"bernoulli"}}));
    initialise(model, data, preset.initialise);
    return std::pair(model.parameters.view(process + ".kernel.lengthscales")(0, 0),
                     model.parameters.view(process + ".kernel.variance")(0, 0));
  };
  const std::pair on_data(0.5, 1.5), beside(1.5, 1.5), top(1.0, 2.0);
  EXPECT_EQ(start("igp", "f0"), on_data);
  EXPECT_EQ(start("idgp", "h0"), on_data);
  EXPECT_EQ(start("smdgp", "g0"), on_data);
  EXPECT_EQ(start("mmdgp", "g0"), on_data);
  EXPECT_EQ(start("mmdgp", "h0"), beside);
  for (const char* name : {"idgp", "smdgp", "mmdgp"}) EXPECT_EQ(start(name, "f1"), top) << name;
}

// paper.tex: networks 1e-4, but on MNIST without a posterior 1e-3; batches of 64; constant rates.
TEST(Presets, NetworksLearnAsInThePaper) {
  const auto training = [](const char* name, bool bayesian) {
    return preset_network_training(find_preset(name), bayesian);
  };
  EXPECT_EQ(training("paper-mnist", false).adam.learning_rate, 1e-3);
  EXPECT_EQ(training("paper-mnist", true).adam.learning_rate, 1e-4);
  EXPECT_EQ(training("paper-sarcos", false).adam.learning_rate, 1e-4);
  EXPECT_EQ(training("paper-faims", true).adam.learning_rate, 1e-4);
  EXPECT_EQ(training("paper-faims", false).steps, 20000);
  EXPECT_EQ(training("paper-mnist", true).steps, 10000);
  EXPECT_EQ(training("paper-sarcos", false).batch_rows, 64);
  EXPECT_EQ(training("paper-sarcos", false).schedule, Schedule::constant);
}

TEST(Presets, MnistGivesEachTaskItsInducingInputs) {
  const ModelSpec spec = preset_spec(find_preset("paper-mnist"), "cmdgp", 784,
                                     std::vector<TaskSpec>(3, {"robustmax", 10}));
  EXPECT_EQ(spec.inner[0].inducing, 150);
  EXPECT_EQ(spec.top.inducing, 150);
  EXPECT_EQ(preset_spec(find_preset("paper-mnist"), "smdgp", 784, {TaskSpec{}}).top.inducing, 50);
}

}  // namespace
}  // namespace mdgp
