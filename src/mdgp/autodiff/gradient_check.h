// The harness for every derivative: the analytic gradient against central differences.
#pragma once

#include <functional>

#include "mdgp/linalg/matrix.h"

namespace mdgp {

struct GradientCheck {
  double worst_error = 0.0;  // max_i |analytic - numeric| / max(1, |numeric|, largest |numeric|)
  Index worst_index = -1;
  double analytic = 0.0;  // at worst_index
  double numeric = 0.0;
};

// Compares `gradient` with differences of `f` at x. The differences are of fourth order,
//   f'(x) ≈ (8 [f(x+h) - f(x-h)] - [f(x+2h) - f(x-2h)]) / 12h,   h = step * max(1, |x_i|),
// which in double leaves an error of about 1e-10 for functions of order 1.
GradientCheck check_gradient(const std::function<double(const Vector&)>& f, const Vector& x,
                             const Vector& gradient, double step = 1e-3);

}  // namespace mdgp
