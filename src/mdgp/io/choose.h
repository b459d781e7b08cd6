// From settings and data to a model and its training: whatever was not set follows from the size of
// the data, never from what they are about.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mdgp/data/schema.h"
#include "mdgp/inference/initialise.h"
#include "mdgp/inference/label_start.h"
#include "mdgp/inference/trainer.h"
#include "mdgp/io/options.h"
#include "mdgp/models/model.h"

namespace mdgp {

constexpr Index kMostExact = 6000;  // observations of a process of an exact model

struct FitPlan {
  ModelSpec spec;
  InitialiseOptions initialise;
  TrainOptions train;
  bool lbfgs = false;
  bool exact = false;  // exact-gp, exact-icm
  bool priors = false;
  bool fills_time = false;  // --time says how many steps there are; else it only ends them
  // The top layer starts as the exact GP on x (inference/exact.h), found with at most so many
  // observations; 0: it does not.
  Index prefit = 0;
  // Inducing inputs on top while the layers below are trained, per task; the top layer then gets
  // those of spec.top_inducing and the best q for them. Empty: those of spec all the time.
  std::vector<Index> train_inducing;
  Index settle_samples = 0;
  // Draws of the hyperparameters on top that predictions average over
  // (inference/sample_hyperparameters.h); 0: the best alone.
  Index hyperparameter_samples = 0;
  std::optional<LabelStartOptions> label_start;  // the first layer starts on labels
  std::vector<std::string> reasons;              // lines for the user: what was chosen and why
  std::map<std::string, std::string> settings;   // every option with its value
};

// `data` are the rows to train on. Throws OptionError where settings contradict each other.
FitPlan choose(const FitSettings& settings, const Schema& schema, const DataSet& data);

}  // namespace mdgp
