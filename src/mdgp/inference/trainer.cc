#include "mdgp/inference/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "mdgp/inference/free_vector.h"
#include "mdgp/inference/natural_gradient.h"
#include "mdgp/linalg/check.h"
#include "mdgp/linalg/parallel.h"

namespace mdgp {
namespace {

constexpr Index kMaxFailuresInARow = 20;
constexpr double kSmoothing = 0.02;  // of the bound, for early stopping

std::vector<const Process*> natural_processes(const Model& model, const TrainOptions& options) {
  std::vector<const Process*> chosen;
  for (const std::string& name : options.natural_processes) {
    for_processes(model.cascade, [&](const Process& process, std::size_t, std::size_t) {
      if (process.name == name) chosen.push_back(&process);
    });
    if (chosen.empty() || chosen.back()->name != name) {
      refuse("train", "natural_processes", name, "the name of a process");
    }
  }
  if (!chosen.empty()) return chosen;
  const NaturalGradient which = options.natural;
  const std::size_t top = model.cascade.layers.size() - 1;
  for_processes(model.cascade, [&](const Process& process, std::size_t layer, std::size_t) {
    if (which == NaturalGradient::all || (which == NaturalGradient::top && layer == top)) {
      chosen.push_back(&process);
    }
  });
  return chosen;
}

std::vector<int> q_parameters(const std::vector<const Process*>& processes) {
  std::vector<int> ids;
  for (const Process* process : processes) {
    ids.push_back(process->q_mu);
    ids.push_back(process->q_sqrt);
  }
  return ids;
}

double natural_length(const TrainOptions& options, Index step) {
  const double grown =
      options.natural_ramp > 0
          ? std::min(1.0, static_cast<double>(step) / static_cast<double>(options.natural_ramp))
          : 1.0;
  return options.natural_start * std::pow(options.natural_step / options.natural_start, grown);
}

void check_options(const TrainOptions& o) {
  constexpr const char* kHere = "train";
  check_positive(kHere, "steps", static_cast<double>(o.steps));
  check_positive(kHere, "samples", static_cast<double>(o.samples));
  check_positive(kHere, "adam.learning_rate", o.adam.learning_rate);
  check_positive(kHere, "natural_step", o.natural_step);
  check_positive(kHere, "natural_start", o.natural_start);
}

class Run {
 public:
  Run(Model& model, const Objective& objective, const DataSet& data, const TrainOptions& options,
      TrainState& state)
      : model_(model),
        objective_(objective),
        options_(options),
        state_(state),
        batches_(data, model.cascade.tasks, options.batch_rows, options.balance, options.seed),
        natural_(natural_processes(model, options)),
        packing_(model.parameters, q_parameters(natural_)) {}

  // One step, to where the bound can be evaluated: what it is there, the next step begins with.
  // Throws NumericalError or std::invalid_argument, leaving model and state as they may be.
  TrainRecord step() {
    if (!evaluated_) evaluate(state_.step);
    TrainRecord record = here_;
    record.rate = options_.adam.learning_rate * rate_factor(record) * state_.rate_scale;
    record.natural = natural_steps(natural_length(options_, record.step) * state_.rate_scale);
    if (options_.natural_refresh && !natural_.empty()) evaluate(record.step);
    // Read anew in every step: a resumed run has nothing but the parameters, and log(exp(x)) is not
    // x to the last bit.
    packing_.read(model_.parameters, free_);
    adam_step(options_.adam, record.rate / options_.adam.learning_rate, free_gradient_, state_.adam,
              free_);
    packing_.write(free_, model_.parameters);
    if (!model_.parameters.values.allFinite()) {
      throw NumericalError("a parameter is not finite after the step");
    }
    evaluate(++state_.step);
    return record;
  }

  // Back to where the last good step left things.
  void restore(const Vector& values, const TrainState& state) {
    model_.parameters.values = values;
    state_ = state;
    evaluated_ = false;
  }

 private:
  // The bound on the batch of a step with its gradient and the priors', also as Adam sees it.
  void evaluate(Index step) {
    evaluated_ = false;
    BoundOptions how;
    how.samples = options_.samples;
    how.noise = {options_.seed, static_cast<std::uint32_t>(step), nullptr};
    how.kl_weight =
        options_.kl_warmup > 0
            ? std::min(1.0, static_cast<double>(step + 1) / static_cast<double>(options_.kl_warmup))
            : 1.0;
    const Batch batch = batches_.batch(static_cast<std::uint32_t>(step));
    how.task_scale = batches_.task_scale();
    here_.step = step;
    here_.value = objective_(batch, how, &gradient_);
    here_.value.bound = here_.value.expected_log_likelihood - here_.value.kl;
    here_.log_prior = log_prior(model_.parameters, &gradient_);
    if (!gradient_.allFinite()) throw NumericalError("the gradient is not finite");
    packing_.pull_back(model_.parameters, gradient_, free_gradient_);
    evaluated_ = true;
  }

