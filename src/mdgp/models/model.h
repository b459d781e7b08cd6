// A model: a cascade, a likelihood per task, and the numbers of both. The six models of the paper
// are six ways to lay out the cascade; nothing in the inference knows which one it runs.
//
//   model   inner layer(s)        top layer
//   smdgp   shared                one ARD GP per task
//   mmdgp   shared and private    one ARD GP per task
//   cmdgp   coregionalised        one coregionalised GP
//   idgp    private               one GP per task
//   cgp     none                  one coregionalised GP (ICM)
//   igp     none                  one GP per task
//
// Two more are exact: shallow, with Gaussian noise, every observation its own inducing input
// (inference/exact.h).
//   exact-icm   none              one coregionalised GP
//   exact-gp    none              one GP per task
//
// Baselines (baselines/baseline.h) have parameters and likelihoods, and a cascade without layers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mdgp/autodiff/parameters.h"
#include "mdgp/layers/cascade.h"
#include "mdgp/likelihoods/likelihood.h"

namespace mdgp {

struct Model {
  Parameters parameters;
  Cascade cascade;
  std::vector<Likelihood> likelihoods;  // [T]
  Index likelihoods_begin = 0;          // their parameters are the last ones
  // Draws of parameters.values from their posterior (inference/sample_hyperparameters.h); where
  // there are any, predictions average over them. Empty: the values themselves predict. Training
  // removes them, as they would no longer fit. Members share the layers below the top.
  std::vector<Vector> members;
};

// Each member as a model of its own; none where there are none.
std::vector<Model> members_of(const Model& model);

// Throws std::invalid_argument for a baseline, which has none, and for more members, or members of
// more numbers, than memory should be asked for.
void check_members(std::string_view function, const Model& model, Index count);
constexpr Index kMostMembers = 1000, kMostMemberNumbers = Index{1} << 25U;
Index most_members(const Model& model);

// The mean function of inner processes. With a zero mean a deep cascade loses its inputs on the
// way; identity and pca carry them through.
enum class MeanFunction {
  zero,
  identity,  // output p is input p; outputs beyond the inputs have zero mean
  pca,  // the leading principal directions of the rows; identity where there are at least as many
        // outputs as inputs
};

struct TaskSpec {
  std::string likelihood = "gaussian";
  int classes = 0;  // multi-class likelihoods
};

// How the processes of one layer are made. Lists have one entry per process.
struct LayerSpec {
  std::vector<Index> shared = {10};  // widths of the shared processes
  std::vector<Index> priv = {};      // widths of each task's private processes
  Index inducing = 100;              // M of each process
  std::string kernel = "matern52";   // without coregionalisation, which the builder multiplies in
  bool ard = true;
  MeanFunction mean = MeanFunction::identity;  // inner layers only; the top has none
  double white = 1e-5;  // variance of white noise between the layers; 0: none. Inner layers only.
};

// What describes a network (baselines/network.h); the model's name says whether it is Bayesian.
struct NetworkSpec {
  std::vector<Index> units;  // of each hidden layer; empty: not a network
  double dropout = 0.2;      // probability with which a hidden unit is left out; not Bayesian ones
  double l2 = 1e-4;          // of the squared weights, beside the mean loss; not Bayesian ones
  // Bayesian ones: the prior variance of a weight is 1 / inputs of its layer, so that functions
  // have the size of standardised targets whatever the width; else 1, as the paper has it.
  bool fan_in_prior = true;
  // Bayesian ones: of the KL in the objective. Below 1 q is narrower than the posterior would be;
  // with 1, as in the paper, few rows leave most weights at their prior (docs/accuracy.md).
  double kl_weight = 0.3;
};

// What describes a random forest per task (baselines/forest.h).
struct ForestSpec {
  Index trees = 0;           // of each task; 0: not a forest
  std::vector<Index> nodes;  // [T] of all trees of a task
};

struct ModelSpec {
  std::string model = "mmdgp";
  Index inputs = 0;             // D
  std::vector<TaskSpec> tasks;  // [T]

  std::vector<LayerSpec> inner = {LayerSpec{}};  // from the bottom; ignored by cgp and igp
  LayerSpec top;                                 // shared and priv follow from the model
  // [T] inducing inputs of each task on top, in place of top.inducing where not empty: those of its
  // own process, or its share of a coregionalised one's.
  std::vector<Index> top_inducing;
  bool propagate_inputs = false;
  Index rank = 2;  // of W in coregionalised processes
  double jitter = 1e-6;
  NetworkSpec network;
  ForestSpec forest;
  Matrix pca_rows;  // [n, D]: what MeanFunction::pca looks at
  // More numbers than that are refused before anything is allocated.
  Index most_parameters = Index{1} << 40;
};

// The paper's two layers with widths that it uses: smdgp one shared process of `width`, mmdgp half
// of it shared and half private, cmdgp and idgp all coregionalised or private.
ModelSpec default_spec(std::string_view model, Index inputs, std::vector<TaskSpec> tasks,
                       Index depth = 2, Index width = 10, Index inducing = 100);

// Throws std::invalid_argument where the specification does not fit the model (the message names
// the field). Parameters are at neutral values (unit kernels, Z = 0, q at the prior).
Model make_model(const ModelSpec& spec);

// What ends the making of any model, baselines included: its likelihoods and their parameters.
void add_likelihoods(const std::vector<TaskSpec>& tasks, Model& model);

std::vector<std::string_view> model_names();      // the six
std::vector<std::string_view> all_model_names();  // and the exact ones
bool is_exact(std::string_view model);
bool is_shallow(std::string_view model);
bool is_coregionalised(std::string_view model);

// Throws where a parameter is out of its range.
void check_model(std::string_view function, const Model& model);
// Throws for a baseline, which has no Gaussian processes to look at.
void check_has_layers(std::string_view function, const Model& model);

}  // namespace mdgp
