// Training: the bound is climbed with Adam, with natural gradients for the q of some processes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mdgp/inference/adam.h"
#include "mdgp/inference/minibatch.h"
#include "mdgp/models/model.h"

namespace mdgp {

// Which processes have their q moved by natural gradients instead of by Adam.
enum class NaturalGradient { none, top, all };

struct TrainOptions {
  Index steps = 2000;
  Index batch_rows = 0;  // 0: all rows in every step
  BatchBalance balance = BatchBalance::proportional;
  Index samples = 1;  // Monte Carlo samples of the inner layers
  std::uint64_t seed = 1;

  AdamOptions adam;
  Schedule schedule = Schedule::cosine;
  Index plateau_patience = 200;  // steps, Schedule::plateau

  NaturalGradient natural = NaturalGradient::top;
  std::vector<std::string> natural_processes;  // by name, in place of the above where not empty
  double natural_step = 0.1;                   // its length once it is grown
  double natural_start = 1e-4;                 // grows geometrically from here …
  Index natural_ramp = 100;                    // … over so many steps
  // Adam's gradient is evaluated anew after the natural step: Adam sees a top layer that is up to
  // date and bears larger rates, at twice the cost of a step.
  bool natural_refresh = false;

  Index kl_warmup = 0;  // steps over which the weight of the KL grows from 0 to 1

  // Stop early where the smoothed bound (or, with `validate`, the held-out score) has not improved
  // for so many steps; 0: never.
  Index patience = 0;
  Index validate_every = 50;
  std::function<double(const Model&)> validate;  // larger is better

  Index record_every = 10;
};

struct TrainRecord {
  Index step = 0;
  BoundValue value;  // of that step's batch, KL at its full weight
  double log_prior = 0.0;
  double rate = 0.0;     // Adam's learning rate
  double natural = 0.0;  // shortest natural step taken
  double seconds = 0.0;  // since the run (or its resumption) began
};

enum class Termination { steps_done, converged, stopped, failed };

// All that a run needs to go on where it was: with the same model, data and options, the steps that
// follow are the same to the last bit.
struct TrainState {
  Index step = 0;
  AdamState adam;
  PlateauState plateau;
  double rate_scale = 1.0;  // shrinks with every numerical failure
  Index failures = 0;
  double smoothed = 0.0, best = 0.0;
  Index since_best = 0;
};

struct TrainSummary {
  Termination termination = Termination::steps_done;
  std::string message;
  std::vector<TrainRecord> records;
  std::vector<std::string> failures;  // "step 17: …; going on with half the step"
  Index steps = 0;                    // of this call
  double seconds = 0.0;
  double seconds_per_step() const { return steps > 0 ? seconds / static_cast<double>(steps) : 0.0; }
};

enum class TrainAction { go_on, stop };
// Called after every step with the record of that step: progress, recording, checkpoints, stopping.
using TrainCallback =
    std::function<TrainAction(const TrainRecord&, const Model&, const TrainState&)>;

// What is climbed: the value and, where gradient is not null, its gradient with respect to every
// parameter of the model as it is now. BoundValue::kl is whatever is taken off the likelihood term.
using Objective = std::function<BoundValue(const Batch&, const BoundOptions&, Vector* gradient)>;

// Trains from `state` on (a new one: from the start). A step is undone where it fails numerically
// or where the bound cannot be evaluated after it; steps are then half as long for the rest of the
// run, and the failure is reported; after 20 in a row the run gives up.
TrainSummary train(Model& model, const DataSet& data, const TrainOptions& options,
                   TrainState& state, const TrainCallback& callback = {});
// The same on another objective than the bound of the model's cascade.
TrainSummary train(Model& model, const Objective& objective, const DataSet& data,
                   const TrainOptions& options, TrainState& state,
                   const TrainCallback& callback = {});

}  // namespace mdgp
