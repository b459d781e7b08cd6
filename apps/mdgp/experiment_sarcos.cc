#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "experiment.h"
#include "mdgp/baselines/baseline.h"
#include "mdgp/baselines/forest.h"
#include "mdgp/io/choose.h"
#include "mdgp/io/options.h"
#include "mdgp/models/model.h"
#include "sarcos/arm.h"
#include "sarcos/paper_tables.h"
#include "sarcos/sarcos.h"
#include "sarcos/sarcos_report.h"

namespace mdgp::program {
namespace {

using experiments::Job;
using experiments::kPaperSizes;
using experiments::Protocol;
using experiments::Record;
using experiments::SarcosData;

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
    std::vector<Index> sizes(kPaperSizes.begin(), kPaperSizes.end());
    std::erase_if(sizes, [&](Index size) { return size > most; });
    if (!sizes.empty()) return sizes;
    throw OptionError(fmt::format(
        "the data have {} points to draw from, fewer than {}; see --protocol and --sizes", most,
        kPaperSizes[0]));
  }
  for (const long size : options.sizes) {
    if (size > most) {
      throw OptionError(
          fmt::format("--sizes: {} is more than the {} points there are to draw from", size, most));
    }
  }
  return without_repeats(std::vector<Index>(options.sizes.begin(), options.sizes.end()));
}

// How many observations the largest process of a model has, about.
Index largest_process(const Job& job) {
  return is_coregionalised(job.model) ? job.size : job.size / experiments::kJoints;
}

// Exact models have a limit. One that was asked for is refused at once rather than hours later.
void leave_out_too_large(std::vector<Job>& jobs, bool asked_for) {
  const auto too_large = [](const Job& job) {
    return !is_baseline(job.model) && is_exact(job.model) && largest_process(job) > kMostExact;
  };
  const auto first = std::find_if(jobs.begin(), jobs.end(), too_large);
  if (first != jobs.end() && asked_for) {
    throw OptionError(
        fmt::format("--models {}: for {} observations at most of correlated tasks, or of one task; "
                    "--sizes has {}",
                    first->model, kMostExact, first->size));
  }
  for (const Job& job : jobs) {
    if (!too_large(job) || job.run > 0) continue;
    fmt::print("{} is left out at N = {}: {} observations are the most it takes\n", job.model,
               job.size, kMostExact);
  }
  std::erase_if(jobs, too_large);
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
  const std::string variant = experiments::variant_of(data, protocol);
  std::vector<Job> jobs = jobs_of("sarcos", variant, models, sizes, common);
  leave_out_too_large(jobs, !common.models.empty());
  make_directory(common);
  const experiments::SarcosOptions how{.protocol = protocol};
  const experiments::RunnerResult result = run_experiment(
      "sarcos", checksum(data), jobs, [&](const Job& job) { return fit_sarcos(data, job, how); },
      common);

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
  const int code = finish(result, jobs.size());
  write_report(
      jobs, flags_of(options),
      [&](const std::vector<Record>& records, const std::string& command) {
        return experiments::sarcos_report(records, variant, command);
      },
      common);
  return code;
}

}  // namespace mdgp::program
