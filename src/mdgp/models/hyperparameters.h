// The parameters that are neither inducing inputs nor q: those of kernels and likelihoods.
#pragma once

#include "mdgp/models/model.h"

namespace mdgp {

// From one model to another, with their priors and whether they are trained, by name. Where the
// other's process sees more inputs (latent functions before the same x), its last ones are set.
void copy_hyperparameters(const Model& from, Model& to);

// Everything but the inducing inputs and q of the top layer, which may have other sizes there.
void copy_but_top(const Model& from, Model& to);

// Whether training moves the parameters of the top layer's kernels and of the likelihoods.
void set_top_trainable(Model& model, bool trainable);

// Up to so many inputs, all matter, and correlated tasks do best from the first observation on.
constexpr Index kFewInputs = 4;

// Priors for inputs and targets that are standardised: lengthscales near 1.5 times the square root
// of the number of inputs, mixing weights shrunk towards tasks that have nothing in common (less so
// with few inputs), noise near 3 % of the variance. docs/accuracy.md has the measurements. With
// coregionalisation B carries the scale, so the variance of the kernel it multiplies stays at 1.
void set_priors(Model& model);
// Lengthscales and linear variances of the tasks' own kernels on top keep near those of the first
// task: tasks that are related tend to look at the same inputs.
void set_alike(Model& model);
// The parameters that have a prior, at its location.
void start_at_priors(Model& model, std::uint64_t seed);

}  // namespace mdgp
