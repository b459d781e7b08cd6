#include "mnist.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "fit_record.h"
#include "inducing_image.h"
#include "mdgp/baselines/baseline.h"
#include "mdgp/io/run_plan.h"
#include "mdgp/metrics/metrics.h"
#include "mdgp/posterior/posterior.h"
#include "yardstick.h"

namespace mdgp::experiments {
namespace {

constexpr const char* kSvm = "svm-pooled";
constexpr const char* kForest = "forest-pooled";
constexpr int kSvmFolds = 5;
constexpr Index kShallowInducing = 100;  // for each task
constexpr Index kShallowSteps = 500, kShallowBatch = 300;

bool is_known(std::string_view model) {
  const std::vector<std::string_view>& known = find_option("model")->choices;
  return std::find(known.begin(), known.end(), model) != known.end();
}

bool is_process_model(std::string_view model) {
  const std::vector<std::string_view> names = model_names();
  return std::find(names.begin(), names.end(), model) != names.end();
}

bool is_pooled(std::string_view model) { return model == kSvm || model == kForest; }
bool is_iterative(std::string_view model) { return model != "irf" && !is_pooled(model); }

// The three tasks as one, for what does not know of tasks.
void pool_tasks(MnistDraw& draw) {
  draw.schema.tasks.resize(1);
  draw.schema.tasks.front().observed = draw.train.x.rows();
  for (Observation& o : draw.train.observations) o.task = 0;
}

void add_accuracies(const std::vector<double>& by_task, Record& record) {
  for (int task = 0; task < kMnistTaskCount; ++task) {
    const double share = by_task[static_cast<std::size_t>(task)];
    record.scores[fmt::format("acc_{}", kMnistTasks[task])] = share;
    record.scores["accuracy"] += share / kMnistTaskCount;
  }
}

void score(const Posterior& posterior, const MnistDraw& draw, bool pooled,
           const PredictOptions& options, Record& record) {
  std::vector<double> accuracies;
  for (std::size_t task = 0; task < draw.test_x.size(); ++task) {
    const Prediction y =
        posterior.predict(view_of(draw.test_x[task]), pooled ? 0 : static_cast<int>(task), options);
    accuracies.push_back(accuracy(draw.test_y[task], view_of(y.mean)));
    const double loss = log_loss(draw.test_y[task], view_of(y.mean));
    record.lists["log_loss_by_task"].push_back(loss);
    record.scores["log_loss"] += loss / kMnistTaskCount;
  }
  add_accuracies(accuracies, record);
}

void fit_model(const FitSettings& settings, const MnistOptions& options, MnistDraw& draw,
               Record& record) {
  const bool pooled = is_pooled(record.model);
  if (pooled) pool_tasks(draw);
  const FitPlan plan = choose(settings, draw.schema, draw.train);
  PlanResult result = run_plan(plan, draw.train);
  add_fit(result, record);
  if (record.run == 0 && record.model == "mmdgp") {
    const Model before = start_model(plan, draw.train);
    for (auto& [name, image] : inducing_images(draw, before, result.model)) {
      record.lists[name] = std::move(image);
    }
  }
  const Posterior posterior = make_posterior(result.spec, std::move(result.model));
  score(posterior, draw, pooled, {.samples = options.samples, .seed = settings.seed}, record);
}

// It has labels, no probabilities.
void fit_svm(const MnistDraw& draw, std::uint64_t seed, Record& record) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<int> labels;
  for (const Observation& o : draw.train.observations) labels.push_back(static_cast<int>(o.y));
  const SvmChoice choice = choose_svm(draw.train.x, labels, kSvmFolds, seed);
  std::vector<double> accuracies;
  for (std::size_t task = 0; task < draw.test_x.size(); ++task) {
    const std::vector<int> found =
        svm_labels(draw.train.x, labels, draw.test_x[task], choice.c, choice.gamma);
    double right = 0.0;
    for (std::size_t i = 0; i < found.size(); ++i) right += found[i] == draw.test_y[task][i];
    accuracies.push_back(right / static_cast<double>(found.size()));
  }
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  record.scores["c"] = choice.c;
  record.scores["gamma"] = choice.gamma;
  add_accuracies(accuracies, record);
}

}  // namespace

const std::vector<std::string>& mnist_yardsticks() {
  static const std::vector<std::string> all = {kSvm, kForest};
  return all;
}

std::vector<std::string> mnist_models() {
  std::vector<std::string> models;
  for (const char* name : {"smdgp", "mmdgp", "cmdgp", "idgp", "cgp", "igp", "mann2", "mann3",
                           "mbnn2", "mbnn3", "irf"}) {
    if (is_known(name)) models.emplace_back(name);
  }
  models.insert(models.end(), mnist_yardsticks().begin(), mnist_yardsticks().end());
  return models;
}

MnistSettings mnist_settings(const std::string& model, const std::string& preset,
                             std::uint64_t seed) {
  MnistSettings s;
  s.fit.model = model == kForest ? "irf" : model;
  s.fit.preset = is_pooled(model) ? "" : preset;
  s.fit.seed = seed;
  if (model == kSvm) {
    s.components = 50;
    s.whitening = 0.3;
  } else if (preset.empty() && is_process_model(model)) {
    s.components = 50;
    s.fit.classification = "robustmax";
    if (is_shallow(model)) {  // the deep ones have a recipe for labels
      s.fit.inducing = is_coregionalised(model) ? 3 * kShallowInducing : kShallowInducing;
      s.fit.steps = kShallowSteps;
      s.fit.batch = kShallowBatch;
    }
  }
  return s;
}

Record fit_mnist(const MnistData& data, const Job& job, const MnistOptions& options) {
  const std::uint64_t seed = job.seed + static_cast<std::uint64_t>(job.run);
  MnistSettings settings = mnist_settings(job.model, job.settings, seed);
  if (options.steps > 0 && is_iterative(job.model)) settings.fit.steps = options.steps;
  MnistDraw draw = experiments::draw(data, job.size, job.run, job.seed);
  if (settings.components > 0) {
    use_components(draw, std::min(settings.components, draw.train.x.rows()), settings.whitening);
  }
  Record record = record_of(job);
  if (job.model == kSvm) {
    fit_svm(draw, seed, record);
  } else {
    fit_model(settings.fit, options, draw, record);
  }
  return record;
}

}  // namespace mdgp::experiments
