#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiment.h"
#include "mdgp/baselines/baseline.h"
#include "mdgp/baselines/forest.h"
#include "mdgp/io/options.h"
#include "mdgp/models/model.h"
#include "sarcos/arm.h"
#include "sarcos/sarcos.h"
#include "sarcos/sarcos_report.h"

namespace mdgp::program {
namespace {

using experiments::Job;
using experiments::Protocol;
using experiments::Record;
using experiments::SarcosData;

constexpr Index kSizes[] = {100, 200, 500, 1000, 2000, 5000};

// The paper's, which has no forest here, and the exact ones, for which a preset has no settings.
std::vector<std::string> all_sarcos_models(const ExperimentOptions& options) {
  const bool exact = options.preset.empty();
  std::vector<std::string> all;
  for (const std::string_view model : exact ? all_model_names() : model_names()) {
    all.emplace_back(model);
  }
  for (const std::string_view model : baseline_names()) {
    if (!is_forest(model)) all.emplace_back(model);
  }
  return all;
}

Protocol protocol_of(const SarcosExperimentOptions& options) {
  if (options.protocol == "held-out") return Protocol::held_out;
  return options.protocol == "paper" ? Protocol::paper : Protocol::clean;
}

SarcosData sarcos_data(const ExperimentOptions& options, Protocol protocol) {
  const std::optional<DataPlace> place = data_place(options);
  SarcosData data = place ? experiments::load_sarcos(place->directory, place->asked)
                          : experiments::simulate_sarcos();
  return protocol == Protocol::held_out ? experiments::hold_out(data) : data;
}

std::vector<Index> sizes_of(const SarcosExperimentOptions& options, Index most) {
  if (options.sizes.empty()) {
    std::vector<Index> sizes(std::begin(kSizes), std::end(kSizes));
    std::erase_if(sizes, [&](Index size) { return size > most; });
    if (!sizes.empty()) return sizes;
    throw OptionError(fmt::format(
        "the data have {} points to draw from, fewer than {}; see --protocol and --sizes", most,
        kSizes[0]));
  }
  for (const long size : options.sizes) {
    if (size > most) {
      throw OptionError(
          fmt::format("--sizes: {} is more than the {} points there are to draw from", size, most));
    }
  }
  return without_repeats(std::vector<Index>(options.sizes.begin(), options.sizes.end()));
}

std::string flags_of(const SarcosExperimentOptions& options) {
  std::vector<std::string> flags;
  if (options.protocol != "clean") flags.push_back(fmt::format("--protocol {}", options.protocol));
  if (!options.sizes.empty()) {
    flags.push_back(fmt::format("--sizes {}", fmt::join(options.sizes, ",")));
  }
  return fmt::format("{}", fmt::join(flags, " "));
}

// One column per size.
template <class F>
std::vector<PrintedColumn> by_size(const std::vector<Index>& sizes, int decimals, F value) {
  std::vector<PrintedColumn> columns;
  for (const Index size : sizes) {
    columns.push_back(
        {fmt::format("{}", size),
         [size, value](const Record& r) { return r.size == size ? value(r) : std::nullopt; },
         decimals});
  }
  return columns;
}

}  // namespace

int experiment_sarcos(const SarcosExperimentOptions& options) {
  const ExperimentOptions& common = options.common;
  const std::vector<std::string> models =
      models_of(common, "paper-sarcos", all_sarcos_models(common));
  const Protocol protocol = protocol_of(options);
  const SarcosData data = sarcos_data(common, protocol);
  const std::vector<Index> sizes = sizes_of(options, experiments::drawable(data, protocol));
  make_directory(common);
  const std::string variant = experiments::variant_of(data, protocol);
  const std::vector<Job> jobs = jobs_of("sarcos", variant, models, sizes, common);
  const experiments::SarcosOptions how{.protocol = protocol};
  const experiments::RunnerResult result = run_experiment(
      "sarcos", jobs, [&](const Job& job) { return fit_sarcos(data, job, how); }, common);

  print_heading(fmt::format("SARCOS ({}{})", variant,
                            common.preset.empty() ? "" : fmt::format(", {}", common.preset)),
                result, jobs.size());
  const auto score = [](const char* name) {
    return [name](const Record& r) { return find_score(r, name); };
  };
  print_table("RMSE", models, by_size(sizes, 3, score("rmse")), result.records);
  print_table("NLPP", models, by_size(sizes, 3, score("nlpp")), result.records);
  print_table("seconds", models,
              by_size(sizes, 1, [](const Record& r) { return std::optional(r.seconds); }),
              result.records);
  const std::string command = command_of("sarcos", flags_of(options), common);
  write_report(
      "sarcos", variant,
      [&](const std::vector<Record>& records) {
        return experiments::sarcos_report(records, variant, command);
      },
      common);
  return finish(result, jobs.size());
}

}  // namespace mdgp::program
