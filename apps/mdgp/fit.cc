#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "commands.h"
#include "mdgp/baselines/baseline.h"
#include "mdgp/baselines/forest.h"
#include "mdgp/io/atomic_file.h"
#include "mdgp/io/checkpoint.h"
#include "mdgp/io/run_plan.h"
#include "mdgp/linalg/parallel.h"
#include "mdgp/metrics/evaluate.h"
#include "output.h"
#include "progress.h"
#include "scores.h"
#include "stop_signal.h"
#include "training_rows.h"

namespace mdgp::program {
namespace {

using Clock = std::chrono::steady_clock;
constexpr Index kMostPoints = 200;  // of the record that a model file keeps
constexpr Index kTimedSteps = 5;    // from which --time tells how many there is time for

// Between checkpoints; the environment may say otherwise, as the tests do.
double checkpoint_seconds() {
  const char* text = std::getenv("MDGP_CHECKPOINT_SECONDS");
  return text != nullptr ? std::atof(text) : 5.0;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

FitSettings gather_settings(const FitOptions& options) {
  FitSettings settings;
  if (!options.config.empty()) read_config(options.config, settings);
  for (const auto& [key, text] : options.flags) {
    set_option(settings, *find_option(key), text, fmt::format("--{}", key));
  }
  if (settings.components && settings.reduce == "none") {
    throw OptionError("--components goes with --reduce pca or sparse-pca");
  }
  return settings;
}

// One training run: where it stands, and what it writes on its way.
class Run {
 public:
  Run(const FitOptions& options, const FitSettings& settings, const Rows& rows, FitPlan& plan)
      : options_(options),
        settings_(settings),
        rows_(rows),
        plan_(plan),
        checkpoint_path_(options.out + ".checkpoint") {}

  void prepare() {
    FittedModel& fitted = at_.fitted;
    fitted.schema = rows_.schema;
    fitted.spec = plan_.spec;
    if (!plan_.train_inducing.empty()) fitted.spec.top_inducing = plan_.train_inducing;
    at_.data = fingerprint(rows_.train);
    fitted.training.source = rows_.source;
    fitted.training.rows = rows_.train.x.rows();
    fitted.training.observations = static_cast<Index>(rows_.train.observations.size());
    if (!options_.resume) check_nothing_lost();
    fitted.model = start_model(plan_, rows_.train,
                               options_.resume ? StartValues::from_checkpoint : StartValues::found);
    if (options_.resume) {
      take_up();
    } else if (plan_.fills_time) {
      plan_.train.steps = steps_in(settings_.time);
      plan_.settings["steps"] = fmt::format("{}", plan_.train.steps);
    }
    fitted.settings = plan_.settings;
  }

  // False where it was interrupted. It keeps nothing on its way: it is for few rows.
  bool lbfgs() {
    StopSignal signal;
    Progress progress;
    const Clock::time_point start = Clock::now();
    bool out_of_time = false;
    const auto go_on = [&](int evaluations, double best) {
      progress.show("training", fraction(evaluations, seconds_since(start)),
                    fmt::format("bound {:.1f}", best));
      out_of_time = settings_.time > 0.0 && seconds_since(start) >= settings_.time;
      return !stop_wanted() && !out_of_time;
    };
    const LbfgsSummary summary = search_plan(plan_, rows_.train, at_.fitted.model, go_on);
    if (summary.stopped && !out_of_time) {
      fmt::print(stderr, "mdgp: interrupted; L-BFGS cannot be resumed, so start again\n");
      return false;
    }
    TrainingNotes& notes = at_.fitted.training;
    notes.steps = summary.iterations;
    notes.points.push_back({summary.iterations, summary.value});
    notes.outcome = out_of_time ? fmt::format("{:g} s are over", settings_.time) : summary.message;
    return true;
  }

  // False where it was interrupted or gave up.
  bool adam() {
    StopSignal signal;
    if (settings_.valid > 0.0 && settings_.patience > 0) watch_held_out();
    const Clock::time_point start = Clock::now();
    Clock::time_point last_saved = start;
    const double before = at_.seconds, save_every = checkpoint_seconds();
    bool out_of_time = false;
    TrainSummary summary;
    {
      Progress progress;
      summary = train_plan(
          plan_, plan_.train, rows_.train, at_.fitted.model, at_.state,
          [&](const TrainRecord& record, const Model&, const TrainState& state) {
            note(record);
            progress.show("training", fraction(state.step, before + seconds_since(start)),
                          fmt::format("step {}  bound {:.1f}", state.step, record.value.bound));
            at_.seconds = before + seconds_since(start);
            if (seconds_since(last_saved) > save_every) {
              save();
              last_saved = Clock::now();
            }
            out_of_time = settings_.time > 0.0 && at_.seconds >= settings_.time;
            return stop_wanted() || out_of_time ? TrainAction::stop : TrainAction::go_on;
          });
    }
    for (const std::string& failure : summary.failures) fmt::print(stderr, "mdgp: {}\n", failure);
    TrainingNotes& notes = at_.fitted.training;
    notes.steps = at_.state.step;
    notes.outcome = out_of_time ? fmt::format("{:g} s are over", settings_.time)
                    : plan_.fills_time
                        ? fmt::format("{}, which {:g} s allow", summary.message, settings_.time)
                        : summary.message;
    if (summary.termination == Termination::failed) {
      fmt::print(stderr, "mdgp: {}\n", summary.message);
      return false;
    }
    if (!stop_wanted() || at_.state.step >= plan_.train.steps) return true;
    save();
    fmt::print(stderr,
               "mdgp: interrupted after step {} of {}; the same command with --resume goes on from "
               "there\n",
               at_.state.step, plan_.train.steps);
    return false;
  }

  // False where it was interrupted.
  bool finish() {
    if (plan_.hyperparameter_samples > 0) return draw_hyperparameters();
    at_.fitted.model = finish_model(plan_, rows_.train, std::move(at_.fitted.model));
    at_.fitted.spec = plan_.spec;
    return true;
  }

  FittedModel& fitted() { return at_.fitted; }
  double seconds() const { return at_.seconds; }
  double drawing_seconds() const { return drawing_seconds_; }
  void remove_checkpoint() const { std::filesystem::remove(checkpoint_path_); }

 private:
  // finish() with draws, which take a while.
  bool draw_hyperparameters() {
    StopSignal signal;
    const Clock::time_point start = Clock::now();
    const bool resumable = !plan_.exact && !plan_.lbfgs;
    if (resumable) save();
    bool stopped = false;
    Model finished;
    {
      Progress progress;
      finished = finish_model(plan_, rows_.train, at_.fitted.model, [&](double done) {
        progress.show("averaging", done, "draws of hyperparameters");
        stopped = stop_wanted();
        return !stopped;
      });
    }
    if (stopped) {
      fmt::print(stderr, "mdgp: interrupted while drawing hyperparameters; {}\n",
                 resumable ? "the same command with --resume goes on after the training"
                           : "exact models cannot be resumed, so start again");
      return false;
    }
    at_.fitted.model = std::move(finished);
    at_.fitted.spec = plan_.spec;
    drawing_seconds_ = seconds_since(start);
    return true;
  }

  double fraction(Index step, double seconds) const {
    const double done = static_cast<double>(step) / static_cast<double>(plan_.train.steps);
    return settings_.time > 0.0 ? std::max(done, seconds / settings_.time) : done;
  }

  void note(const TrainRecord& record) {
    const Index every = std::max<Index>(plan_.train.steps / kMostPoints, 1);
    if (record.step % every == 0) {
      at_.fitted.training.points.push_back({record.step, record.value.bound});
    }
  }

  void save() const { save_checkpoint(checkpoint_path_, at_); }

  void watch_held_out() {
    plan_.train.validate = [this](const Model& model) {
      const Posterior posterior = make_posterior(at_.fitted.spec, model);
      Evaluator evaluator(posterior, rows_.schema, {.samples = 10});
      evaluator.add(rows_.held_out);
      double sum = 0.0;
      for (const TaskScores& task : evaluator.finish().tasks) {
        for (const auto& [name, value] : task.scores) {
          if (name == "nlpp" || name == "log_loss") sum -= value;
        }
      }
      return sum;
    };
  }

  // On a copy, so that the run itself begins at its first step.
  Index steps_in(double seconds) const {
    Model copy = at_.fitted.model;
    TrainOptions options = plan_.train;
    options.steps = kTimedSteps;
    TrainState state;
    train_plan(plan_, options, rows_.train, copy, state);  // memory and caches
    state = {};
    const TrainSummary summary = train_plan(plan_, options, rows_.train, copy, state);
    const double each = std::max(summary.seconds_per_step(), 1e-6);
    const auto most = static_cast<double>(settings_.steps.value_or(Index{10'000'000}));
    return static_cast<Index>(std::clamp(0.95 * seconds / each, 1.0, most));
  }

  // A run that was interrupted is somebody's hours.
  void check_nothing_lost() const {
    if (!std::filesystem::exists(checkpoint_path_)) return;
    throw FileError(
        fmt::format("{} holds an unfinished run; --resume goes on with it, else delete it first",
                    checkpoint_path_));
  }

  void take_up() {
    if (!std::filesystem::exists(checkpoint_path_)) {
      throw FileError(fmt::format("--resume: there is no unfinished run at {}", checkpoint_path_));
    }
    Checkpoint found = load_checkpoint(checkpoint_path_);
    // What decides which rows there are, then the rows, then what is chosen by them; of that the
    // model first, on which the rest depends.
    for (const char* key : {"task", "target", "targets", "inputs", "types", "reduce", "components",
                            "valid", "seed"}) {
      check_setting(found, key);
    }
    if (found.data != at_.data) {
      throw FileError(
          fmt::format("--resume: the run at {} was started on other rows than {} has now",
                      checkpoint_path_, rows_.source));
    }
    check_setting(found, "model");
    for (const auto& [key, now] : plan_.settings) check_setting(found, key);
    plan_.settings = found.fitted.settings;
    plan_.train.steps = steps_of(found);
    at_.fitted.model.parameters.values = found.fitted.model.parameters.values;
    at_.fitted.training = found.fitted.training;
    at_.state = found.state;
    at_.seconds = found.seconds;
    fmt::print("resumed   after step {} of {}\n", at_.state.step, plan_.train.steps);
  }

  Index steps_of(const Checkpoint& found) const {
    const auto text = found.fitted.settings.find("steps");
    FitSettings read;
    if (text != found.fitted.settings.end()) {
      set_option(read, *find_option("steps"), text->second, checkpoint_path_);
    }
    if (!read.steps)
      throw FileError(fmt::format("{}: it does not say its steps", checkpoint_path_));
    return *read.steps;
  }

  void check_setting(const Checkpoint& found, const std::string& key) const {
    const auto then = found.fitted.settings.find(key);
    // An option that came after that run was as it is by itself.
    const bool unknown = then == found.fitted.settings.end();
    const std::string before =
        unknown ? option_text(FitSettings{}, *find_option(key)) : then->second;
    const std::string& now = plan_.settings.at(key);
    if (before == now || (unknown && before.empty()) || (key == "steps" && settings_.time > 0.0))
      return;
    throw FileError(fmt::format("--resume: the run at {} was started with --{} {}, not {}",
                                checkpoint_path_, key, before.empty() ? "unset" : before,
                                now.empty() ? "unset" : now));
  }

  const FitOptions& options_;
  const FitSettings& settings_;
  const Rows& rows_;
  FitPlan& plan_;
  std::string checkpoint_path_;
  Checkpoint at_;
  double drawing_seconds_ = 0.0;
};

void score_held_out(const Rows& rows, FittedModel& fitted) {
  const Posterior posterior = make_posterior(fitted.spec, fitted.model);
  Evaluator evaluator(posterior, rows.schema, {});
  evaluator.add(rows.held_out);
  const Evaluation evaluation = evaluator.finish();
  for (const auto& [name, value] : evaluation.overall) fitted.training.held_out[name] = value;
  fmt::print("\nheld-out rows\n");
  print_scores(evaluation);
}

// It takes seconds and keeps nothing on its way.
int fit_forest(const FitOptions& options, const Rows& rows, const FitPlan& plan) {
  if (options.resume) {
    throw OptionError(
        fmt::format("--resume: {} is trained in one go; start again", plan.spec.model));
  }
  PlanResult result = run_plan(plan, rows.train);
  TrainingNotes notes;
  notes.source = rows.source;
  notes.rows = rows.train.x.rows();
  notes.observations = static_cast<Index>(rows.train.observations.size());
  notes.steps = plan.spec.forest.trees;
  notes.outcome = "each a tree of every task";
  FittedModel fitted{rows.schema, std::move(result.spec), std::move(result.model), plan.settings,
                     notes};
  fmt::print("trained   {} trees of each task in {:.1f} s\n", notes.steps, result.seconds);
  if (rows.held_out.x.rows() > 0) score_held_out(rows, fitted);
  save_model(options.out, fitted);
  fmt::print("written   {}\n", options.out);
  return 0;
}

}  // namespace

int fit(const FitOptions& options) {
  if (options.threads > 0) set_num_threads(options.threads);
  FitSettings settings = gather_settings(options);
  check_output(options.out, {{options.table, "the table"}, {options.config, "the configuration"}});
  AtomicFile{options.out};  // throws now rather than after hours
  const Rows rows = read_rows(options.table, settings);
  if (rows.schema.reduction != "none") settings.components = rows.schema.input_width();
  FitPlan plan = choose(settings, rows.schema, rows.train);
  const char* label = "model";
  for (const std::string& reason : plan.reasons) {
    fmt::print("{:<10}{}\n", label, reason);
    label = "";
  }
  std::fflush(stdout);
  if (is_forest(plan.spec.model)) return fit_forest(options, rows, plan);
  Run run(options, settings, rows, plan);
  run.prepare();
  const Clock::time_point start = Clock::now();
  const bool searched = plan.lbfgs || plan.exact;
  if (!(searched ? run.lbfgs() : run.adam())) return 1;
  const double searching = seconds_since(start);
  if (!run.finish()) return 1;
  const double seconds = searched ? searching : run.seconds();
  const TrainingNotes& notes = run.fitted().training;
  fmt::print("trained   {} steps in {:.1f} s ({}), bound {:.1f}\n", notes.steps, seconds,
             notes.outcome, notes.points.empty() ? 0.0 : notes.points.back().bound);
  if (plan.hyperparameter_samples > 0) {
    fmt::print("averaged  {} draws of hyperparameters, made in {:.1f} s\n",
               plan.hyperparameter_samples, run.drawing_seconds());
  }
  if (rows.held_out.x.rows() > 0) score_held_out(rows, run.fitted());
  save_model(options.out, run.fitted());
  run.remove_checkpoint();
  fmt::print("written   {}\n", options.out);
  return 0;
}

}  // namespace mdgp::program
