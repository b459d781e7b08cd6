#include "sarcos.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "fit_record.h"
#include "mdgp/baselines/baseline.h"
#include "mdgp/inference/bound.h"
#include "mdgp/io/run_plan.h"
#include "mdgp/metrics/metrics.h"
#include "report.h"

namespace mdgp::experiments {
namespace {

constexpr int kTimedBounds = 7;
constexpr Index kLargeTop = 1500;  // inducing inputs of a process, whose samples are slow

double share(const Vector& p, double low, double high) {
  return (p.array() >= low && p.array() <= high).cast<double>().mean();
}

std::vector<Index> rows_with(const Matrix& test_y, int task) {
  std::vector<Index> rows;
  for (Index r = 0; r < test_y.rows(); ++r) {
    if (!std::isnan(test_y(r, task))) rows.push_back(r);
  }
  return rows;
}

void score_task(const Posterior& posterior, const SarcosDraw& draw, int task,
                const PredictOptions& options, Record& record) {
  const std::vector<Index> rows = rows_with(draw.test_y, task);
  const Matrix x = draw.test_x(rows, Eigen::all);
  const Vector y = draw.test_y.col(task)(rows);
  const Mixture f = posterior.latent(view_of(x), task, options);
  const Vector mean = posterior.predict(f, task).mean.col(0);
  record.lists["rmse_by_task"].push_back(rmse(y, mean));
  record.lists["relative_rmse_by_task"].push_back(std::sqrt(smse(y, mean)));
  record.lists["nlpp_by_task"].push_back(nlpp(posterior.log_density(f, task, y)));
  // P(Y <= y): uniform where the model knows how much it knows.
  const Vector p = posterior.distribution(f, task, y);
  for (const auto& [name, nominal] : ReportOptions{}.intervals) {
    record.scores[name] += share(p, 0.5 - 0.5 * nominal, 0.5 + 0.5 * nominal) / kJoints;
  }
  std::vector<double>& calibration = record.lists["calibration"];
  calibration.resize(kCalibrationLevels, 0.0);
  for (std::size_t k = 0; k < kCalibrationLevels; ++k) {
    calibration[k] += share(p, 0.0, calibration_level(k)) / kJoints;
  }
}

Index largest_top(const Model& model) {
  Index largest = 0;
  if (model.cascade.layers.empty()) return largest;  // a baseline
  for (const Process& process : model.cascade.layers.back().processes) {
    largest = std::max(largest, process.inducing);
  }
  return largest;
}

void score(const Posterior& posterior, const SarcosDraw& draw, const PredictOptions& options,
           Record& record) {
  for (int task = 0; task < kJoints; ++task) score_task(posterior, draw, task, options, record);
  for (const char* name : {"rmse", "relative_rmse", "nlpp"}) {
    record.scores[name] = mean_error(record.lists.at(fmt::format("{}_by_task", name))).mean;
  }
}

// A model of the size that is trained.
Model training_model(const FitPlan& plan, const DataSet& data) {
  ModelSpec spec = plan.spec;
  if (!plan.train_inducing.empty()) spec.top_inducing = plan.train_inducing;
  Model model = make_model(spec);
  initialise(model, data, plan.initialise);
  return model;
}

// Median time of the bound and its gradient on a batch as in training. The first two evaluations
// find their memory and are not counted.
double bound_milliseconds(const Model& model, const FitPlan& plan, const DataSet& data) {
  const TrainOptions& train = plan.train;
  Minibatches batches(data, model.cascade.tasks, plan.lbfgs ? 0 : train.batch_rows, train.balance,
                      train.seed);
  Bound bound(model);
  Vector gradient;
  std::vector<double> times;
  for (int i = 0; i < kTimedBounds + 2; ++i) {
    const auto step = static_cast<std::uint32_t>(i);
    const Batch batch = batches.batch(step);
    BoundOptions options;
    options.samples = train.samples;
    options.task_scale = batches.task_scale();
    options.noise = {train.seed, step, nullptr};
    const auto start = std::chrono::steady_clock::now();
    bound(batch, options, &gradient);
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
  }
  times.erase(times.begin(), times.begin() + 2);
  std::nth_element(times.begin(), times.begin() + kTimedBounds / 2, times.end());
  return times[kTimedBounds / 2];
}

}  // namespace

std::string variant_of(const SarcosData& data, Protocol protocol) {
  const bool held_out = protocol == Protocol::held_out;
  if (data.origin == "simulated" && !held_out) return data.origin;
  const std::string name = held_out ? "held-out" : protocol == Protocol::clean ? "clean" : "paper";
  return data.origin == "pool" ? name : fmt::format("{} {}", name, data.origin);
}

Record fit_sarcos(const SarcosData& data, const Job& job, const SarcosOptions& options) {
  const SarcosDraw draw = experiments::draw(data, options.protocol, job.size, job.run, job.seed);
  FitSettings settings;
  settings.model = job.model;
  settings.preset = job.settings;
  settings.seed = job.seed + static_cast<std::uint64_t>(job.run);
  const FitPlan plan = choose(settings, draw.schema, draw.train);
  PlanResult result = run_plan(plan, draw.train);

  Record record = record_of(job);
  add_fit(result, record);
  if (job.run == 0) {
    add_ard(result.model, record);
    if (!plan.exact && !is_baseline(job.model)) {  // which have no bound of a cascade
      record.scores["bound_ms"] =
          bound_milliseconds(training_model(plan, draw.train), plan, draw.train);
    }
  }
  const Index samples =
      largest_top(result.model) < kLargeTop ? options.samples : options.samples_of_large;
  const Posterior posterior = make_posterior(result.spec, std::move(result.model));
  score(posterior, draw, {.samples = samples, .seed = settings.seed}, record);
  return record;
}

}  // namespace mdgp::experiments
