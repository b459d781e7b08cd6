// Natural gradient steps for q(v_p) = N(m, S), S = L Lᵀ, of a process (Hensman et al. 2013;
// Salimbeni, Eleftheriadis and Hensman 2018). In the natural parameters (S⁻¹ m, -S⁻¹/2) the step
// follows the gradient with respect to the expectation parameters (m, S + m mᵀ):
//   S⁻¹   <- S⁻¹ - 2 step S̄
//   S⁻¹ m <- S⁻¹ m + step (m̄ - 2 S̄ m)
// where m̄ and S̄ are the derivatives with respect to m and S. With a conjugate likelihood a step of
// 1 goes to the optimum.
#pragma once

#include "mdgp/autodiff/parameters.h"
#include "mdgp/inference/minibatch.h"
#include "mdgp/layers/process.h"

namespace mdgp {

// Moves q_mu and q_sqrt of all P outputs. A step that would leave the positive definite cone is
// halved until it does not, for each output by itself; returns the shortest step taken (0: none
// helped, and that output's q stays).
double natural_gradient_step(const Process& process, const Vector& gradient, double step,
                             Parameters& parameters);

// The Gaussian N(mean, L Lᵀ) with this precision and this precision times mean; false where the
// precision is not positive definite.
[[nodiscard]] bool gaussian_from_natural(const Matrix& precision, const Vector& h, Vector& mean,
                                         Matrix& L);

// One step of length 1 for the top layer, on all rows: with Gaussian likelihoods its q is then the
// best given the layers below, averaged over so many samples of them.
void settle_top(Model& model, const DataSet& data, Index samples, std::uint64_t seed);

}  // namespace mdgp
