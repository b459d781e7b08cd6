#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <stdexcept>

#include "commands.h"

namespace {

// The first line of what CLI11 says, without its hint to run --help on a second one.
int wrong_call(const CLI::ParseError& error) {
  std::string what = error.what();
  what.resize(std::min(what.size(), what.find('\n')));
  fmt::print(stderr, "mdgp: {}; see mdgp --help\n", what);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Multi-task deep Gaussian processes: several related predictions, with error bars."};
  app.set_version_flag("--version", "mdgp " MDGP_VERSION);
  app.require_subcommand(1);

  mdgp::program::DemoOptions demo_options;
  CLI::App* demo = app.add_subcommand("demo", "the paper's two-task toy, fitted and drawn");
  demo->add_option("--out", demo_options.out, "directory for the page and the picture")
      ->capture_default_str();
  demo->add_option("--seed", demo_options.seed, "of data and draws")->capture_default_str();
  demo->add_option("--steps", demo_options.steps, "training steps of each model")
      ->capture_default_str()
      ->check(CLI::Range(1L, 1000000L));
  demo->add_option("--threads", demo_options.threads, "threads to use (default: all)")
      ->check(CLI::Range(1, 256));

  mdgp::program::ToyExperimentOptions toy_options;
  CLI::App* experiment = app.add_subcommand("experiment", "the paper's experiments");
  experiment->require_subcommand(1);
  CLI::App* toy =
      experiment->add_subcommand("toy", "the toy over several seeds, with standard errors");
  toy->add_option("--runs", toy_options.runs, "seeds")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000));
  toy->add_option("--seed", toy_options.seed, "the first seed")->capture_default_str();
  toy->add_option("--steps", toy_options.steps, "training steps of each model")
      ->capture_default_str()
      ->check(CLI::Range(1L, 1000000L));
  toy->add_option("--threads", toy_options.threads, "threads to use (default: all)")
      ->check(CLI::Range(1, 256));

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return wrong_call(error);
  }
  try {
    if (demo->parsed()) return mdgp::program::demo(demo_options);
    if (toy->parsed()) return mdgp::program::experiment_toy(toy_options);
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "mdgp: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "mdgp: {}\n", error.what());
    return 1;
  }
  return 0;
}
