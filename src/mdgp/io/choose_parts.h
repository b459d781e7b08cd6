// What the choices for models of Gaussian processes and for baselines have in common.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mdgp/data/schema.h"
#include "mdgp/inference/trainer.h"
#include "mdgp/io/options.h"
#include "mdgp/models/model.h"

namespace mdgp {

// Settings that contradict each other: throws OptionError.
[[noreturn]] void contradiction(const std::string& what);
// Throws where one of these is set, "--width 5: <why>".
void refuse_options(const FitSettings& settings, const std::vector<std::string_view>& keys,
                    std::string_view why);

bool is_set(const FitSettings& settings, std::string_view key);  // to another value than by itself

// "100 steps of all rows": for the user.
std::string steps_text(const TrainOptions& train, bool fills_time);

// The likelihood of each task.
std::vector<TaskSpec> task_specs(const FitSettings& settings, const Schema& schema);

// Gaussian noise gets tails of its own, where it is not set and the top layer's q is the best there
// is (inference/tails.h). Throws where it is set and cannot be had.
void choose_tails(const FitSettings& settings, bool exact_top, ModelSpec& spec);

// How many draws of the hyperparameters predictions average over (FitPlan). Throws where it is set
// and they cannot be had.
Index choose_hyperparameter_samples(const FitSettings& settings, bool exact_top,
                                    const ModelSpec& spec, const DataSet& data);

// What is set of the training, in place of what is in `train`.
void apply_training(const FitSettings& settings, Index rows, TrainOptions& train);

// Back to settings: what training there is, and every option with its value.
void note_training(const TrainOptions& train, FitSettings& settings);
std::string natural_name(NaturalGradient natural);
std::map<std::string, std::string> option_texts(const FitSettings& settings);

}  // namespace mdgp
