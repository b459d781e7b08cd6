// Where training starts. Deep GPs fail there most: inducing inputs that no row is near, latent
// functions that forget their inputs, a posterior so wide that the first samples are noise.
#pragma once

#include <cstdint>
#include <optional>

#include "mdgp/inference/minibatch.h"
#include "mdgp/models/model.h"

namespace mdgp {

enum class InducingInputs { kmeans, random_rows };

// A kernel's parameters as they are, instead of from the data.
struct KernelStart {
  double lengthscale = 1.0;
  double variance = 1.0;
};

struct InitialiseOptions {
  InducingInputs inducing = InducingInputs::kmeans;
  std::uint64_t seed = 1;
  // Lengthscale of an input: this, times its standard deviation over the rows that the process
  // sees, times the square root of the number of inputs (as distances grow like that).
  double lengthscale = 1.0;
  double variance = 1.0;       // of kernels
  double inner_q_sqrt = 1e-2;  // diagonal of q_sqrt in inner layers; 1 on top
  double inner_q_mu = 0.0;  // standard deviation of q_mu in inner layers (for zero mean functions)
  double noise = 0.1;       // of Gaussian likelihoods, in variances of the task's targets
  // In place of the above, where given: by the role of a process (on the data, private beside
  // shared ones, on top of others), and the noise variance itself.
  std::optional<KernelStart> shared = {}, priv = {}, top = {};
  std::optional<double> noise_variance = {};
};

// Sets every parameter of the model from the data. Inducing inputs of a process are spread over the
// rows of the tasks that it serves; those of deeper layers over these rows pushed through the
// layers below, at the mean of q.
void initialise(Model& model, const DataSet& data, const InitialiseOptions& options = {});

// The rate of each task of counts where f = 0: 1, or the mean of its targets where that is
// above 30. initialise() does it too.
void set_count_rates(Model& model, const DataSet& data);

// The inducing inputs of the top layer alone, given the layers below.
void place_top_inducing_inputs(Model& model, const DataSet& data,
                               const InitialiseOptions& options = {});

// What a layer sees of rows x [n, D] of one task, at the mean of q of the layers below: [n, inputs
// of the layer].
Matrix layer_inputs(const Model& model, std::size_t layer, const Matrix& x, int task);

// The same of observations of any tasks, those of one task in a row, as a process sees them.
Matrix process_inputs(const Model& model, const Process& process, const DataSet& data,
                      const std::vector<const Observation*>& observations);

}  // namespace mdgp
