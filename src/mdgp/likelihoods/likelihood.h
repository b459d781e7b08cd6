// Likelihoods: p(y | f) of one task, f a scalar or, for a multi-class task, one value per class.
//
// Each needs three things of q(f) = N(mean, variance), independent over the columns of f:
//   the expected log density   E_q[log p(y | f)]                       (the bound, paper.tex eq. 7)
//   the predictive moments     mean and variance of y under E_q[p(y | f)]
//   the predictive log density log E_q[p(y | f)]
// To add one: a file that fills a LikelihoodType, a line in the table of likelihood.cc, a line in
// the test's list.
#pragma once

#include <string_view>
#include <vector>

#include "mdgp/autodiff/parameters.h"
#include "mdgp/linalg/matrix.h"

namespace mdgp {

struct LikelihoodType;

struct Likelihood {
  const LikelihoodType* type = nullptr;
  int classes = 0;              // multi-class likelihoods only
  std::vector<int> parameters;  // ids, in the order of LikelihoodType::parameters

  Index latent_width() const { return classes > 0 ? classes : 1; }
};

struct LikelihoodParameter {
  std::string_view name;
  double initial;
  bool trainable;  // all are positive
};

struct LikelihoodType {
  std::string_view name;
  std::vector<LikelihoodParameter> parameters;
  bool multiclass;

  // scale * sum_i E[log p(y_i | f_i)], f_i ~ N(mean_i, diag(variance_i)); y [n], mean and variance
  // [n, latent_width]. Where leaves.recording(), adds the derivatives (times scale) to
  // mean_adjoint, variance_adjoint and to the adjoints of the likelihood's parameters.
  double (*expected_log_density)(const Likelihood&, const Leaves& leaves, const double* y,
                                 const ConstView& mean, const ConstView& variance, double scale,
                                 View mean_adjoint, View variance_adjoint);

  // Mean and variance of y. Multi-class: the probability of each class and its variance p(1 - p),
  // both [n, classes].
  void (*predictive_moments)(const Likelihood&, const Leaves& leaves, const ConstView& mean,
                             const ConstView& variance, View y_mean, View y_variance);

  // log E[p(y_i | f_i)] for each i.
  void (*predictive_log_density)(const Likelihood&, const Leaves& leaves, const double* y,
                                 const ConstView& mean, const ConstView& variance,
                                 double* log_density);

  // Whether y is a value this likelihood can explain, and the words for what it must be.
  bool (*accepts)(const Likelihood&, double y);
  std::string_view target;  // "finite", "0 or 1", "a class from 0 to classes - 1", "a count"
};

// Adds the likelihood's parameters, named "<prefix>.<parameter>". Throws where the name is unknown
// (the message lists those there are) or the number of classes does not fit.
Likelihood make_likelihood(std::string_view name, std::string_view prefix, Parameters& parameters,
                           int classes = 0);

std::vector<std::string_view> likelihood_names();

// Whether the bound has y = f + Gaussian noise, whose variance is the likelihood's first parameter:
// gaussian and heavy_tailed.
bool has_gaussian_noise(std::string_view likelihood);

// The degrees of freedom of a heavy_tailed likelihood, at least kFewestDegrees, so that there is a
// variance.
constexpr double kFewestDegrees = 2.1;
double tail_degrees(const Likelihood& likelihood, const Leaves& leaves);

// The logarithm of the rate that a poisson likelihood has at f = 0.
double log_count_rate(const Likelihood& likelihood, const Leaves& leaves);

// Throws std::invalid_argument where the likelihood cannot explain a target.
void check_target(std::string_view function, const Likelihood& likelihood, double y);

}  // namespace mdgp
