#include "mdgp/autodiff/gradient_check.h"

#include <algorithm>
#include <cmath>

#include "mdgp/linalg/check.h"

namespace mdgp {

GradientCheck check_gradient(const std::function<double(const Vector&)>& f, const Vector& x,
                             const Vector& gradient, double step) {
  check_size("check_gradient", "gradient", gradient.size(), x.size());
  Vector numeric(x.size());
  Vector point = x;
  for (Index i = 0; i < x.size(); ++i) {
    const double h = step * std::max(1.0, std::abs(x[i]));
    const auto shifted = [&](double by) {
      point[i] = x[i] + by;
      return f(point);
    };
    numeric[i] = (8.0 * (shifted(h) - shifted(-h)) - (shifted(2 * h) - shifted(-2 * h))) / (12 * h);
    point[i] = x[i];
  }
  const double largest = x.size() > 0 ? numeric.cwiseAbs().maxCoeff() : 0.0;
  GradientCheck worst;
  for (Index i = 0; i < x.size(); ++i) {
    const double error = std::abs(gradient[i] - numeric[i]) / std::max(1.0, largest);
    if (std::isnan(error)) return {error, i, gradient[i], numeric[i]};  // nothing is worse
    if (worst.worst_index < 0 || error > worst.worst_error) {
      worst = {error, i, gradient[i], numeric[i]};
    }
  }
  return worst;
}

}  // namespace mdgp
