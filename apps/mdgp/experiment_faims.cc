#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "experiment.h"
#include "faims/faims.h"
#include "faims/faims_report.h"
#include "faims/simulate.h"

namespace mdgp::program {
namespace {

using experiments::FaimsData;
using experiments::Job;
using experiments::Record;

// The study of a run: the given one, of which every run has a split of its own, or one that is
// simulated for it. A simulation costs nothing, and splits of one cohort say little about others.
class Study {
 public:
  explicit Study(const ExperimentOptions& options) {
    if (const std::optional<DataPlace> place = data_place(options)) {
      given_ = experiments::load_parkinson(place->directory, place->asked);
    }
  }
  std::string origin() const { return given_ ? given_->origin : "simulated"; }
  std::string checksum() const { return given_ ? experiments::checksum(*given_) : ""; }
  Index training_subjects() const {
    using experiments::kCases, experiments::kPatients;
    if (!given_) return experiments::training_subjects(kCases, kPatients - kCases);
    const Index cases = std::count(given_->label.begin(), given_->label.end(), 1);
    return experiments::training_subjects(cases, std::ssize(given_->label) - cases);
  }
  Record fit(const Job& job) const {
    if (given_) return fit_faims(*given_, job, {});
    // A thousand runs of each seed are studies in a row; what runs there are beyond, far from them.
    const auto run = static_cast<std::uint64_t>(job.run);
    const std::uint64_t study = 1000 * (job.seed + ((run / 1000) << 32U)) + run % 1000;
    return fit_faims(experiments::simulate_faims(study), job, {});
  }

 private:
  std::optional<FaimsData> given_;
};

PrintedColumn score(const char* label, const char* name) {
  return {label, [name](const Record& r) { return find_score(r, name); }, 3};
}

}  // namespace

int experiment_faims(const ExperimentOptions& options) {
  const std::vector<std::string> models = models_of(
      options, "paper-faims", experiments::faims_models(), experiments::faims_yardsticks());
  const Study study(options);
  make_directory(options);
  const std::string variant = study.origin();
  const std::vector<Job> jobs =
      jobs_of("faims", variant, models, {study.training_subjects()}, options);
  const experiments::RunnerResult result = run_experiment(
      "faims", study.checksum(), jobs, [&](const Job& job) { return study.fit(job); }, options);

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
  for (const std::string& claim : experiments::faims_claims(result.records, options.preset)) {
    fmt::print("{}\n", claim);
  }
  const int code = finish(result, jobs.size());
  write_report(
      jobs, "",
      [&](const std::vector<Record>& records, const std::string& command) {
        return experiments::faims_report(records, variant, command);
      },
      options);
  return code;
}

}  // namespace mdgp::program
