#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "mdgp/io/options.h"

namespace mdgp {
namespace {

// In a directory of its own, as the test's working directory, so that messages begin "fit.toml".
class Config : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/mdgp_config_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(directory_);
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(directory_);
  }

  static FitSettings read(std::string_view text) {
    std::ofstream("fit.toml", std::ios::binary) << text;
    FitSettings settings;
    read_config("fit.toml", settings);
    return settings;
  }
  static std::string error(std::string_view text) {
    try {
      read(text);
    } catch (const OptionError& e) {
      return e.what();
    }
    return "accepted";
  }

 private:
  std::filesystem::path directory_, before_;
};

TEST_F(Config, SetsWhatItSays) {
  const FitSettings s = read(R"(# a comment
targets = ["torque1", 'torque 2', "x*"]
inputs = "a:c"
types = []
model = "smdgp"
width = 5        # inner functions
steps = 10_000
batch = 1e3
learning-rate = 1e-2
natural-step = 1
propagate-inputs = true
time = "10m"
seed = 9223372036854775807
)");
  EXPECT_EQ(s.targets, "torque1,torque 2,x*");
  EXPECT_EQ(s.inputs, "a:c");
  EXPECT_EQ(s.types, "");
  EXPECT_EQ(s.model, "smdgp");
  EXPECT_EQ(s.width, 5);
  EXPECT_EQ(s.steps, 10000);
  EXPECT_EQ(s.batch, 1000);
  EXPECT_EQ(s.learning_rate, 0.01);
  EXPECT_EQ(s.natural_step, 1.0);
  EXPECT_EQ(s.propagate_inputs, true);
  EXPECT_EQ(s.time, 600.0);
  EXPECT_EQ(s.seed, 9223372036854775807U);
  EXPECT_EQ(s.depth, std::nullopt);
}

TEST_F(Config, TimeMayBeANumber) {
  EXPECT_EQ(read("time = 90").time, 90.0);
  EXPECT_EQ(read("time = 0.5").time, 0.5);
}

TEST_F(Config, LeavesTheRest) {
  std::ofstream("fit.toml") << "width = 5\n";
  FitSettings settings;
  settings.depth = 3;
  settings.width = 7;
  read_config("fit.toml", settings);
  EXPECT_EQ(settings.depth, 3);
  EXPECT_EQ(settings.width, 5);
}

TEST_F(Config, SetsNothingWhereSomethingIsWrong) {
  std::ofstream("fit.toml") << "width = 5\ndepth = 0\n";
  FitSettings settings;
  EXPECT_THROW(read_config("fit.toml", settings), OptionError);
  EXPECT_EQ(settings.width, std::nullopt);
}

TEST_F(Config, MayBeEmptyOrHaveWindowsLines) {
  EXPECT_EQ(read("").width, std::nullopt);
  EXPECT_EQ(read("\xEF\xBB\xBF# byte order mark\r\nwidth = 5\r\n").width, 5);
}

TEST_F(Config, RefusesUnknownKeys) {
  EXPECT_EQ(error("\n\n\nwidht = 5\n"),
            "fit.toml, line 4: unknown key 'widht'; did you mean 'width'?");
  EXPECT_EQ(error("learning_rate = 0.1"),
            "fit.toml, line 1: unknown key 'learning_rate'; did you mean 'learning-rate'?");
  EXPECT_EQ(error("\"a\\nb\" = 5"),
            "fit.toml, line 1: unknown key 'a b'; 'mdgp fit --help' lists them");
}

TEST_F(Config, ReportsTheFirstMistakeOfTheFile) {
  EXPECT_EQ(error("zzzz = 1\naaaa = 2\n"),
            "fit.toml, line 1: unknown key 'zzzz'; 'mdgp fit --help' lists them");
}

TEST_F(Config, RefusesValuesWithTheLine) {
  EXPECT_EQ(error("depth = 2\n\nwidth = 0"),
            "fit.toml, line 3: width is 0, but must be a whole number from 1 to 1000");
  EXPECT_EQ(error("width = 2.5"),
            "fit.toml, line 1: width is 2.5, but must be a whole number from 1 to 1000");
  EXPECT_EQ(error("valid = nan"),
            "fit.toml, line 1: valid is nan, but must be a number from 0 to 0.9");
  EXPECT_EQ(error("balance = \"balancd\""),
            "fit.toml, line 1: balance: 'balancd' is not known; did you mean 'balanced'? (one of "
            "proportional, balanced)");
  EXPECT_EQ(error("time = \"10 minutes\""),
            "fit.toml, line 1: time is '10 minutes', but must be a time such as 90, 90s, 10m or "
            "1.5h");
}

