#include "mdgp/inference/tails.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mdgp/inference/exact.h"
#include "mdgp/inference/regression.h"
#include "mdgp/likelihoods/quadrature.h"

namespace mdgp {
namespace {

constexpr Index kMostObservations = 2000;
constexpr double kFewest = 2.2, kMost = 1000.0;  // degrees of freedom that are looked at
// Their prior, log-normal. The errors of few observations look lighter than they are, as the
// hyperparameters were found with all of them.
constexpr double kPriorMedian = 6.0, kPriorSpread = 0.25;
constexpr double kGolden = 0.381966011250105;

bool is_heavy_tailed(const Likelihood& likelihood) {
  return likelihood.type->name == "heavy_tailed";
}

// Every so-many-th row.
Regression some_rows(const Regression& all) {
  const Index n = all.y.rows(), stride = (n + kMostObservations - 1) / kMostObservations;
  Regression out;
  std::vector<Index> chosen;
  for (Index i = 0; i < n; i += stride) {
    chosen.push_back(i);
    out.task.push_back(all.task[static_cast<std::size_t>(i)]);
  }
  out.x = all.x(chosen, Eigen::all);
  out.y = all.y(chosen, Eigen::all);
  return out;
}

// Of errors e with unit variance under t with ν degrees of freedom, up to a constant.
double log_likelihood(const Vector& errors, double nu) {
  const double sum = (errors.array().square() / (nu - 2.0)).log1p().sum();
  return static_cast<double>(errors.size()) *
             (likelihoods::log_gamma(0.5 * (nu + 1.0)) - likelihoods::log_gamma(0.5 * nu) -
              0.5 * std::log(nu - 2.0)) -
         0.5 * (nu + 1.0) * sum;
}

}  // namespace

Vector left_out_errors(const Model& model, const DataSet& data) {
  std::vector<double> errors;
  for (const Process& process : model.cascade.layers.back().processes) {
    const Regression all = top_regression(model, process, data);
    if (all.y.rows() == 0) continue;
    const Regression rows = some_rows(all);
    const Vector e = left_out_errors(process, model.parameters, model.cascade.jitter, rows,
                                     noise_of(model, rows));
    errors.insert(errors.end(), e.begin(), e.end());
  }
  return Eigen::Map<const Vector>(errors.data(), static_cast<Index>(errors.size()));
}

// Golden-section search over log ν.
double best_degrees(const Vector& errors) {
  const auto value = [&](double log_nu) {
    const double far = (log_nu - std::log(kPriorMedian)) / kPriorSpread;
    return log_likelihood(errors, std::exp(log_nu)) - 0.5 * far * far;
  };
  double low = std::log(kFewest), high = std::log(kMost);
  double a = low + kGolden * (high - low), b = high - kGolden * (high - low);
  double at_a = value(a), at_b = value(b);
  while (high - low > 1e-4) {
    if (at_a > at_b) {
      high = b, b = a, at_b = at_a;
      at_a = value(a = low + kGolden * (high - low));
    } else {
      low = a, a = b, at_a = at_b;
      at_b = value(b = high - kGolden * (high - low));
    }
  }
  return std::exp(0.5 * (low + high));
}

void fit_tails(Model& model, const DataSet& data) {
  if (std::none_of(model.likelihoods.begin(), model.likelihoods.end(), is_heavy_tailed)) return;
  const double degrees = best_degrees(left_out_errors(model, data));
  for (const Likelihood& likelihood : model.likelihoods) {
    if (is_heavy_tailed(likelihood)) {
      model.parameters.view(likelihood.parameters[1]).setConstant(degrees);
    }
  }
}

}  // namespace mdgp
