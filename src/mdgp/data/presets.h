// The settings of the paper's experiments by name (paper.tex, "Experiment details").
#pragma once

#include <string_view>
#include <vector>

#include "mdgp/inference/initialise.h"
#include "mdgp/inference/trainer.h"

namespace mdgp {

struct Preset {
  std::string_view name;
  Index width = 10;                // of the inner layer
  Index inducing = 100;            // of a process …
  bool inducing_per_task = false;  // … or of each task that it serves
  InitialiseOptions initialise;
  TrainOptions train;     // of deep models
  Index batch_above = 0;  // rows above which train.batch_rows is used; below, all rows
  // Networks: Adam's rate, and that of Bayesian ones.
  double network_rate = 1e-4, bayesian_rate = 1e-4;
  Index network_batch = 64;
  Index lbfgs_up_to = 0;  // shallow models use L-BFGS up to so many rows, else as deep ones
};

// paper-sarcos, paper-mnist, paper-faims. Throws std::invalid_argument, listing them, for another
// name.
const Preset& find_preset(std::string_view name);
std::vector<std::string_view> preset_names();

// The model as the preset lays it out.
ModelSpec preset_spec(const Preset& preset, std::string_view model, Index inputs,
                      std::vector<TaskSpec> tasks);
// The training options for so many rows.
TrainOptions preset_training(const Preset& preset, Index rows);
// The same of a network: as many steps as deep models have, batches of its own.
TrainOptions preset_network_training(const Preset& preset, bool bayesian);

}  // namespace mdgp
