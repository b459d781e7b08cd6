// Feed-forward networks for several tasks: a trunk of ReLU layers that all tasks share and one
// linear head per task, whose outputs are f and go into the task's own likelihood.
//
//   h_0 = x,   h_l = relu(h_{l-1} W_l + b_l),   f^t = h_L W^t + b^t
//
// mann2, mann3 (one or two hidden layers): weights are points, learned with dropout on the hidden
// layers and a penalty on the squared weights. Dropout stays on in prediction (Gal and Ghahramani
// 2016): q(f) is a mixture over masks, each with variance 0. The objective is
//   sum_n log p(y_n | f_n) - N l2 sum W²        (BoundValue::kl is the second term)
//
// mbnn2, mbnn3: every weight and bias has q = N(mean, exp(log_deviation)²); the prior of a bias is
// N(0, 1), that of a weight N(0, 1 / inputs of its layer) or N(0, 1) (NetworkSpec::fan_in_prior).
// Given h, what a layer makes of it is Gaussian and independent over units,
//   h W + b ~ N(h mean_W + mean_b, h² var_W + var_b),
// so that hidden layers are sampled there (local reparameterisation: Kingma, Salimans and Welling
// 2015) and the heads are integrated exactly: q(f) is a mixture of Gaussians. Only softmax, which
// has no exact integral, is trained on samples of f too. The objective is the bound, with the KL in
// closed form and kl_weight times (BoundValue::kl is that product).
#pragma once

#include <string_view>
#include <vector>

#include "mdgp/inference/trainer.h"
#include "mdgp/models/model.h"
#include "mdgp/posterior/posterior.h"

namespace mdgp {

bool is_network(std::string_view model);
bool is_bayesian_network(std::string_view model);
// The hidden layers of a model, each with so many units.
std::vector<Index> network_units(std::string_view model, Index units = 128);

// h -> h W + b; ids of parameters. W [inputs, outputs], b [1, outputs].
struct Dense {
  int weights = -1, bias = -1;
  int weights_log_deviation = -1, bias_log_deviation = -1;  // Bayesian only
  double prior_variance = 1.0;                              // of the weights, Bayesian only
};

struct Network {
  std::vector<Dense> hidden;
  std::vector<Dense> heads;  // [T]
  bool bayesian = false;
  double dropout = 0.0, l2 = 0.0, kl_weight = 1.0;
};

// Throws std::invalid_argument where spec.network does not fit the model. Parameters are named
// "hidden0.weights", "head1.bias", "head1.bias.log_deviation"; all weights are 0.
Model make_network_model(const ModelSpec& spec);
Network network_of(const ModelSpec& spec, const Parameters& parameters);

// Glorot and Bengio's uniform weights, biases 0; deviations small beside them. `noise`: the
// variance that gaussian likelihoods start with.
void initialise_network(const ModelSpec& spec, double noise, std::uint64_t seed, Model& model);

// The objective of that model, whose parameters are read at every call.
Objective network_objective(const ModelSpec& spec, const Model& model);

// q(f) from a copy of the model's parameters.
LatentFunction network_latent(const ModelSpec& spec, const Model& model);

}  // namespace mdgp
