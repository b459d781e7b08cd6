#include "experiment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <system_error>
#include <thread>

#include "checksum.h"
#include "mdgp/io/atomic_file.h"
#include "mdgp/io/options.h"
#include "mdgp/metrics/metrics.h"
#include "progress.h"
#include "stop_signal.h"

namespace mdgp::program {

using experiments::Job;
using experiments::Record;
using experiments::RunnerResult;

void check_choice(std::string_view flag, std::string_view key, const std::string& text) {
  FitSettings settings;
  Option option = *find_option(key);
  option.key = flag.substr(2);
  if (text.empty()) throw OptionError(fmt::format("{}: a name is empty", flag));
  set_option(settings, option, text, flag);
}

std::vector<std::string> models_of(const ExperimentOptions& options, std::string_view preset,
                                   const std::vector<std::string>& all,
                                   const std::vector<std::string>& others) {
  if (!options.preset.empty()) check_choice("--preset", "preset", options.preset);
  if (!options.preset.empty() && options.preset != preset) {
    throw OptionError(
        fmt::format("--preset {}: this experiment has {} only", options.preset, preset));
  }
  for (const std::string& model : options.models) {
    const bool other = std::find(others.begin(), others.end(), model) != others.end();
    if (!other) check_choice("--models", "model", model);
  }
  return options.models.empty() ? all : without_repeats(options.models);
}

std::optional<DataPlace> data_place(const ExperimentOptions& options) {
  if (!options.data.empty()) return DataPlace{options.data, "--data"};
  const char* directory = std::getenv("MDGP_DATA");
  if (directory == nullptr || *directory == '\0') return std::nullopt;
  return DataPlace{directory, "MDGP_DATA"};
}

void make_directory(const ExperimentOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(options.out, error);
  if (error || !std::filesystem::is_directory(options.out)) {
    throw FileError(fmt::format("--out {}: the directory cannot be made ({})", options.out,
                                error ? error.message() : "it is a file"));
  }
}

std::vector<Job> jobs_of(const std::string& experiment, const std::string& variant,
                         const std::vector<std::string>& models, const std::vector<Index>& sizes,
                         const ExperimentOptions& options) {
  std::vector<Job> jobs;
  for (const std::string& model : models) {
    for (const Index size : sizes) {
      for (int run = 0; run < options.runs; ++run) {
        jobs.push_back({experiment, variant, options.preset, model, size, run, options.seed});
      }
    }
  }
  return jobs;
}

RunnerResult run_experiment(const std::string& label, const std::string& data,
                            const std::vector<Job>& jobs, const experiments::Fit& fit,
                            const ExperimentOptions& options) {
  const int cores = options.threads > 0
                        ? options.threads
                        : std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
  StopSignal signal;
  Progress progress;
  experiments::RunnerOptions how;
  how.out = options.out;
  how.jobs = options.jobs > 0 ? options.jobs : cores;
  how.threads = std::max(cores / how.jobs, 1);
  how.data = data;
  how.program = experiments::checksum({read_whole_file("/proc/self/exe")});
  how.stop = [] { return stop_wanted(); };
  how.progress = [&](const experiments::RunnerStatus& status) {
    progress.show_left(label, status.seconds_left,
                       fmt::format("{} of {} fits  {}", status.done, status.total, status.running));
  };
  return run_jobs(jobs, fit, how);
}

void print_heading(const std::string& name, const RunnerResult& result, std::size_t jobs) {
  fmt::print("{}, {} of {} fits{}, mean (standard error) over draws\n", name, result.records.size(),
             jobs, result.found > 0 ? fmt::format(" ({} of them done before)", result.found) : "");
}

std::optional<double> find_score(const Record& record, const std::string& name) {
  const auto found = record.scores.find(name);
  if (found == record.scores.end()) return std::nullopt;
  return found->second;
}

namespace {

std::string cell_text(const std::string& model, const PrintedColumn& column,
                      const std::vector<Record>& records) {
  std::vector<double> values;
  for (const Record& r : records) {
    const std::optional<double> value = r.model == model ? column.value(r) : std::nullopt;
    if (value && std::isfinite(*value)) values.push_back(*value);
  }
  return values.empty() ? "-" : mean_text(values, column.decimals);
}

}  // namespace

std::string mean_text(const std::vector<double>& values, int decimals) {
  const MeanError m = mean_error(values);
  const std::string mean = fmt::format("{:.{}f}", m.mean, decimals);
  return values.size() == 1 ? mean : fmt::format("{} ({:.{}f})", mean, m.error, decimals);
}

void print_table(const std::string& title, const std::vector<std::string>& models,
                 const std::vector<PrintedColumn>& columns, const std::vector<Record>& records) {
  fmt::print("\n{:<13}", title);
  for (const PrintedColumn& column : columns) fmt::print("{:>17}", column.label);
  fmt::print("\n");
  for (const std::string& model : models) {
    fmt::print("{:<13}", model);
    for (const PrintedColumn& column : columns) {
      fmt::print("{:>17}", cell_text(model, column, records));
    }
    fmt::print("\n");
  }
}

namespace {

std::string command_of(const std::string& experiment, const std::string& flags,
                       const ExperimentOptions& options) {
  std::string command = fmt::format("mdgp experiment {}", experiment);
  if (!flags.empty()) command += fmt::format(" {}", flags);
  if (const auto place = data_place(options)) {
    command += fmt::format(" --data {}", place->directory);
  }
  if (!options.models.empty()) {
    command += fmt::format(" --models {}", fmt::join(options.models, ","));
  }
  if (!options.preset.empty()) command += fmt::format(" --preset {}", options.preset);
  command += fmt::format(" --runs {} --seed {} --out {}", options.runs, options.seed, options.out);
  return command;
}

// What the call does not say of the records.
std::string remarks_on(const std::vector<Record>& records, const std::vector<Job>& jobs) {
  std::string remarks;
  const bool others = std::any_of(records.begin(), records.end(), [&](const Record& r) {
    return std::find(jobs.begin(), jobs.end(), job_of(r)) == jobs.end();
  });
  if (others) remarks += "  # the last call; others before it left records here too";
  std::set<std::string> programs;
  for (const Record& r : records) programs.insert(r.program);
  if (programs.size() > 1) remarks += "  # not all by the same build of mdgp";
  return remarks;
}

}  // namespace

void write_report(const std::vector<Job>& jobs, const std::string& flags, const MakeReport& make,
                  const ExperimentOptions& options) {
  const Job& first = jobs.front();
  std::vector<Record> records =
      experiments::read_records(fmt::format("{}/results.jsonl", options.out));
  std::erase_if(records, [&](const Record& r) {
    return r.experiment != first.experiment || r.variant != first.variant || r.seed != first.seed;
  });
  if (records.empty()) return;
  const std::string command =
      command_of(first.experiment, flags, options) + remarks_on(records, jobs);
  experiments::write_report(make(records, command), options.out);
  fmt::print("\nwritten   {}/report.html, report.md, report.json\n", options.out);
}

int finish(const RunnerResult& result, std::size_t jobs) {
  for (const Record& failure : result.failed) {
    fmt::print(stderr, "mdgp: {}: {}\n", name_of(job_of(failure)), failure.error);
  }
  if (result.stopped) {
    fmt::print(stderr,
               "mdgp: interrupted after {} of {} fits; the same command goes on from there\n",
               result.records.size(), jobs);
  }
  return result.stopped || !result.failed.empty() ? 1 : 0;
}

}  // namespace mdgp::program
