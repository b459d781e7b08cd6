#include "faims.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "fit_record.h"
#include "mdgp/baselines/baseline.h"
#include "mdgp/io/run_plan.h"
#include "mdgp/metrics/metrics.h"
#include "yardstick.h"

namespace mdgp::experiments {
namespace {

constexpr const char* kModels[] = {"smdgp", "mmdgp", "cmdgp", "idgp",  "cgp",  "igp",
                                   "irf",   "mann2", "mann3", "mbnn2", "mbnn3"};

constexpr const char* kLogistic = "logistic";
constexpr const char* kPooledLogistic = "logistic-all";

// The probabilities of 0 and 1 [n, 2].
Matrix both_probabilities(const Vector& one) {
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
    const Matrix both = both_probabilities(p);
    record.scores["log_loss"] += log_loss(label, view_of(both)) / kFaimsRuns;
  }
}

void fit_and_score(const FaimsDraw& draw, const Job& job, const FaimsOptions& options,
                   Record& record) {
  FitSettings settings;
  settings.model = job.model;
  settings.preset = job.settings;
  if (options.steps) settings.steps = options.steps;
  settings.seed = job.seed + static_cast<std::uint64_t>(job.run);
  const FitPlan plan = choose(settings, draw.schema, draw.train);
  PlanResult result = run_plan(plan, draw.train);
  add_fit(result, record);
  if (job.run == 0) add_ard(result.model, record);
  const Posterior posterior = make_posterior(result.spec, std::move(result.model));
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

// Logistic regression on the same components: of each run alone, or with the rows of all runs,
// whose settings are chosen with the rows of a subject held out together.
void fit_logistic_and_score(const FaimsDraw& draw, const Job& job, Record& record) {
  const Index subjects = draw.train.x.rows() / kFaimsRuns;
  const bool pooled = job.model == kPooledLogistic;
  const auto start = std::chrono::steady_clock::now();
  std::array<Vector, kFaimsRuns> probability;
  for (Index run = 0; run < kFaimsRuns; ++run) {
    const Index first = pooled ? 0 : run * subjects,
                count = pooled ? draw.train.x.rows() : subjects;
    std::vector<int> label, subject;
    for (Index row = first; row < first + count; ++row) {
      // draw() puts observation i on row i.
      label.push_back(draw.train.observations[static_cast<std::size_t>(row)].y > 0.5 ? 1 : 0);
      subject.push_back(static_cast<int>(row % subjects));
    }
    LogisticOptions options;
    options.seed = job.seed + static_cast<std::uint64_t>(job.run);
    const auto r = static_cast<std::size_t>(run);
    probability[r] = logistic_probabilities(draw.train.x.middleRows(first, count), label, subject,
                                            draw.test_x[r], options);
  }
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  score(probability, draw.test_label, record);
}

}  // namespace

std::vector<std::string> faims_yardsticks() { return {kLogistic, kPooledLogistic}; }

std::vector<std::string> faims_models() {
  const std::vector<std::string_view> there = known_model_names();
  std::vector<std::string> models;
  for (const char* model : kModels) {
    if (std::find(there.begin(), there.end(), model) != there.end()) models.emplace_back(model);
  }
  for (std::string& name : faims_yardsticks()) models.push_back(std::move(name));
  return models;
}

Record fit_faims(const FaimsData& data, const Job& job, const FaimsOptions& options) {
  const FaimsDraw draw =
      experiments::draw(data, options.reduction, options.components, job.run, job.seed);
  Record record = record_of(job);
  const std::vector<std::string> others = faims_yardsticks();
  if (std::find(others.begin(), others.end(), job.model) != others.end()) {
    fit_logistic_and_score(draw, job, record);
  } else {
    fit_and_score(draw, job, options, record);
  }
  return record;
}

}  // namespace mdgp::experiments
