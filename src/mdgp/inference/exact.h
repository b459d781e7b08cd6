// The exact GP: a shallow model with Gaussian noise whose inducing inputs are its observations
// (exact-gp, exact-icm). Its hyperparameters maximise
//
//   log p(y) = -1/2 yᵀ (K + Σ)⁻¹ y - 1/2 log |K + Σ| - n/2 log 2π,   Σ = diag(noise of each task)
//
// plus the log density of their priors; then q is the exact posterior, so that prediction, model
// file and all else are those of every other model. Cubic in the observations of a process.
#pragma once

#include "mdgp/inference/lbfgs.h"
#include "mdgp/inference/minibatch.h"
#include "mdgp/inference/regression.h"
#include "mdgp/models/model.h"

namespace mdgp {

// The observations of each task: ModelSpec::top_inducing of an exact model.
std::vector<Index> observation_counts(const DataSet& data, Index tasks);

// The observations of a process of the top layer, task by task, at the mean of the layers below;
// and the noise of each.
Regression top_regression(const Model& model, const Process& process, const DataSet& data);
Vector noise_of(const Model& model, const Regression& rows);

// Sets Z to the observations' rows, in the order of the tasks, and keeps training away from it.
void place_on_observations(Model& model, const DataSet& data);

// log p(y) of a model whose Z are its observations (place_on_observations). Where gradient is not
// null it is resized and set; it is zero for Z and q. Throws NumericalError where K + Σ is not
// positive definite.
double log_marginal_likelihood(const Model& model, const DataSet& data, Vector* gradient = nullptr);

// Sets q to the posterior given the other parameters. Z may also be elsewhere than the
// observations: then it is the best q of the sparse bound (Titsias 2009).
void set_best_posterior(Model& model, const DataSet& data);

struct ExactOptions {
  LbfgsOptions search = {.iterations = 100, .gradient_tolerance = 1e-3, .value_tolerance = 1e-6};
  bool priors = true;  // models/hyperparameters.h
  bool alike = false;  // set_alike
  // With more observations of a process than these, the hyperparameters are searched with a random
  // choice of them.
  Index most_observations = 2000;
  std::uint64_t seed = 1;
};

// The shallow model that the top layer of `spec` is on x, with an inducing input for every
// observation (one for a task that has none).
ModelSpec exact_spec(const ModelSpec& spec, const DataSet& data);

// Sets the parameters of the likelihoods and of the kernels of the top layer to those that suit the
// exact GP with these kernels on x. The model may be a deep one whose top sees x.
LbfgsSummary fit_hyperparameters(Model& model, const ModelSpec& spec, const DataSet& data,
                                 const ExactOptions& options = {});

// An exact model, whole: hyperparameters, then the posterior given all observations.
LbfgsSummary train_exact(Model& model, const ModelSpec& spec, const DataSet& data,
                         const ExactOptions& options = {});

}  // namespace mdgp
