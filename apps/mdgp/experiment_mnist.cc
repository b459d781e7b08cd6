#include <fmt/format.h>

#include <set>

#include "experiment.h"
#include "grid.h"
#include "mdgp/io/options.h"
#include "mdgp/models/model.h"
#include "mnist/claims.h"
#include "mnist/mnist.h"
#include "mnist/mnist_report.h"

namespace mdgp::program {
namespace {

using experiments::Job;
using experiments::MnistData;
using experiments::Record;

// A preset is the paper's, and has its models: no forest and no yardstick.
std::vector<std::string> all_mnist_models(const ExperimentOptions& options) {
  std::vector<std::string> all = experiments::mnist_models();
  if (!options.preset.empty()) {
    std::erase_if(
        all, [](const std::string& model) { return model == "irf" || model.ends_with("-pooled"); });
  }
  return all;
}

MnistData mnist_data(const ExperimentOptions& options) {
  const std::optional<DataPlace> place = data_place(options);
  return place ? experiments::load_mnist(place->directory, place->asked)
               : experiments::draw_mnist();
}

void check_training_size(const MnistExperimentOptions& options, const MnistData& data) {
  const Index most = experiments::drawable(data);
  if (options.size > most) {
    throw OptionError(
        fmt::format("--size: {} training images of each task, but the data have no more than {}",
                    options.size, most));
  }
  experiments::check_draws(data, options.size, options.common.runs, options.common.seed);
}

std::vector<PrintedColumn> columns() {
  std::vector<PrintedColumn> all;
  for (const auto& [label, score] :
       {std::pair("standard", "acc_standard"), std::pair("random", "acc_random"),
        std::pair("images", "acc_images"), std::pair("all", "accuracy"),
        std::pair("log loss", "log_loss")}) {
    const std::string name = score;
    all.push_back({label, [name](const Record& r) { return find_score(r, name); }});
  }
  all.push_back({"seconds", [](const Record& r) { return std::optional(r.seconds); }, 1});
  return all;
}

void print_claims(const std::vector<Record>& records, const std::string& preset) {
  if (records.empty()) return;
  fmt::print("\n");
  const experiments::Grid grid(records, {});
  for (const experiments::Claim& claim : experiments::mnist_claims(grid, preset)) {
    fmt::print("{}\n", to_line(claim));
  }
}

}  // namespace

int experiment_mnist(const MnistExperimentOptions& options) {
  const ExperimentOptions& common = options.common;
  const std::vector<std::string> models =
      models_of(common, "paper-mnist", all_mnist_models(common), experiments::mnist_yardsticks());
  const MnistData data = mnist_data(common);
  check_training_size(options, data);
  make_directory(common);
  const std::string variant =
      options.steps > 0 ? fmt::format("{}, {} steps", data.origin, options.steps) : data.origin;
  const std::vector<Job> jobs = jobs_of("mnist", variant, models, {options.size}, common);
  const experiments::MnistOptions how{.steps = options.steps};
  const experiments::RunnerResult result = run_experiment(
      "mnist", checksum(data), jobs, [&](const Job& job) { return fit_mnist(data, job, how); },
      common);

  print_heading(fmt::format("MNIST ({}{})", variant,
                            common.preset.empty() ? "" : fmt::format(", {}", common.preset)),
                result, jobs.size());
  print_table("accuracy", models, columns(), result.records);
  print_claims(result.records, common.preset);
  std::string flags;
  if (options.size != experiments::kMnistSize) flags = fmt::format("--size {}", options.size);
  if (options.steps > 0) {
    flags += fmt::format("{}--steps {}", flags.empty() ? "" : " ", options.steps);
  }
  const int code = finish(result, jobs.size());
  write_report(
      jobs, flags,
      [&](const std::vector<Record>& records, const std::string& command) {
        return experiments::mnist_report(records, variant, command);
      },
      common);
  return code;
}

}  // namespace mdgp::program
