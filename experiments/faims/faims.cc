#include "faims.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ard_record.h"
#include "mdgp/io/run_plan.h"
#include "mdgp/metrics/metrics.h"
#include "mdgp/models/model.h"
#include "mdgp/posterior/posterior.h"

namespace mdgp::experiments {
namespace {

constexpr const char* kModels[] = {"smdgp", "mmdgp", "cmdgp", "idgp",  "cgp",  "igp",
                                   "irf",   "mann2", "mann3", "mbnn2", "mbnn3"};

// The probabilities of 0 and 1 [n, 2].
Matrix probabilities(const Vector& one) {
  Matrix p(one.size(), 2);
  p << (1.0 - one.array()).matrix(), one;
  return p;
}

// `probability`: of being a case, of the test subjects in each run.
void score(const std::array<Vector, kFaimsRuns>& probability, const std::vector<int>& label,
           Record& record) {
  for (int run = 0; run < kFaimsRuns; ++run) {
    const Vector& p = probability[static_cast<std::size_t>(run)];
    const double auc = roc_auc(label, p);
    record.scores[fmt::format("auc{}", run + 1)] = auc;
    record.scores["auc"] += auc / kFaimsRuns;
    const Matrix both = probabilities(p);
    record.scores["log_loss"] += log_loss(label, view_of(both)) / kFaimsRuns;
  }
}

void fit_and_score(const FaimsDraw& draw, const Job& job, const FaimsOptions& options,
                   Record& record) {
  FitSettings settings = job.settings.empty() ? faims_settings(job.model) : FitSettings{};
  settings.model = job.model;
  settings.preset = job.settings;
  settings.seed = job.seed + static_cast<std::uint64_t>(job.run);
  PlanResult result = run_plan(choose(settings, draw.schema, draw.train), draw.train);
  record.seconds = result.seconds;
  record.scores["bound"] = result.bound;
  record.scores["steps"] = static_cast<double>(result.steps);
  record.scores["failures"] = static_cast<double>(result.failures.size());
  if (job.run == 0) add_ard(result.model, record);
  const Posterior posterior(std::move(result.model));
  std::array<Vector, kFaimsRuns> probability;
  for (int run = 0; run < kFaimsRuns; ++run) {
    const auto r = static_cast<std::size_t>(run);
    probability[r] = posterior
                         .predict(view_of(draw.test_x[r]), run,
                                  {.samples = options.samples, .seed = settings.seed})
                         .mean.col(0);
  }
  score(probability, draw.test_label, record);
}

}  // namespace

std::vector<std::string> faims_models() {
  const std::vector<std::string_view> there = all_model_names();
  std::vector<std::string> models;
  for (const char* model : kModels) {
    if (std::find(there.begin(), there.end(), model) != there.end()) models.emplace_back(model);
  }
  return models;
}

FitSettings faims_settings(const std::string& model) {
  FitSettings settings;
  settings.model = model;
  return settings;
}

Record fit_faims(const FaimsData& data, const Job& job, const FaimsOptions& options) {
  const FaimsDraw draw =
      experiments::draw(data, options.reduction, options.components, job.run, job.seed);
  Record record = record_of(job);
  fit_and_score(draw, job, options, record);
  return record;
}

}  // namespace mdgp::experiments
