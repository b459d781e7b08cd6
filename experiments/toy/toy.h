// The paper's introduction: two tasks that mix one shared function non-linearly,
//   g(x)  = -sin(8π(x+1))/(2x+1) - x⁴
//   f1(x) = cos²(g) + sin 3x,   f2(x) = sin(10x) g² + 3x   on [0, 1],
// observed with noise at different places, with a gap in the second task that only the first can
// tell about.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mdgp/inference/trainer.h"

namespace mdgp::experiments {

struct ToyOptions {
  std::uint64_t seed = 1;
  Index rows = 40;  // of each task
  double noise = 0.1;
  double gap_begin = 0.4, gap_end = 0.55;  // of task 1
  Index grid = 200;                        // rows on which the fit is judged and drawn
  Index steps = 3000;
};

double toy_function(int task, double x);

struct ToyData {
  DataSet train;  // targets standardised
  double mean[2], deviation[2];
  Matrix x;  // [grid, 1]
  Matrix y;  // [grid, 2] new noisy observations at x, in the units of the functions
};
ToyData make_toy(const ToyOptions& options);

// How well a model fits, on new observations, in units of each task's standard deviation.
struct ToyScore {
  double rmse[2], nlpp[2];
  double inside[2][3];  // share of observations in the central 50, 80 and 95 % intervals
};

struct ToyFit {
  std::string model;
  ToyScore score;
  Matrix mean, low,
      high;  // [grid, 2]: mean and central 95 % interval of y, in the units of the functions
  double bound = 0.0, seconds = 0.0;
  Index failures = 0;
};

ToyFit fit_toy(std::string_view name, const ToyData& data, const ToyOptions& options,
               const TrainCallback& callback = {});

}  // namespace mdgp::experiments
