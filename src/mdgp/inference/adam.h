// Adam (Kingma and Ba 2015), ascending: theta += rate * m̂ / (sqrt(v̂) + epsilon), with the
// gradient's norm clipped first.
#pragma once

#include "mdgp/linalg/matrix.h"

namespace mdgp {

struct AdamOptions {
  double learning_rate = 0.01;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double clip_norm = 0.0;  // longest gradient that is taken as it is; 0: any
};

struct AdamState {
  Vector mean, square;  // running averages of the gradient and of its square
  Index steps = 0;
};

// One step with learning rate options.learning_rate * rate_factor. The state is made at the first.
void adam_step(const AdamOptions& options, double rate_factor, const Vector& gradient,
               AdamState& state, Vector& free);

// How the learning rate changes over a run of `total` steps.
enum class Schedule {
  constant,
  cosine,   // from 1 to 0 along half a cosine
  plateau,  // halved where the objective stops improving; see PlateauState
};
double cosine_factor(Index step, Index total);

// Halves the factor where the smoothed objective has not improved for `patience` steps.
struct PlateauState {
  double factor = 1.0;
  double smoothed = 0.0, best = 0.0;
  Index since_best = 0, steps = 0;
};
double plateau_factor(PlateauState& state, double objective, Index patience);

}  // namespace mdgp
