// What the commands of the experiments share: checks of their options, the runner with its progress
// line, tables on the terminal, the report, and the exit code.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"
#include "report.h"
#include "runner.h"

namespace mdgp::program {

template <class T>
std::vector<T> without_repeats(const std::vector<T>& list) {
  std::vector<T> kept;
  for (const T& each : list) {
    if (std::find(kept.begin(), kept.end(), each) == kept.end()) kept.push_back(each);
  }
  return kept;
}

// Whether the option `key` of `mdgp fit` takes the text; else throws OptionError as `mdgp fit` says
// it: "--models is 'smdg', but must be one of …".
void check_choice(std::string_view flag, std::string_view key, const std::string& text);

// Checks --preset, which may be `preset` alone, and --models unless they are among `others` (names
// that are no model of `mdgp fit`). Returns the models that were asked for, each once; `all` where
// none was.
std::vector<std::string> models_of(const ExperimentOptions& options, std::string_view preset,
                                   const std::vector<std::string>& all,
                                   const std::vector<std::string>& others = {});

// Where the data are and who said so ("--data", "MDGP_DATA"); nothing where nobody did.
struct DataPlace {
  std::string directory, asked;
};
std::optional<DataPlace> data_place(const ExperimentOptions& options);

// options.out; throws FileError where it cannot be made.
void make_directory(const ExperimentOptions& options);

// Models by sizes by runs, in this order.
std::vector<experiments::Job> jobs_of(const std::string& experiment, const std::string& variant,
                                      const std::vector<std::string>& models,
                                      const std::vector<Index>& sizes,
                                      const ExperimentOptions& options);

// Runs the jobs that OUT/results.jsonl does not have, on data with this checksum, with a progress
// line that begins with `label` and can be interrupted.
experiments::RunnerResult run_experiment(const std::string& label, const std::string& data,
                                         const std::vector<experiments::Job>& jobs,
                                         const experiments::Fit& fit,
                                         const ExperimentOptions& options);

// "SARCOS (clean), 60 of 60 fits (6 of them done before), mean (standard error) over draws".
void print_heading(const std::string& name, const experiments::RunnerResult& result,
                   std::size_t jobs);

// Models down; a column is the mean (standard error) of what `value` makes of a model's records.
struct PrintedColumn {
  std::string label;
  std::function<std::optional<double>(const experiments::Record&)> value;
  int decimals = 3;
};
std::optional<double> find_score(const experiments::Record& record, const std::string& name);
// "0.123 (0.004)": mean and standard error, which one value has not.
std::string mean_text(const std::vector<double>& values, int decimals);

void print_table(const std::string& title, const std::vector<std::string>& models,
                 const std::vector<PrintedColumn>& columns,
                 const std::vector<experiments::Record>& records);

// Of all records under OUT of the experiment, the variant and the seed of these jobs, by this call
// and by others: their draws are the same. `make` also gets the call to show beside the tables,
// "mdgp experiment sarcos --data DIR --models … --runs 10 --seed 1 --out DIR", with `flags` after
// the name. Says where the report is.
using MakeReport = std::function<experiments::Report(
    const std::vector<experiments::Record>& records, const std::string& command)>;
void write_report(const std::vector<experiments::Job>& jobs, const std::string& flags,
                  const MakeReport& make, const ExperimentOptions& options);

// Says what failed and whether it was interrupted; returns the exit code.
int finish(const experiments::RunnerResult& result, std::size_t jobs);

}  // namespace mdgp::program
