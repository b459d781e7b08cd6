#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <functional>
#include <iostream>
#include <new>
#include <stdexcept>

#include "commands.h"
#include "mdgp/data/near_name.h"
#include "mdgp/io/options.h"

namespace {

namespace program = mdgp::program;

std::vector<std::string_view> flags_of(const CLI::App& app, std::vector<std::string>& storage) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) storage.push_back("--" + name);
  }
  return {storage.begin(), storage.end()};
}

// The command that was called, as deep as it goes.
const CLI::App& called(const CLI::App& app) {
  const std::vector<CLI::App*> below = app.get_subcommands();
  return below.empty() ? app : called(*below.front());
}

// "; did you mean '--width'?" for a flag or a command that does not exist.
std::string suggestion(const CLI::App& app, int argc, char** argv) {
  const CLI::App& command = called(app);
  std::vector<std::string> storage;
  std::vector<std::string_view> names = flags_of(command, storage);
  for (const CLI::App* sub : command.get_subcommands(nullptr)) names.push_back(sub->get_name());
  for (int i = 1; i < argc; ++i) {
    const std::string_view word =
        std::string_view(argv[i]).substr(0, std::string_view(argv[i]).find('='));
    if (word.size() < 2 || std::find(names.begin(), names.end(), word) != names.end()) continue;
    if (!word.starts_with("--") && &command != &app) continue;
    const std::string_view near = mdgp::nearest(word, names);
    if (!near.empty()) return fmt::format("; did you mean '{}'?", near);
  }
  return "";
}

// The first line of what CLI11 says, without its hint to run --help on a second one.
int wrong_call(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::string what = error.what();
  what.resize(std::min(what.size(), what.find('\n')));
  const CLI::App& command = called(app);
  const std::string near = suggestion(app, argc, argv);
  fmt::print(stderr, "mdgp: {}{}; see mdgp {}--help\n", what, near,
             &command == &app ? "" : command.get_name() + " ");
  return 2;
}

void add_threads(CLI::App* command, int& threads) {
  command->add_option("--threads", threads, "threads to use (default: all)")
      ->check(CLI::Range(1, 256));
}

void add_demo(CLI::App& app, std::function<int()>& run) {
  static program::DemoOptions o;
  CLI::App* demo = app.add_subcommand("demo", "the paper's two-task toy, fitted and drawn");
  demo->add_option("--out", o.out, "directory for the page and the picture")->capture_default_str();
  demo->add_option("--seed", o.seed, "of data and draws")->capture_default_str();
  demo->add_option("--steps", o.steps, "training steps of each model")
      ->capture_default_str()
      ->check(CLI::Range(1L, 1000000L));
  add_threads(demo, o.threads);
  demo->callback([&run] { run = [] { return program::demo(o); }; });
}

void add_experiment(CLI::App& app, std::function<int()>& run) {
  static program::ToyExperimentOptions o;
  CLI::App* experiment = app.add_subcommand("experiment", "the paper's experiments");
  experiment->require_subcommand(1);
  CLI::App* toy =
      experiment->add_subcommand("toy", "the toy over several seeds, with standard errors");
  toy->add_option("--runs", o.runs, "seeds")->capture_default_str()->check(CLI::Range(1, 10000));
  toy->add_option("--seed", o.seed, "the first seed")->capture_default_str();
  toy->add_option("--steps", o.steps, "training steps of each model")
      ->capture_default_str()
      ->check(CLI::Range(1L, 1000000L));
  add_threads(toy, o.threads);
  toy->callback([&run] { run = [] { return program::experiment_toy(o); }; });
}

// Its flags come from the description of the options.
void add_fit(CLI::App& app, std::function<int()>& run) {
  static program::FitOptions o;
  CLI::App* fit = app.add_subcommand("fit", "fits a model to a table");
  fit->add_option("TABLE", o.table, "CSV (also gzipped), .npy, .npz or .mat; - for standard input")
      ->required();
  fit->add_option("-o,--out", o.out, "the model file to write")->required();
  fit->add_option("--config", o.config, "a TOML file with any of the settings below");
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
      ->check(CLI::Range(1e-9, 1.0 - 1e-9));
  predict->add_option("--samples", o.samples, "draws of the inner layers for each row")
      ->capture_default_str()
      ->check(CLI::Range(1L, 100000L));
  predict->add_option("--seed", o.seed, "of these draws")->capture_default_str();
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
  evaluate->add_option("--samples", o.samples, "draws of the inner layers for each row")
      ->capture_default_str()
      ->check(CLI::Range(1L, 100000L));
  evaluate->add_option("--seed", o.seed, "of these draws")->capture_default_str();
  add_threads(evaluate, o.threads);
  evaluate->callback([&run] { run = [] { return program::evaluate(o); }; });
}

void add_info(CLI::App& app, std::function<int()>& run) {
  static std::string model;
  CLI::App* info = app.add_subcommand("info", "what is in a model file");
  info->add_option("MODEL", model, "a model file")->required();
  info->callback([&run] { run = [] { return program::info(model); }; });
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
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return wrong_call(app, error, argc, argv);
  }
  try {
    return run();
  } catch (const std::invalid_argument& error) {
    return fail(error.what(), 2);
  } catch (const std::bad_alloc&) {
    return fail("out of memory", 1);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}