  // Steps of that length, or shorter where they must be; returns the shortest taken.
  double natural_steps(double length) {
    natural_taken_.assign(natural_.size(), length);
    parallel_for(static_cast<Index>(natural_.size()), [&](Index i, int) {
      const auto p = static_cast<std::size_t>(i);
      natural_taken_[p] = natural_gradient_step(*natural_[p], gradient_, length, model_.parameters);
    });
    double shortest = length;
    for (const double taken : natural_taken_) shortest = std::min(shortest, taken);
    return shortest;
  }

  double rate_factor(const TrainRecord& record) {
    switch (options_.schedule) {
      case Schedule::constant:
        return 1.0;
      case Schedule::cosine:
        return cosine_factor(state_.step, options_.steps);
      case Schedule::plateau:
        return plateau_factor(state_.plateau, record.value.bound, options_.plateau_patience);
    }
    return 1.0;
  }

  Model& model_;
  const Objective& objective_;
  const TrainOptions& options_;
  TrainState& state_;
  Minibatches batches_;
  std::vector<const Process*> natural_;
  FreeVector packing_;
  std::vector<double> natural_taken_;
  TrainRecord here_;  // where the parameters are, before the step that begins there
  bool evaluated_ = false;
  Vector free_, gradient_, free_gradient_;
};

// Whether the score, smoothed where it is noisy, has not improved for `patience` steps.
bool has_converged(const TrainOptions& options, double score, bool noisy, Index steps,
                   TrainState& state) {
  const bool first = state.best == 0.0 && state.smoothed == 0.0;
  state.smoothed = first || !noisy ? score : state.smoothed + kSmoothing * (score - state.smoothed);
  if (first || state.smoothed > state.best) {
    state.best = state.smoothed;
    state.since_best = 0;
    return false;
  }
  state.since_best += steps;
  return options.patience > 0 && state.since_best >= options.patience;
}

}  // namespace

TrainSummary train(Model& model, const DataSet& data, const TrainOptions& options,
                   TrainState& state, const TrainCallback& callback) {
  Bound bound(model);
  const Objective objective = [&](const Batch& batch, const BoundOptions& how, Vector* gradient) {
    return bound(batch, how, gradient);
  };
  return train(model, objective, data, options, state, callback);
}

TrainSummary train(Model& model, const Objective& objective, const DataSet& data,
                   const TrainOptions& options, TrainState& state, const TrainCallback& callback) {
  check_options(options);
  model.members.clear();
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  TrainSummary summary;
  summary.message = fmt::format("{} steps done", options.steps);
  Run run(model, objective, data, options, state);
  Vector good_values = model.parameters.values;
  TrainState good_state = state;
  Index failures_in_a_row = 0;
  bool converged = options.patience > 0 && state.since_best >= options.patience;  // when resumed
  while (state.step < options.steps && !converged) {
    TrainRecord record;
    try {
      record = run.step();
    } catch (const std::exception& error) {
      // NumericalError, or a parameter that a step has driven out of its range.
      run.restore(good_values, good_state);
      state.rate_scale *= 0.5;
      good_state.rate_scale = state.rate_scale;
      good_state.failures = ++state.failures;
      summary.failures.push_back(
          fmt::format("step {}: {}; going on with half the step", state.step, error.what()));
      if (++failures_in_a_row <= kMaxFailuresInARow) continue;
      summary.termination = Termination::failed;
      summary.message = fmt::format("gave up after {} failures in a row; the last: {}",
                                    failures_in_a_row, summary.failures.back());
      break;
    }
    failures_in_a_row = 0;
    ++summary.steps;
    record.seconds = seconds();
    if (record.step % std::max<Index>(options.record_every, 1) == 0 ||
        state.step == options.steps) {
      summary.records.push_back(record);
    }
    if (options.validate) {
      if (state.step % options.validate_every == 0) {
        converged =
            has_converged(options, options.validate(model), false, options.validate_every, state);
      }
    } else if (options.patience > 0) {
      converged = has_converged(options, record.value.bound + record.log_prior, true, 1, state);
    }
    good_values = model.parameters.values;
    good_state = state;
    if (callback && callback(record, model, state) == TrainAction::stop) {
      summary.termination = Termination::stopped;
      summary.message = fmt::format("stopped after step {}", state.step);
      break;
    }
  }
  if (converged && summary.termination != Termination::stopped) {
    summary.termination = Termination::converged;
    summary.message = fmt::format("no improvement for {} steps", options.patience);
  }
  summary.seconds = seconds();
  return summary;
}

}  // namespace mdgp
