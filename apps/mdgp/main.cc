#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <functional>
#include <iostream>
#include <new>
#include <stdexcept>

#include "commands.h"
#include "mdgp/io/options.h"
#include "mdgp/layers/cascade.h"
#include "output.h"
#include "wrong_call.h"

namespace {

namespace program = mdgp::program;

// Checks of values, in our words.
std::string check_level(const std::string& text) {
  double level = 0.0;
  if (CLI::detail::lexical_cast(text, level) && level > 0.0 && level < 1.0) return "";
  return fmt::format("{} is not a level between 0 and 1, such as 0.95", text);
}

std::string check_seed(const std::string& text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  std::uint64_t seed = 0;
  if (digits && CLI::detail::lexical_cast(text, seed)) return "";
  return fmt::format("{} is not a whole number from 0 to 2^64 - 1", text);
}

void add_seed(CLI::App* command, std::uint64_t& seed, const char* help) {
  command->add_option("--seed", seed, help)->capture_default_str()->check(check_seed);
}

void add_threads(CLI::App* command, int& threads) {
  command->add_option("--threads", threads, "threads to use (default: all)")
      ->check(CLI::Range(1, 256));
}

void add_demo(CLI::App& app, std::function<int()>& run) {
  static program::DemoOptions o;
  CLI::App* demo = app.add_subcommand("demo", "the paper's two-task toy, fitted and drawn");
  demo->add_option("--out", o.out, "directory for the page and the picture")->capture_default_str();
  add_seed(demo, o.seed, "of data and draws");
  demo->add_option("--steps", o.steps, "training steps of each model")
      ->capture_default_str()
      ->check(CLI::Range(1L, 1000000L));
  add_threads(demo, o.threads);
  demo->callback([&run] { run = [] { return program::demo(o); }; });
}

void add_toy(CLI::App& experiment, std::function<int()>& run) {
  static program::ToyExperimentOptions o;
  CLI::App* toy =
      experiment.add_subcommand("toy", "the toy over several seeds, with standard errors");
  toy->add_option("--runs", o.runs, "seeds")->capture_default_str()->check(CLI::Range(1, 10000));
  add_seed(toy, o.seed, "the first seed");
  toy->add_option("--steps", o.steps, "training steps of each model")
      ->capture_default_str()
      ->check(CLI::Range(1L, 1000000L));
  add_threads(toy, o.threads);
  toy->callback([&run] { run = [] { return program::experiment_toy(o); }; });
}

std::string check_size(const std::string& text) {
  long size = 0;
  if (CLI::detail::lexical_cast(text, size) && size >= 14) return "";
  return fmt::format("{} is not a whole number from 14 on (two points of each torque)", text);
}

std::string check_protocol(const std::string& text) {
  if (text == "clean" || text == "paper" || text == "held-out") return "";
  return fmt::format("'{}' is not known (one of clean, paper, held-out)", text);
}

// `fallback`: what is used without --data; `runs`: what a run is; `preset`: the one that fits.
void add_experiment_flags(CLI::App* command, const char* files, const char* fallback,
                          const char* runs, const char* preset, program::ExperimentOptions& o) {
  command->add_option(
      "--data", o.data,
      fmt::format("directory with {} (default: $MDGP_DATA, else {})", files, fallback));
  command->add_option("--models", o.models, "some of the models, such as smdgp,igp (default: all)")
      ->delimiter(',');
  command->add_option("--runs", o.runs, runs)->capture_default_str()->check(CLI::Range(1, 10000));
  add_seed(command, o.seed, "of draws and fits");
  command->add_option("--preset", o.preset,
                      fmt::format("{}: the paper's settings (default: mdgp's)", preset));
  command->add_option("--out", o.out, "directory for the results; a second call goes on with them")
      ->capture_default_str();
  command->add_option("--jobs", o.jobs, "fits at once (default: as many as threads)")
      ->check(CLI::Range(1, 256));
  add_threads(command, o.threads);
}

void add_sarcos(CLI::App& experiment, std::function<int()>& run) {
  static program::SarcosExperimentOptions o;
  o.common.out = "sarcos-results";
  CLI::App* sarcos =
      experiment.add_subcommand("sarcos", "inverse dynamics of a robot arm: the paper's tables");
  add_experiment_flags(sarcos, "the SARCOS files", "a simulated arm",
                       "draws of training points of each size", "paper-sarcos", o.common);
  sarcos
      ->add_option(
          "--protocol", o.protocol,
          "clean: training points are not among the test rows; paper: they may be; held-out: "
          "tested on a fifth of the training pool, for choosing settings")
      ->capture_default_str()
      ->check(check_protocol);
  sarcos
      ->add_option("--sizes", o.sizes,
                   "numbers of training points (default: 100,200,500,1000,2000,5000)")
      ->delimiter(',')
      ->check(check_size);
  sarcos->callback([&run] { run = [] { return program::experiment_sarcos(o); }; });
}

void add_mnist(CLI::App& experiment, std::function<int()>& run) {
  static program::MnistExperimentOptions o;
  o.common.out = "mnist-results";
  CLI::App* mnist = experiment.add_subcommand(
      "mnist", "digits on three kinds of background: the paper's table and figures");
  add_experiment_flags(mnist, "the MNIST files", "digits drawn by rule", "draws of training images",
                       "paper-mnist", o.common);
  mnist->add_option("--size", o.size, "training images of each task")
      ->capture_default_str()
      ->check(CLI::Range(1L, 1000000L));
  mnist->add_option("--steps", o.steps, "training steps (default: as the model's settings say)")
      ->check(CLI::Range(1L, 1000000L));
  mnist->callback([&run] { run = [] { return program::experiment_mnist(o); }; });
}

void add_faims(CLI::App& experiment, std::function<int()>& run) {
  static program::ExperimentOptions o;
  o.out = "faims-results";
  CLI::App* faims = experiment.add_subcommand(
      "faims", "cases and controls from three measurements each: the paper's table");
  add_experiment_flags(faims, "parkinson_replicated.csv", "a simulated FAIMS study",
                       "splits of the subjects", "paper-faims", o);
  faims->callback([&run] { run = [] { return program::experiment_faims(o); }; });
}

void add_experiment(CLI::App& app, std::function<int()>& run) {
  CLI::App* experiment = app.add_subcommand("experiment", "the paper's experiments");
  experiment->require_subcommand(1);
  add_toy(*experiment, run);
  add_sarcos(*experiment, run);
  add_mnist(*experiment, run);
  add_faims(*experiment, run);
}

// Its flags come from the description of the options.
void add_fit(CLI::App& app, std::function<int()>& run) {
  static program::FitOptions o;
  CLI::App* fit = app.add_subcommand("fit", "fits a model to a table");
  fit->add_option("TABLE", o.table, "CSV (also gzipped), .npy, .npz or .mat; - for standard input")
      ->required();
  fit->add_option("-o,--out", o.out, "the model file to write")->required();
  fit->add_option("--config", o.config, "a TOML file with any of the settings below");
  fit->add_flag_callback(
      "--options",
      [] {
        std::fputs(mdgp::options_markdown().c_str(), stdout);  // flushed() sees whether it arrives
        throw CLI::Success();
      },
      "prints docs/options.md, the page about the settings below");
  fit->add_flag("--resume", o.resume, "goes on with a run that was interrupted");
  add_threads(fit, o.threads);
  for (const mdgp::Option& option : mdgp::fit_options()) {
    const std::string key(option.key);
    fit->add_option_function<std::string>(
           "--" + key, [key](const std::string& text) { o.flags.emplace_back(key, text); },
           std::string(option.help))
        ->type_name(std::string(option.value))
        ->group(std::string(option.group));
  }
  fit->callback([&run] { run = [] { return program::fit(o); }; });
}

void add_predict(CLI::App& app, std::function<int()>& run) {
  static program::PredictOptions o;
  CLI::App* predict = app.add_subcommand("predict", "predictions for every row of a table, as CSV");
  predict->add_option("MODEL", o.model, "a model file")->required();
  predict->add_option("TABLE", o.table, "as for fit")->required();
  predict->add_option("-o,--out", o.out, "the CSV file to write (default: standard output)");
  predict->add_option("--quantiles", o.quantiles, "levels, such as 0.05,0.5,0.95")
      ->delimiter(',')
      ->check(check_level);
  predict
      ->add_option("--samples", o.samples,
                   "draws of the inner layers for each row, one of each member at least")
      ->capture_default_str()
      ->check(CLI::Range(1L, static_cast<long>(mdgp::kMaxSamples)));
  add_seed(predict, o.seed, "of these draws");
  add_threads(predict, o.threads);
  predict->callback([&run] { run = [] { return program::predict(o); }; });
}

void add_evaluate(CLI::App& app, std::function<int()>& run) {
  static program::EvaluateOptions o;
  CLI::App* evaluate =
      app.add_subcommand("evaluate", "how good a model is on a table with targets");
  evaluate->add_option("MODEL", o.model, "a model file")->required();
  evaluate->add_option("TABLE", o.table, "as for fit")->required();
  evaluate->add_flag("--json", o.json, "JSON instead of a table");
  evaluate
      ->add_option("--samples", o.samples,
                   "draws of the inner layers for each row, one of each member at least")
      ->capture_default_str()
      ->check(CLI::Range(1L, static_cast<long>(mdgp::kMaxSamples)));
  add_seed(evaluate, o.seed, "of these draws");
  add_threads(evaluate, o.threads);
  evaluate->callback([&run] { run = [] { return program::evaluate(o); }; });
}

void add_info(CLI::App& app, std::function<int()>& run) {
  static std::string model;
  CLI::App* info = app.add_subcommand("info", "what is in a model file");
  info->add_option("MODEL", model, "a model file")->required();
  info->callback([&run] { run = [] { return program::info(model); }; });
}

// The code, once all that was printed has arrived.
int flushed(int code) {
  std::cout.flush();
  program::flush_standard_output();
  return code;
}

int fail(const std::string& what, int code) {
  std::cout.flush();
  fmt::print(stderr, "mdgp: {}\n", what);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Multi-task deep Gaussian processes: several related predictions, with error bars."};
  app.set_version_flag("--version", "mdgp " MDGP_VERSION);
  app.require_subcommand(1);
  std::function<int()> run;
  add_fit(app, run);
  add_predict(app, run);
  add_evaluate(app, run);
  add_info(app, run);
  add_demo(app, run);
  add_experiment(app, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    const int code = app.exit(help);  // prints what was asked for
    run = [code] { return code; };
  } catch (const CLI::ParseError& error) {
    return program::wrong_call(app, error, argc, argv);
  }
  try {
    return flushed(run());
  } catch (const std::invalid_argument& error) {
    return fail(error.what(), 2);
  } catch (const std::bad_alloc&) {
    return fail("out of memory", 1);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}
