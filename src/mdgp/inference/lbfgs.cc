#include "mdgp/inference/lbfgs.h"

#include <LBFGS.h>

#include <cmath>
#include <exception>
#include <limits>
#include <stdexcept>
#include <utility>

#include "mdgp/linalg/check.h"

namespace mdgp {
namespace {

struct Stopped {};

// The solver's line search, counted: a search that fails ends the solver, which then does not say
// how many iterations it did.
thread_local int line_searches = 0;

template <class Scalar>
struct CountedLineSearch {
  template <class... Arguments>
  static void LineSearch(Arguments&&... arguments) {
    ++line_searches;
    LBFGSpp::LineSearchBacktracking<Scalar>::LineSearch(std::forward<Arguments>(arguments)...);
  }
};

// Minus infinity where f cannot be evaluated: the mathematics failed, or a parameter over- or
// underflowed on the way.
double value_or_nothing(const std::function<double(const Vector&, Vector&)>& f, const Vector& at,
                        Vector& gradient) {
  try {
    return f(at, gradient);
  } catch (const NumericalError&) {
  } catch (const std::invalid_argument&) {
  }
  return -std::numeric_limits<double>::infinity();
}

}  // namespace

LbfgsSummary maximise(const std::function<double(const Vector& x, Vector& gradient)>& f, Vector& x,
                      const LbfgsOptions& options) {
  LBFGSpp::LBFGSParam<double> parameters;
  parameters.m = options.history;
  parameters.max_iterations = options.iterations;
  parameters.epsilon = parameters.epsilon_rel = options.gradient_tolerance;
  parameters.past = 10;
  parameters.delta = options.value_tolerance;
  parameters.linesearch = LBFGSpp::LBFGS_LINESEARCH_BACKTRACKING_STRONG_WOLFE;
  parameters.max_linesearch = 40;

  LbfgsSummary summary;
  summary.value = -std::numeric_limits<double>::infinity();
  Vector best = x;
  int evaluations = 0;
  const auto negative = [&](const Vector& at, Vector& gradient) {
    const double value = value_or_nothing(f, at, gradient);
    if (!std::isfinite(value) ||
        !gradient.allFinite()) {  // far too bad for any line search to accept, and still a number
      gradient.setZero(at.size());
      return std::numeric_limits<double>::max() / 4;
    }
    if (value > summary.value) {
      summary.value = value;
      best = at;
    }
    if (options.go_on && !options.go_on(++evaluations, summary.value)) throw Stopped{};
    gradient = -gradient;
    return -value;
  };
  // A line search that finds nothing better ends the solver with an exception. Its idea of the
  // curvature may be stale, so it is tried again from the best point without one, as long as that
  // helps.
  double before = -std::numeric_limits<double>::infinity();
  while (summary.iterations < options.iterations) {
    double value = 0.0;
    const int begun = line_searches;
    parameters.max_iterations = options.iterations - summary.iterations;
    try {
      LBFGSpp::LBFGSSolver<double, CountedLineSearch>(parameters).minimize(negative, x, value);
      summary.iterations += line_searches - begun;
      summary.message =
          summary.iterations < options.iterations ? "converged" : "iterations used up";
      break;
    } catch (const Stopped&) {
      summary.iterations += line_searches - begun - 1;
      summary.message = "stopped";
      summary.stopped = true;
      break;
    } catch (const std::exception& error) {
      summary.iterations += line_searches - begun;
      summary.message = std::string("stopped: ") + error.what();
      if (!(summary.value > before + options.value_tolerance * std::abs(summary.value))) break;
      before = summary.value;
      x = best;
    }
  }
  x = best;
  return summary;
}

}  // namespace mdgp
