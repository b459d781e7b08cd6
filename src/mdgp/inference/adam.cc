#include "mdgp/inference/adam.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mdgp/linalg/elementwise.h"

namespace mdgp {
namespace {

// The rate includes the first correction.
MDGP_VECTORISED
void update(Index n, double clip, double beta1, double beta2, double rate, double correction2,
            double epsilon, const double* __restrict gradient, double* __restrict mean,
            double* __restrict square, double* __restrict free) {
#pragma omp simd
  for (Index i = 0; i < n; ++i) {
    const double g = clip * gradient[i];
    mean[i] += (1.0 - beta1) * (g - mean[i]);
    square[i] += (1.0 - beta2) * (g * g - square[i]);
    free[i] += rate * mean[i] / (std::sqrt(square[i] / correction2) + epsilon);
  }
}

}  // namespace

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
  update(gradient.size(), clip, options.beta1, options.beta2, rate, correction2, options.epsilon,
         gradient.data(), state.mean.data(), state.square.data(), free.data());
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
