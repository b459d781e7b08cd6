// Internal to the likelihoods: each file's type, for the table in likelihood.cc.
#pragma once

#include <cmath>

#include "mdgp/likelihoods/likelihood.h"

namespace mdgp::likelihoods {

const LikelihoodType& gaussian();
const LikelihoodType& heavy_tailed();
const LikelihoodType& student_t();
const LikelihoodType& bernoulli();
const LikelihoodType& poisson();
const LikelihoodType& robustmax();
const LikelihoodType& softmax();

// The targets that more than one of them accepts.
inline bool is_finite(const Likelihood&, double y) { return std::isfinite(y); }
inline bool is_class(const Likelihood& likelihood, double y) {
  return y >= 0.0 && y < likelihood.classes && y == std::floor(y);
}

}  // namespace mdgp::likelihoods
