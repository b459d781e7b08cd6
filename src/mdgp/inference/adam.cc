#include "mdgp/inference/adam.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mdgp {

void adam_step(const AdamOptions& options, double rate_factor, const Vector& gradient,
               AdamState& state, Vector& free) {
  if (state.mean.size() != gradient.size()) {
    state.mean.setZero(gradient.size());
    state.square.setZero(gradient.size());
    state.steps = 0;
  }
  const double norm = options.clip_norm > 0.0 ? gradient.norm() : 0.0;
  const double clip = norm > options.clip_norm ? options.clip_norm / norm : 1.0;
  const auto steps = static_cast<double>(++state.steps);
  const double correction1 = 1.0 - std::pow(options.beta1, steps);
  const double correction2 = 1.0 - std::pow(options.beta2, steps);
  const double rate = options.learning_rate * rate_factor / correction1;
  for (Index i = 0; i < gradient.size(); ++i) {
    const double g = clip * gradient[i];
    state.mean[i] += (1.0 - options.beta1) * (g - state.mean[i]);
    state.square[i] += (1.0 - options.beta2) * (g * g - state.square[i]);
    free[i] += rate * state.mean[i] / (std::sqrt(state.square[i] / correction2) + options.epsilon);
  }
}

double cosine_factor(Index step, Index total) {
  const double t = std::clamp(
      static_cast<double>(step) / static_cast<double>(std::max<Index>(total, 1)), 0.0, 1.0);
  return 0.5 * (1.0 + std::cos(std::numbers::pi * t));
}

double plateau_factor(PlateauState& state, double objective, Index patience) {
  constexpr double kSmoothing = 0.05;
  state.smoothed =
      state.steps == 0 ? objective : state.smoothed + kSmoothing * (objective - state.smoothed);
  if (state.steps++ == 0 || state.smoothed > state.best) {
    state.best = state.smoothed;
    state.since_best = 0;
  } else if (++state.since_best >= patience) {
    state.factor *= 0.5;
    state.since_best = 0;
  }
  return state.factor;
}

}  // namespace mdgp
