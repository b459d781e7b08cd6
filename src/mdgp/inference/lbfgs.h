// L-BFGS for bounds without noise: shallow models, or deep ones with their draws held fixed.
#pragma once

#include <functional>
#include <string>

#include "mdgp/linalg/matrix.h"

namespace mdgp {

struct LbfgsOptions {
  int iterations = 500;
  int history = 10;
  double gradient_tolerance = 1e-5;  // stops at |g| <= gradient_tolerance * max(1, |x|)
  double value_tolerance = 1e-10;    // or where 10 iterations gain less than this, relative
  // Called after every evaluation with the best value so far; false stops the search.
  std::function<bool(int evaluations, double best)> go_on = {};
};

struct LbfgsSummary {
  double value = 0.0;
  int iterations = 0;
  std::string message;   // why it stopped
  bool stopped = false;  // by go_on
};

// Maximises f from x. f returns the value and sets the gradient; where it cannot be evaluated (a
// matrix that is not positive definite, say) it returns minus infinity or throws NumericalError or
// std::invalid_argument, and the line search takes a shorter step. Never worse than where it began:
// x is the best point that was evaluated.
LbfgsSummary maximise(const std::function<double(const Vector& x, Vector& gradient)>& f, Vector& x,
                      const LbfgsOptions& options = {});

}  // namespace mdgp
