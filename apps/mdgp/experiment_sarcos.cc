#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>

#include "commands.h"
#include "mdgp/io/atomic_file.h"
#include "mdgp/io/options.h"
#include "mdgp/metrics/metrics.h"
#include "mdgp/models/model.h"
#include "progress.h"
#include "results_file.h"
#include "sarcos/arm.h"
#include "sarcos/sarcos.h"
#include "sarcos/sarcos_report.h"
#include "stop_signal.h"

namespace mdgp::program {
namespace {

using experiments::Job;
using experiments::Protocol;
using experiments::Record;
using experiments::RunnerResult;
using experiments::SarcosData;

constexpr Index kSizes[] = {100, 200, 500, 1000, 2000, 5000};

template <class T>
std::vector<T> without_repeats(const std::vector<T>& list) {
  std::vector<T> kept;
  for (const T& each : list) {
    if (std::find(kept.begin(), kept.end(), each) == kept.end()) kept.push_back(each);
  }
  return kept;
}

// "one of a, b, c; did you mean 'b'?" as `mdgp fit` says it.
void check_choice(const char* flag, const char* key, const std::string& text) {
  FitSettings settings;
  Option option = *find_option(key);
  option.key = std::string_view(flag).substr(2);
  if (text.empty()) throw OptionError(fmt::format("{}: a name is empty", flag));
  set_option(settings, option, text, flag);
}

std::vector<std::string> models_of(const SarcosExperimentOptions& options) {
  if (options.models.empty()) {
    // A preset is the paper's, and has its models.
    const std::vector<std::string_view> all =
        options.preset.empty() ? all_model_names() : model_names();
    return {all.begin(), all.end()};
  }
  for (const std::string& model : options.models) check_choice("--models", "model", model);
  return without_repeats(options.models);
}

SarcosData load(const SarcosExperimentOptions& options) {
  if (!options.data.empty()) return experiments::load_sarcos(options.data, "--data");
  const char* directory = std::getenv("MDGP_DATA");
  if (directory != nullptr && *directory != '\0') {
    return experiments::load_sarcos(directory, "MDGP_DATA");
  }
  return experiments::simulate_sarcos();
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

void make_directory(const std::string& out) {
  std::error_code error;
  std::filesystem::create_directories(out, error);
  if (error || !std::filesystem::is_directory(out)) {
    throw FileError(fmt::format("--out {}: the directory cannot be made ({})", out,
                                error ? error.message() : "it is a file"));
  }
}

std::vector<Job> jobs_of(const SarcosExperimentOptions& options, const std::string& variant,
                         const std::vector<std::string>& models, const std::vector<Index>& sizes) {
  std::vector<Job> jobs;
  for (const std::string& model : models) {
    for (const Index size : sizes) {
      for (int run = 0; run < options.runs; ++run) {
        jobs.push_back({"sarcos", variant, options.preset, model, size, run, options.seed});
      }
    }
  }
  return jobs;
}

RunnerResult run(const SarcosExperimentOptions& options, const SarcosData& data, Protocol protocol,
                 const std::vector<Job>& jobs) {
  const int cores = options.threads > 0
                        ? options.threads
                        : std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
  StopSignal signal;
  Progress progress;
  experiments::RunnerOptions how;
  how.out = options.out;
  how.jobs = options.jobs > 0 ? options.jobs : cores;
  how.threads = std::max(cores / how.jobs, 1);
  how.stop = [] { return stop_wanted(); };
  how.progress = [&](const experiments::RunnerStatus& status) {
    progress.show_left("sarcos", status.seconds_left,
                       fmt::format("{} of {} fits  {}", status.done, status.total, status.running));
  };
  const experiments::SarcosOptions fit{.protocol = protocol};
  return run_jobs(
      jobs, [&](const Job& job) { return fit_sarcos(data, job, fit); }, how);
}

std::string show(const std::vector<double>& values, int digits) {
  if (values.empty()) return "-";
  const MeanError m = mean_error(values);
  return fmt::format("{:.{}f} ({:.{}f})", m.mean, digits, m.error, digits);
}

// Models down, sizes across.
template <class F>
void print_table(const char* title, const std::vector<std::string>& models,
                 const std::vector<Index>& sizes, const std::vector<Record>& records, int digits,
                 F value) {
  fmt::print("\n{:<10}", title);
  for (const Index size : sizes) fmt::print("{:>17}", size);
  fmt::print("\n");
  for (const std::string& model : models) {
    fmt::print("{:<10}", model);
    for (const Index size : sizes) {
      std::vector<double> values;
      for (const Record& r : records) {
        if (r.model == model && r.size == size) values.push_back(value(r));
      }
      fmt::print("{:>17}", show(values, digits));
    }
    fmt::print("\n");
  }
}

std::string command_of(const SarcosExperimentOptions& options) {
  std::string command = "mdgp experiment sarcos";
  if (options.protocol != "clean") command += fmt::format(" --protocol {}", options.protocol);
  if (!options.preset.empty()) command += fmt::format(" --preset {}", options.preset);
  command += fmt::format(" --runs {} --seed {} --out {}", options.runs, options.seed, options.out);
  return command;
}

// Of all that was done under this folder, by this call and by others.
void write_report(const SarcosExperimentOptions& options, const std::string& variant) {
  std::vector<Record> records =
      experiments::ResultsFile(fmt::format("{}/results.jsonl", options.out)).found();
  std::erase_if(records, [&](const Record& r) { return r.variant != variant; });
  if (records.empty()) return;
  experiments::write_report(experiments::sarcos_report(records, variant, command_of(options)),
                            options.out);
  fmt::print("\nwritten   {}/report.html, report.md, report.json\n", options.out);
}

}  // namespace

int experiment_sarcos(const SarcosExperimentOptions& options) {
  const std::vector<std::string> models = models_of(options);
  if (!options.preset.empty()) check_choice("--preset", "preset", options.preset);
  const Protocol protocol = options.protocol == "paper" ? Protocol::paper : Protocol::clean;
  const SarcosData data = load(options);
  const std::vector<Index> sizes = sizes_of(options, experiments::drawable(data, protocol));
  make_directory(options.out);
  const std::string variant = experiments::variant_of(data, protocol);
  const std::vector<Job> jobs = jobs_of(options, variant, models, sizes);
  const RunnerResult result = run(options, data, protocol, jobs);

  fmt::print("SARCOS ({}{}), {} of {} fits{}, mean (standard error) over draws\n", variant,
             options.preset.empty() ? "" : fmt::format(", {}", options.preset),
             result.records.size(), jobs.size(),
             result.found > 0 ? fmt::format(" ({} of them done before)", result.found) : "");
  const auto score = [](const char* name) {
    return [name](const Record& r) { return r.scores.at(name); };
  };
  print_table("RMSE", models, sizes, result.records, 3, score("rmse"));
  print_table("NLPP", models, sizes, result.records, 3, score("nlpp"));
  print_table("seconds", models, sizes, result.records, 1,
              [](const Record& r) { return r.seconds; });
  write_report(options, variant);
  for (const Record& failure : result.failed) {
    fmt::print(stderr, "mdgp: {}: {}\n", name_of(job_of(failure)), failure.error);
  }
  if (result.stopped) {
    fmt::print(stderr,
               "mdgp: interrupted after {} of {} fits; the same command goes on from there\n",
               result.records.size(), jobs.size());
  }
  return result.stopped || !result.failed.empty() ? 1 : 0;
}

}  // namespace mdgp::program