TEST_F(Config, RefusesValuesOfAnotherKind) {
  EXPECT_EQ(error("target = 7"), "fit.toml, line 1: target is 7, but must be text, in quotes");
  EXPECT_EQ(error("mean = true"),
            "fit.toml, line 1: mean is true, but must be one of zero, identity, pca, in quotes");
  EXPECT_EQ(error("width = \"5\""),
            "fit.toml, line 1: width is \"5\", but must be a whole number from 1 to 1000, without "
            "quotes");
  EXPECT_EQ(error("width = true"),
            "fit.toml, line 1: width is 'true', but must be a whole number from 1 to 1000");
  EXPECT_EQ(error("propagate-inputs = 1"),
            "fit.toml, line 1: propagate-inputs is 1, but must be true or false");
  EXPECT_EQ(error("propagate-inputs = \"true\""),
            "fit.toml, line 1: propagate-inputs is \"true\", but must be true or false, without "
            "quotes");
  EXPECT_EQ(error("time = 10:30:00"),
            "fit.toml, line 1: time is a date or time of day, but must be a time such as 90, 90s, "
            "10m or 1.5h");
  EXPECT_EQ(error("seed = 2024-01-01"),
            "fit.toml, line 1: seed is a date or time of day, but must be a whole number from 0 "
            "to 2^64 - 1");
}

TEST_F(Config, RefusesListsThatAreNotOfNames) {
  EXPECT_EQ(error("targets = [\"a\", 2]"),
            "fit.toml, line 1: targets is a list with other things than text, but must be text, in "
            "quotes");
  EXPECT_EQ(error("width = [1, 2]"),
            "fit.toml, line 1: width is a list, but must be a whole number from 1 to 1000");
  EXPECT_EQ(error("model = [\"smdgp\"]"),
            "fit.toml, line 1: model is a list, but must be one of smdgp, mmdgp, cmdgp, idgp, cgp, "
            "igp, exact-gp, exact-icm, mann2, mann3, mbnn2, mbnn3, irf");
}

TEST_F(Config, RefusesSections) {
  const std::string rest =
      " is a section, but a configuration has none; keys stand alone, as in 'width = 5'";
  EXPECT_EQ(error("depth = 2\n[model]\nwidth = 5\n"), "fit.toml, line 2: 'model'" + rest);
  EXPECT_EQ(error("[[model]]\nwidth = 5\n"), "fit.toml, line 1: 'model'" + rest);
  EXPECT_EQ(error("model.width = 5\n"), "fit.toml, line 1: 'model'" + rest);
  EXPECT_EQ(error("model = {width = 5}\n"), "fit.toml, line 1: 'model'" + rest);
}

TEST_F(Config, RefusesWhatIsNotToml) {
  EXPECT_EQ(error("width = 5\nmodel = smdgp\n"),
            "fit.toml, line 2: cannot read value: could not determine value type; text must be in "
            "quotes");
  EXPECT_EQ(error("time = 10m"),
            "fit.toml, line 1: cannot read decimal integer: expected digit, saw 'm'; text must be "
            "in quotes");
  EXPECT_EQ(error("width: 5"),
            "fit.toml, line 1: cannot read key-value pair: expected '=', saw ':'");
  EXPECT_EQ(error("width = 5\ndepth = 2\nwidth = 6\n"),
            "fit.toml, line 3: cannot read key-value pair: cannot redefine existing integer "
            "'width'");
  EXPECT_TRUE(error("a,b,c\n1,2,3\n").starts_with("fit.toml, line 1: cannot read "));
  EXPECT_EQ(error("\xFF\xFE"), "fit.toml, line 1: Encountered invalid utf-8 sequence");
}

// Where an assertion inside toml++ fails.
TEST_F(Config, RefusesWhatTomlDoesNotExpect) {
  const std::string rest = ": is not TOML, which has a key, '=' and a value in each line";
  EXPECT_EQ(error("width = 5\ntargets = [\"a\", }b']\ndepth = 2\n"), "fit.toml, line 2" + rest);
  EXPECT_EQ(error("targets = [\"a\", }b']"), "fit.toml, line 1" + rest);
  EXPECT_EQ(error("seed = 2020-01-01T=0:00:00Z\nwidth = 5\n"), "fit.toml, line 1" + rest);
}

TEST_F(Config, RefusesDeepNesting) {
  const std::string message = error("targets = " + std::string(100000, '['));
  EXPECT_TRUE(message.starts_with("fit.toml, line 1: cannot read ")) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST_F(Config, RefusesFilesThatAreNone) {
  FitSettings settings;
  const auto message = [&](const std::string& path) -> std::string {
    try {
      read_config(path, settings);
    } catch (const OptionError& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message("fit.toml"), "fit.toml: no such file");
  EXPECT_EQ(message("."), ".: is a directory, but must be a file");
  EXPECT_EQ(message("/dev/zero"), "/dev/zero: is larger than 1 MiB, which no configuration is");
}

}  // namespace
}  // namespace mdgp
