// A run of training on disk: the model as it is and the state of the optimiser, so that a run that
// was killed goes on to the same bits as one that was not.
#pragma once

#include <cstdint>
#include <string>

#include "mdgp/inference/trainer.h"
#include "mdgp/io/model_file.h"

namespace mdgp {

struct Checkpoint {
  FittedModel fitted;
  TrainState state;
  std::uint64_t data = 0;  // fingerprint of the rows it is trained on
  double seconds = 0.0;    // of training so far
};

// Of every bit of the rows and observations.
std::uint64_t fingerprint(const DataSet& data);

void save_checkpoint(const std::string& path, const Checkpoint& checkpoint);
// Throws FileError where it is damaged or a finished model instead.
Checkpoint load_checkpoint(const std::string& path);

}  // namespace mdgp
