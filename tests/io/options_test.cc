#include "mdgp/io/options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>

#include "mdgp/baselines/baseline.h"
#include "mdgp/data/presets.h"
#include "mdgp/models/model.h"

namespace mdgp {
namespace {

std::string flag(std::string_view key) { return std::string("--").append(key); }

void set(FitSettings& settings, std::string_view key, std::string_view text) {
  set_option(settings, *find_option(key), text, flag(key));
}

// What set_option says of it, and that it changes nothing then.
std::string error(std::string_view key, std::string_view text, const std::string& where = "") {
  FitSettings settings;
  const Option& option = *find_option(key);
  try {
    set_option(settings, option, text, where.empty() ? flag(key) : where);
  } catch (const OptionError& e) {
    EXPECT_EQ(option_text(settings, option), option_text({}, option));
    return e.what();
  }
  return "accepted";
}

std::string accepted(std::string_view key, std::string_view text) {
  FitSettings settings;
  set(settings, key, text);
  return option_text(settings, *find_option(key));
}

// A value that is not the default.
std::string sample_value(const Option& option) {
  if (!option.choices.empty()) return std::string(option.choices.back());
  if (option.key == "kernel") return "rbf + linear * white";
  if (takes_text(option)) return "joint*, x y:é";
  if (option.key == "propagate-inputs" || option.key == "priors") return "true";
  if (option.key == "seed") return "18446744073709551615";
  const bool real = option_range(option).starts_with("a number") || option.duration;
  return real ? "0.30000000000000004" : "7";
}

TEST(Options, DescribeEveryMemberOnce) {
  // Does not compile where FitSettings has another number of members than 43.
  [[maybe_unused]] const auto [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6,
                               b7, b8, b9, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, d0, d1, d2, d3,
                               d4, d5, d6, d7, d8, d9, e0, e1, e2] = FitSettings{};
  EXPECT_EQ(fit_options().size(), 43U);
  std::set<std::string_view> keys;
  for (const Option& option : fit_options()) {
    keys.insert(option.key);
    for (const Option& other : fit_options()) {
      EXPECT_EQ(option.member == other.member, &option == &other) << option.key;
    }
  }
  EXPECT_EQ(keys.size(), 43U);
}

TEST(Options, AreDescribedInWords) {
  for (const Option& option : fit_options()) {
    EXPECT_FALSE(option.help.empty() || option.help.ends_with('.')) << option.key;
    EXPECT_FALSE(option.value.empty()) << option.key;
    EXPECT_TRUE(option.group == "table" || option.group == "model" || option.group == "training");
    EXPECT_EQ(option.key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
              std::string::npos);
    // What "not set" means is told just where a setting can be that.
    EXPECT_EQ(option.automatic.empty(), !option_text({}, option).empty()) << option.key;
  }
}

TEST(Options, AreFoundByKey) {
  for (const Option& option : fit_options()) EXPECT_EQ(find_option(option.key), &option);
  EXPECT_EQ(find_option("widht"), nullptr);
  EXPECT_EQ(find_option(""), nullptr);
  EXPECT_EQ(find_option("--width"), nullptr);
}

TEST(Options, DefaultsAreValuesThatTheyTake) {
  for (const Option& option : fit_options()) {
    const std::string text = option_text({}, option);
    EXPECT_EQ(accepted(option.key, text), text) << option.key;
  }
}

TEST(Options, ReadWhatTheyWrite) {
  for (const Option& option : fit_options()) {
    const std::string value = sample_value(option);
    EXPECT_NE(value, option_text({}, option)) << option.key;
    EXPECT_EQ(accepted(option.key, value), value) << option.key;
  }
}

TEST(Options, SetTheirMember) {
  FitSettings settings;
  set(settings, "width", "5");
  set(settings, "learning-rate", "1e-3");
  set(settings, "propagate-inputs", "false");
  set(settings, "model", "smdgp");
  set(settings, "natural-step", "1");
  EXPECT_EQ(settings.width, 5);
  EXPECT_EQ(settings.learning_rate, 1e-3);
  EXPECT_EQ(settings.propagate_inputs, false);
  EXPECT_EQ(settings.model, "smdgp");
  EXPECT_EQ(settings.natural_step, 1.0);
}

TEST(Options, EmptyTextTakesBack) {
  FitSettings settings;
  for (const std::string_view key : {"width", "model", "noise", "propagate-inputs", "preset"}) {
    set(settings, key, sample_value(*find_option(key)));
    EXPECT_NE(option_text(settings, *find_option(key)), "");
    set(settings, key, "");
    EXPECT_EQ(option_text(settings, *find_option(key)), "");
  }
  EXPECT_EQ(error("rank", ""), "--rank is '', but must be a whole number from 1 to 100");
  EXPECT_EQ(error("balance", ""), "--balance: '' is not known (one of proportional, balanced)");
}

TEST(Options, TakeTheEndsOfTheirRange) {
  struct Case {
    std::string_view key, least, most, below, beyond;
  };
  for (const Case& c : std::array<Case, 9>{{{"depth", "1", "10", "0", "11"},
                                            {"width", "1", "1000", "0", "1001"},
                                            {"inducing", "1", "5000", "0", "5001"},
                                            {"steps", "1", "10000000", "0", "10000001"},
                                            {"batch", "0", "10000000", "-1", "10000001"},
                                            {"valid", "0", "0.9", "-0.1", "0.91"},
                                            {"learning-rate", "1e-300", "1", "0", "1.01"},
                                            {"natural-step", "1e-300", "1", "0", "1.01"},
                                            {"patience", "0", "10000000", "-1", "10000001"}}}) {
    EXPECT_EQ(accepted(c.key, c.least), c.least);
    EXPECT_EQ(accepted(c.key, c.most), c.most);
    EXPECT_NE(error(c.key, c.below), "accepted") << c.key;
    EXPECT_NE(error(c.key, c.beyond), "accepted") << c.key;
  }
}

TEST(Options, RefuseNumbersWithTheirRange) {
  EXPECT_EQ(error("width", "0"), "--width is 0, but must be a whole number from 1 to 1000");
  EXPECT_EQ(error("width", "0", "fit.toml, line 3"),
            "fit.toml, line 3: width is 0, but must be a whole number from 1 to 1000");
  EXPECT_EQ(error("width", "2.5"), "--width is 2.5, but must be a whole number from 1 to 1000");
  EXPECT_EQ(error("width", "five"), "--width is 'five', but must be a whole number from 1 to 1000");
  EXPECT_EQ(error("width", "5 "), "--width is '5 ', but must be a whole number from 1 to 1000");
  EXPECT_EQ(error("steps", "-5"), "--steps is -5, but must be a whole number from 1 to 10000000");
  EXPECT_EQ(error("learning-rate", "0"),
            "--learning-rate is 0, but must be a number above 0 and at most 1");
  EXPECT_EQ(error("valid", "1"), "--valid is 1, but must be a number from 0 to 0.9");
  EXPECT_EQ(error("seed", "-1"), "--seed is -1, but must be a whole number from 0 to 2^64 - 1");
  EXPECT_EQ(error("seed", "18446744073709551616"),
            "--seed is 18446744073709551616, but must be a whole number from 0 to 2^64 - 1");
  EXPECT_EQ(error("propagate-inputs", "yes"),
            "--propagate-inputs is 'yes', but must be true or false");
}

TEST(Options, RefuseNumbersThatAreNotFinite) {
  for (const std::string_view text : {"nan", "inf", "-inf"}) {
    for (const std::string_view key : {"width", "noise", "valid", "time", "seed"}) {
      EXPECT_NE(error(key, text), "accepted") << key;
    }
  }
  EXPECT_EQ(error("noise", "nan"), "--noise is nan, but must be a number above 0 and at most 10");
  EXPECT_NE(error("noise", "1e999"), "accepted");
}

TEST(Options, WholeNumbersMayHaveAnExponent) {
  EXPECT_EQ(accepted("steps", "1e4"), "10000");
  EXPECT_EQ(accepted("seed", "2e3"), "2000");
  EXPECT_NE(error("steps", "1e-1"), "accepted");
  EXPECT_NE(error("seed", "1e300"), "accepted");
}

TEST(Options, TimeHasUnits) {
  EXPECT_EQ(accepted("time", "90"), "90");
  EXPECT_EQ(accepted("time", "90s"), "90");
  EXPECT_EQ(accepted("time", "10m"), "600");
  EXPECT_EQ(accepted("time", "1.5h"), "5400");
  EXPECT_EQ(accepted("time", "-0"), "0");
  for (const std::string_view text : {"h", "10 m", "1h30m", "10min", "m10", "-1s", "1e308h", ""}) {
    EXPECT_NE(error("time", text), "accepted") << text;
  }
  EXPECT_EQ(error("time", "2 days"),
            "--time is '2 days', but must be a time such as 90, 90s, 10m or 1.5h");
}

TEST(Options, RefuseUnknownChoicesWithTheNearest) {
  EXPECT_EQ(error("model", "smdpg"),
            "--model: 'smdpg' is not known; did you mean 'smdgp'? (one of smdgp, mmdgp, cmdgp, "
            "idgp, cgp, igp, exact-gp, exact-icm, mann2, mann3, mbnn2, mbnn3, irf)");
  EXPECT_EQ(error("optimiser", "sgd", "fit.toml, line 3"),
            "fit.toml, line 3: optimiser: 'sgd' is not known (one of adam, lbfgs)");
  EXPECT_EQ(error("schedule", "Cosine"),
            "--schedule: 'Cosine' is not known; did you mean 'cosine'? (one of constant, cosine, "
            "plateau)");
}

TEST(Options, ChoicesAreTheNamesOfTheLibrary) {
  EXPECT_EQ(find_option("model")->choices, known_model_names());
  EXPECT_EQ(find_option("preset")->choices, preset_names());
}

TEST(Options, RefuseWhatIsNotAKernel) {
  EXPECT_EQ(accepted("kernel", "matern32 + linear"), "matern32 + linear");
  EXPECT_EQ(error("kernel", "matern52 + rbg"),
            "--kernel: 'matern52 + rbg', position 12: 'rbg' is not a kernel; there are rbf, "
            "matern12, matern32, matern52, linear, constant, white, coregion, private, tasklinear");
  EXPECT_EQ(error("kernel", "rbf * coregion"),
            "--kernel: coregion is not for here; the models cmdgp and cgp multiply it in");
  EXPECT_EQ(accepted("kernel", "rbf + private"), "rbf + private");
  EXPECT_NE(error("kernel", "rbf + private * coregion"), "accepted");
  EXPECT_NE(error("kernel", " "), "accepted");
}

TEST(Options, MessagesAreOneShortLine) {
  const std::string message = error("model", std::string(100000, 'x'));
  EXPECT_LT(message.size(), 200U);
  EXPECT_EQ(error("width", "5\n6"), "--width is '5 6', but must be a whole number from 1 to 1000");
  EXPECT_EQ(error("kernel", "a\nb").find('\n'), std::string::npos);
  EXPECT_LT(error("kernel", std::string(100000, 'x')).size(), 400U);
}

TEST(Shown, CutsBetweenCharacters) {
  EXPECT_EQ(shown("abc", 3), "abc");
  EXPECT_EQ(shown("abcd", 3), "abc…");
  EXPECT_EQ(shown("abé", 3), "ab…");
  EXPECT_EQ(shown("a\r\n\tb\x7F"), "a   b ");
}

TEST(OptionsMarkdown, HasEveryOptionInItsTable) {
  const std::string page = options_markdown();
  for (const Option& option : fit_options()) {
    EXPECT_NE(page.find("\n| `" + flag(option.key) + "` | "), std::string::npos) << option.key;
  }
  EXPECT_NE(page.find("\n| `--depth` | N | 2 | layers of Gaussian processes; 1 is a shallow model; "
                      "a whole number from 1 to 10 |\n"),
            std::string::npos);
  EXPECT_NE(page.find("| `--schedule` | NAME | cosine | "), std::string::npos);
}

TEST(OptionsMarkdown, TablesHaveFourColumns) {
  const std::string page = options_markdown();
  for (std::size_t begin = 0; begin < page.size();) {
    const std::size_t end = page.find('\n', begin);
    ASSERT_NE(end, std::string::npos);
    const std::string line = page.substr(begin, end - begin);
    if (line.starts_with('|')) {
      EXPECT_EQ(std::ranges::count(line, '|'), 5) << line;
    }
    begin = end + 1;
  }
}

TEST(Options, TheirPageIsUpToDate) {
  std::ifstream file(MDGP_DOCS "/options.md", std::ios::binary);
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(page, options_markdown()) << "mdgp fit --options > docs/options.md";
}

}  // namespace
}  // namespace mdgp
