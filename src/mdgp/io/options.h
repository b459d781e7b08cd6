// Every setting of a fit, described once: the table in options.cc makes the flags of `mdgp fit`,
// the keys of a configuration file, docs/options.md, and what a model file remembers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mdgp/linalg/matrix.h"

namespace mdgp {

// Where a member is optional, "not set" means: chosen from the data (io/choose.h).
struct FitSettings {
  // The table's columns.
  std::string task, target;     // long form
  std::string targets;          // wide form: names, ranges a:b, globs; separated by commas
  std::string inputs;           // the same; empty: all other columns
  std::string types;            // "name=count,other=binary"
  std::string reduce = "none";  // of the inputs: none, pca, sparse-pca
  std::optional<Index> components;

  // The model.
  std::string preset;  // paper-sarcos, …
  std::optional<std::string> model;
  std::optional<Index> depth, width, inducing;
  std::optional<std::string> kernel;
  std::optional<std::string> mean;
  std::optional<bool> propagate_inputs;
  Index rank = 2;
  std::optional<std::string> regression;   // likelihood of regression tasks
  std::string classification = "softmax";  // likelihood of multi-class tasks
  std::optional<double> noise, lengthscale;
  std::optional<std::string> inducing_inputs;  // kmeans, rows
  std::optional<bool> priors;
  std::optional<Index> hyperparameter_samples;
  std::optional<Index> units;  // networks
  std::optional<double> dropout, l2;
  std::optional<std::string> weight_prior;
  std::optional<double> kl_weight;
  std::optional<Index> trees;  // forests

  // Training.
  std::optional<std::string> optimiser;  // adam, lbfgs
  std::optional<Index> steps, batch, samples;
  std::optional<double> learning_rate;
  std::optional<std::string> schedule, natural_gradient;
  std::optional<double> natural_step;
  Index kl_warmup = 0;
  std::string balance = "proportional";
  double valid = 0.0;  // share of rows held out
  Index patience = 0;
  double time = 0.0;  // seconds; 0: no limit
  std::uint64_t seed = 1;
};

// Bad text, key or value. One line; begins with where it stood.
struct OptionError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

using Member = std::variant<std::string FitSettings::*, std::optional<std::string> FitSettings::*,
                            Index FitSettings::*, std::optional<Index> FitSettings::*,
                            double FitSettings::*, std::optional<double> FitSettings::*,
                            std::optional<bool> FitSettings::*, std::uint64_t FitSettings::*>;

struct Option {
  std::string_view key;         // "learning-rate": the flag without dashes, the key in a file
  std::string_view group = {};  // "table", "model", "training"
  std::string_view value;       // what stands for it in help: "N", "COLUMN", "SECONDS"
  std::string_view help;        // half a line; ends without a full stop
  Member member;
  std::string_view automatic = {};  // for docs: what "not set" means
  double least = 0.0, most = 0.0;   // numbers; both 0: any finite
  bool above = false;               // least itself is too small
  bool duration = false;            // "90", "90s", "10m", "1.5h"
  bool list = false;                // text separated by commas; a file may give it as a list
  std::vector<std::string_view> choices = {};  // text; empty: any
  // Text: where it is wrong in another way, throws std::invalid_argument that says what is.
  void (*check)(std::string_view text) = nullptr;
};

const std::vector<Option>& fit_options();
const Option* find_option(std::string_view key);

// Parses and checks. `where` begins the message: "--width" or "fit.toml, line 3". Empty text takes
// a setting back to "not set", where it can be that. Throws OptionError: "--width is 0, but must be
// a whole number from 1 to 1000", "fit.toml, line 3: width is 0, but must be …".
void set_option(FitSettings& settings, const Option& option, std::string_view text,
                std::string_view where);
// The value as text that set_option() takes; empty where not set.
std::string option_text(const FitSettings& settings, const Option& option);
// What a value must be: "a whole number from 1 to 1000", "one of constant, cosine, plateau".
std::string option_range(const Option& option);
bool takes_text(const Option& option);  // its member is text, not a number or a truth value

// Sets what a TOML file sets (flat keys, "width = 5"). Throws OptionError with file and line:
// "fit.toml, line 4: unknown key 'widht'; did you mean 'width'?"; then nothing is set.
void read_config(const std::string& path, FitSettings& settings);

// Text from outside as a message may show it: on one line, and cut where it is long.
std::string shown(std::string_view text, std::size_t most_bytes = 60);

// docs/options.md, whole.
std::string options_markdown();

}  // namespace mdgp
