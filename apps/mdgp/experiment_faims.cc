#include <fmt/format.h>

#include "experiment.h"
#include "faims/faims.h"
#include "faims/faims_report.h"
#include "faims/simulate.h"

namespace mdgp::program {
namespace {

using experiments::FaimsData;
using experiments::Job;
using experiments::Record;

FaimsData load(const ExperimentOptions& options) {
  const std::optional<DataPlace> place = data_place(options);
  return place ? experiments::load_parkinson(place->directory, place->asked)
               : experiments::simulate_faims();
}

PrintedColumn score(const char* label, const char* name) {
  return {label, [name](const Record& r) { return find_score(r, name); }, 3};
}

}  // namespace

int experiment_faims(const ExperimentOptions& options) {
  const std::vector<std::string> models =
      models_of(options, experiments::faims_models(), experiments::faims_yardsticks());
  const FaimsData data = load(options);
  make_directory(options);
  const std::string variant = data.origin;
  const std::vector<Job> jobs =
      jobs_of("faims", variant, models, {experiments::training_subjects(data)}, options);
  const experiments::RunnerResult result = run_experiment(
      "faims", jobs, [&](const Job& job) { return fit_faims(data, job, {}); }, options);

  print_heading(fmt::format("FAIMS ({}{})", variant,
                            options.preset.empty() ? "" : fmt::format(", {}", options.preset)),
                result, jobs.size());
  print_table("ROC-AUC", models,
              {score("run 1", "auc1"),
               score("run 2", "auc2"),
               score("run 3", "auc3"),
               score("all", "auc"),
               score("log loss", "log_loss"),
               {"seconds", [](const Record& r) { return std::optional(r.seconds); }, 1}},
              result.records);
  fmt::print("\n");
  for (const std::string& claim : experiments::faims_claims(result.records)) {
    fmt::print("{}\n", claim);
  }
  const std::string command = command_of("faims", "", options);
  write_report(
      variant,
      [&](const std::vector<Record>& records) {
        return experiments::faims_report(records, variant, command);
      },
      options);
  return finish(result, jobs.size());
}

}  // namespace mdgp::program
