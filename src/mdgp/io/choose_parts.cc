#include "mdgp/io/choose_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mdgp {
namespace {

constexpr std::pair<Schedule, std::string_view> kSchedules[] = {
    {Schedule::constant, "constant"}, {Schedule::cosine, "cosine"}, {Schedule::plateau, "plateau"}};
constexpr std::pair<NaturalGradient, std::string_view> kNatural[] = {
    {NaturalGradient::none, "none"}, {NaturalGradient::top, "top"}, {NaturalGradient::all, "all"}};

// Targets of a task, on average, up to which hyperparameters are drawn, and how often.
constexpr std::size_t kFewTargets = 50;
constexpr Index kHyperparameterSamples = 50;
// What a sweep over the hyperparameters may cost by itself, and at most (work_of_draws): seconds
// for all draws, and hours.
constexpr double kLittleWork = 1e7, kMostWork = 3e9;

// Of the products that a marginal likelihood and its hyperparameters take, and how often a sweep
// takes them.
double work_of_draws(const ModelSpec& spec, const DataSet& data) {
  const auto inputs = static_cast<double>(spec.inputs);
  const auto work = [&](double n) { return n * n * (n + inputs) + inputs * inputs; };
  const auto tasks = static_cast<double>(spec.tasks.size());
  if (is_coregionalised(spec.model)) {
    return (tasks + 1.0) * work(static_cast<double>(data.observations.size()));
  }
  std::vector<double> counts(spec.tasks.size(), 0.0);
  for (const Observation& o : data.observations) counts[static_cast<std::size_t>(o.task)] += 1.0;
  double sum = 0.0;
  for (const double n : counts) sum += 3.0 * work(n);
  return sum;
}

template <class Table, class Value>
std::string name_in(const Table& table, Value value) {
  for (const auto& [each, name] : table) {
    if (each == value) return std::string(name);
  }
  return {};
}

}  // namespace

void contradiction(const std::string& what) { throw OptionError(what); }

bool is_set(const FitSettings& settings, std::string_view key) {
  const Option& option = *find_option(key);
  return option_text(settings, option) != option_text(FitSettings{}, option);
}

void refuse_options(const FitSettings& settings, const std::vector<std::string_view>& keys,
                    std::string_view why) {
  for (const std::string_view key : keys) {
    if (!is_set(settings, key)) continue;
    contradiction(
        fmt::format("--{} {}: {}", key, shown(option_text(settings, *find_option(key))), why));
  }
}

std::string steps_text(const TrainOptions& train, bool fills_time) {
  const std::string rows = train.batch_rows > 0 ? fmt::format("{}", train.batch_rows) : "all";
  if (fills_time) return fmt::format("steps of {} rows, as many as there is time for", rows);
  return fmt::format("{} steps of {} rows", train.steps, rows);
}

std::vector<TaskSpec> task_specs(const FitSettings& s, const Schema& schema) {
  std::vector<TaskSpec> tasks;
  for (const TaskColumn& task : schema.tasks) {
    switch (task.kind) {
      case TaskKind::regression:
        tasks.push_back({s.regression.value_or("gaussian"), 0});
        break;
      case TaskKind::binary:
        tasks.push_back({"bernoulli", 0});
        break;
      case TaskKind::classes:
        tasks.push_back({s.classification, static_cast<int>(task.labels.size())});
        break;
      case TaskKind::count:
        tasks.push_back({"poisson", 0});
        break;
    }
  }
  return tasks;
}

void choose_tails(const FitSettings& s, bool exact_top, ModelSpec& spec) {
  if (s.regression == "heavy_tailed" && !exact_top) {
    contradiction(fmt::format(
        "--regression heavy_tailed: for models whose top layer is or starts as an exact GP, which "
        "{} here is not; student_t is for any",
        spec.model));
  }
  if (s.regression || !exact_top) return;
  for (TaskSpec& task : spec.tasks) {
    if (task.likelihood == "gaussian") task.likelihood = "heavy_tailed";
  }
}

Index choose_hyperparameter_samples(const FitSettings& s, bool exact_top, const ModelSpec& spec,
                                    const DataSet& data) {
  if (s.hyperparameter_samples.value_or(0) > 0 && !exact_top) {
    contradiction(
        fmt::format("--hyperparameter-samples {}: for models whose top layer is or starts as an "
                    "exact GP, with priors, which {} here is not; 0 is for any",
                    *s.hyperparameter_samples, spec.model));
  }
  const double work = work_of_draws(spec, data);
  if (s.hyperparameter_samples.value_or(0) > 0 && work > kMostWork) {
    contradiction(
        fmt::format("--hyperparameter-samples {}: {} targets of {} inputs are too many to draw for",
                    *s.hyperparameter_samples, data.observations.size(), spec.inputs));
  }
  const bool want = exact_top && !is_shallow(spec.model) && work <= kLittleWork &&
                    data.observations.size() <= kFewTargets * spec.tasks.size();
  return s.hyperparameter_samples.value_or(want ? kHyperparameterSamples : 0);
}

void apply_training(const FitSettings& s, Index rows, TrainOptions& train) {
  train.steps = s.steps.value_or(train.steps);
  train.batch_rows = s.batch.value_or(train.batch_rows);
  if (train.batch_rows >= rows) train.batch_rows = 0;
  train.samples = s.samples.value_or(train.samples);
  train.adam.learning_rate = s.learning_rate.value_or(train.adam.learning_rate);
  train.seed = s.seed;
  for (const auto& [schedule, name] : kSchedules) {
    if (s.schedule == name) train.schedule = schedule;
  }
  for (const auto& [natural, name] : kNatural) {
    if (s.natural_gradient == name) train.natural = natural;
  }
  train.natural_step = s.natural_step.value_or(train.natural_step);
  train.kl_warmup = s.kl_warmup;
  train.balance = s.balance == "balanced" ? BatchBalance::balanced : BatchBalance::proportional;
  train.patience = s.patience;
}

void note_training(const TrainOptions& train, FitSettings& settings) {
  settings.schedule = name_in(kSchedules, train.schedule);
  settings.steps = train.steps;
  settings.batch = train.batch_rows;
  settings.samples = train.samples;
  settings.learning_rate = train.adam.learning_rate;
}

std::string natural_name(NaturalGradient natural) { return name_in(kNatural, natural); }

std::map<std::string, std::string> option_texts(const FitSettings& settings) {
  std::map<std::string, std::string> texts;
  for (const Option& option : fit_options()) {
    texts[std::string(option.key)] = option_text(settings, option);
  }
  return texts;
}

}  // namespace mdgp
