#include "mdgp/io/options.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "mdgp/baselines/baseline.h"
#include "mdgp/data/presets.h"
#include "mdgp/data/reduce.h"
#include "mdgp/kernels/kernel.h"
#include "mdgp/models/model.h"

namespace mdgp {
namespace {

// What an option's `automatic` says is what io/choose.cc does.
using S = FitSettings;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMostSteps = 1e7;

// Without this a misspelt kernel would be found only after the table is read.
void check_kernel_text(std::string_view text) {
  constexpr std::string_view kPrefix = "make_kernel: ";
  try {
    Parameters unused;
    const bool own = !kernel_of_tasks(text).empty();  // goes with coregion only
    const Kernel kernel =
        make_kernel(own ? fmt::format("({}) * coregion", text) : std::string(text), KernelContext{},
                    "", unused);
    if (own || !is_coregionalised(kernel)) return;
  } catch (const std::invalid_argument& e) {
    const std::string_view what = e.what();
    throw std::invalid_argument(
        std::string(what.starts_with(kPrefix) ? what.substr(kPrefix.size()) : what));
  }
  throw std::invalid_argument("coregion is not for here; the models cmdgp and cgp multiply it in");
}

std::vector<Option> table_options() {
  return {
      {.key = "task",
       .value = "COLUMN",
       .help = "column that names the task of each row (long form: one observation a row)",
       .member = &S::task,
       .automatic = "one column per task"},
      {.key = "target",
       .value = "COLUMN",
       .help =
           "column with the value to predict: of the task that --task names, or of the only task",
       .member = &S::target,
       .automatic = "none"},
      {.key = "targets",
       .value = "COLUMNS",
       .help = "columns to predict, each a task (wide form; empty cells are not observed): "
               "names, ranges a:b, patterns joint*",
       .member = &S::targets,
       .automatic = "none",
       .list = true},
      {.key = "inputs",
       .value = "COLUMNS",
       .help = "columns to predict from: names, ranges a:b, patterns x*",
       .member = &S::inputs,
       .automatic = "all other columns",
       .list = true},
      {.key = "types",
       .value = "NAME=TYPE,…",
       .help =
           "what a task's values are, where they do not tell: regression, binary, classes or count",
       .member = &S::types,
       .automatic = "told from the values",
       .list = true},
      {.key = "reduce",
       .value = "NAME",
       .help = "fewer inputs, for tables with many columns: linear combinations of all of them, or "
               "of a few each, found on the rows to train on and scaled to unit variance",
       .member = &S::reduce,
       .choices = reductions()},
      {.key = "components",
       .value = "N",
       .help = "with --reduce, the number of these combinations",
       .member = &S::components,
       .automatic = "20, or all where there are fewer inputs or rows",
       .least = 1,
       .most = 10000},
  };
}

std::vector<Option> model_options() {
  return {
      {.key = "preset",
       .value = "NAME",
       .help = "the paper's settings for one of its data sets",
       .member = &S::preset,
       .automatic = "none",
       .choices = preset_names()},
      {.key = "model",
       .value = "NAME",
       .help =
           "what the tasks share: inner functions (smdgp), some of them (mmdgp), correlations "
           "(cmdgp; without inner layers cgp), nothing (idgp; without inner layers igp); "
           "exact-icm and exact-gp are cgp and igp without inducing points, for regression on "
           "a few thousand rows; to compare with, networks that share their hidden layers: mann2, "
           "mann3 with dropout, mbnn2, mbnn3 Bayesian; and a random forest for each task: irf",
       .member = &S::model,
       .automatic =
           "mmdgp; for one task idgp; with depth 1 cgp and igp; where the top layer starts "
           "as an exact GP (see priors) cmdgp from 350 to 3000 targets, with 4 inputs or fewer "
           "up to 3000, else smdgp; where latent functions start on labels (see priors) cmdgp",
       .choices = known_model_names()},
      {.key = "depth",
       .value = "N",
       .help = "layers of Gaussian processes; 1 is a shallow model",
       .member = &S::depth,
       .automatic = "2",
       .least = 1,
       .most = 10},
      {.key = "width",
       .value = "N",
       .help = "functions that an inner layer learns for each task, shared ones included",
       .member = &S::width,
       .automatic = "5; where the top layer starts as an exact GP (see priors) 3; where latent "
                    "functions start on labels one for each label, one for two labels",
       .least = 1,
       .most = 1000},
      {.key = "inducing",
       .value = "N",
       .help = "points by which each process sums up the rows; more are more exact and slower",
       .member = &S::inducing,
       .automatic =
           "100, or all rows where there are fewer; where the top layer starts as an exact GP "
           "(see priors) all targets, up to 800 of a task or 2000 of correlated tasks; where "
           "latent "
           "functions start on labels 600 to 1000 inside and 100 for each task on top",
       .least = 1,
       .most = 5000},
      {.key = "kernel",
       .value = "KERNEL",
       .help = "how smooth the functions are: rbf, matern52, matern32, matern12 (rough), linear, "
               "constant, or sums and products such as 'matern52 + linear'",
       .member = &S::kernel,
       .automatic =
           "matern52; on top of inner layers, for regression on up to "
           "10000 targets, '(matern32 + constant) * (constant + linear)', for cmdgp with "
           "1500 targets or more '… + private', and where hyperparameters are drawn "
           "'(matern32 + constant) * (constant + tasklinear)'; where latent functions start "
           "on labels rbf inside and 'linear + rbf' on top, with fewer than 20 labels for "
           "each input 'linear + rbf' and linear",
       .check = check_kernel_text},
      {.key = "mean",
       .value = "NAME",
       .help =
           "what an inner layer starts from: nothing, its inputs, or their principal directions",
       .member = &S::mean,
       .automatic = "identity; where the top layer starts as an exact GP, or latent functions on "
                    "labels (see priors), zero",
       .choices = {"zero", "identity", "pca"}},
      {.key = "propagate-inputs",
       .value = "BOOL",
       .help = "whether every layer sees the inputs too, next to the layer below",
       .member = &S::propagate_inputs,
       .automatic = "true; false where latent functions start on many labels"},
      {.key = "rank",
       .value = "N",
       .help = "in cmdgp and cgp, how many ways the tasks can correlate in",
       .member = &S::rank,
       .least = 1,
       .most = 100},
      {.key = "regression",
       .value = "NAME",
       .help =
           "noise of targets that are numbers; student_t bears outliers; heavy_tailed trains as "
           "gaussian does and predicts with the tails that its errors have on rows left out",
       .member = &S::regression,
       .automatic = "heavy_tailed where the top layer is or starts as an exact GP; else gaussian",
       .choices = {"gaussian", "heavy_tailed", "student_t"}},
      {.key = "classification",
       .value = "NAME",
       .help = "likelihood of targets with three classes or more; robustmax bears wrong labels",
       .member = &S::classification,
       .choices = {"softmax", "robustmax"}},
      {.key = "priors",
       .value = "BOOL",
       .help = "priors on lengthscales, mixing weights and noise, which few rows need",
       .member = &S::priors,
       .automatic =
           "true for exact models; for deep ones for regression on up to 10000 targets, "
           "whose top layer then starts as an exact GP, unless noise, lengthscale, inducing, "
           "a preset, student_t noise or no propagated inputs are asked for; and for deep "
           "ones with one inner layer and up to 10000 labels, equally many kinds of them in "
           "every task, whose latent functions then start on labels, unless width, inducing, "
           "kernel, lengthscale, a mean, a preset or propagated inputs are; else false"},
      {.key = "hyperparameter-samples",
       .value = "N",
       .help = "draws of the kernels' parameters and of the noise that predictions average over, "
               "which few rows need; 0 takes the best alone",
       .member = &S::hyperparameter_samples,
       .automatic =
           "50 where the top layer starts as an exact GP (see priors) and "
           "tasks have 50 targets or fewer on average, as long as it takes seconds; else 0",
       .least = 0,
       .most = 1000},
      {.key = "noise",
       .value = "X",
       .help = "variance of the noise to start from, as a share of the target's variance",
       .member = &S::noise,
       .automatic = "0.05",
       .least = 0,
       .most = 10,
       .above = true},
      {.key = "lengthscale",
       .value = "X",
       .help = "lengthscales to start from, as a multiple of how far the rows lie apart",
       .member = &S::lengthscale,
       .automatic = "1",
       .least = 0,
       .most = 1000,
       .above = true},
      {.key = "inducing-inputs",
       .value = "NAME",
       .help = "where the inducing points start: at centres of clusters or at random rows",
       .member = &S::inducing_inputs,
       .automatic = "kmeans",
       .choices = {"kmeans", "rows"}},
      {.key = "units",
       .value = "N",
       .help = "in networks, units of each hidden layer",
       .member = &S::units,
       .automatic = "128",
       .least = 1,
       .most = 10000},
      {.key = "dropout",
       .value = "P",
       .help = "in mann2 and mann3, the probability with which a hidden unit is left out",
       .member = &S::dropout,
       .automatic = "0.2",
       .least = 0,
       .most = 0.99},
      {.key = "l2",
       .value = "X",
       .help =
           "in mann2 and mann3, the penalty on squared weights beside the mean loss of a target",
       .member = &S::l2,
       .automatic = "0.0001",
       .least = 0,
       .most = 1000},
      {.key = "weight-prior",
       .value = "NAME",
       .help =
           "in mbnn2 and mbnn3, the prior variance of a weight: 1 over the inputs of its layer, "
           "or 1 as in the paper",
       .member = &S::weight_prior,
       .automatic = "fan-in; with a preset standard",
       .choices = {"fan-in", "standard"}},
      {.key = "kl-weight",
       .value = "X",
       .help = "in mbnn2 and mbnn3, the weight of the KL in the objective; below 1, weights are "
               "surer of themselves than the bound would have them",
       .member = &S::kl_weight,
       .automatic = "0.3; with a preset 1",
       .least = 0,
       .most = 10,
       .above = true},
      {.key = "trees",
       .value = "N",
       .help = "in irf, trees of each task's forest",
       .member = &S::trees,
       .automatic = "500",
       .least = 1,
       .most = 100'000},
  };
}

std::vector<Option> training_options() {
  return {
      {.key = "optimiser",
       .value = "NAME",
       .help = "adam goes in batches; lbfgs takes all rows at once (small tables, shallow models)",
       .member = &S::optimiser,
       .automatic = "lbfgs for small tables with cgp or igp, else adam",
       .choices = {"adam", "lbfgs"}},
      {.key = "steps",
       .value = "N",
       .help = "training steps",
       .member = &S::steps,
       .automatic =
           "3000, with many rows up to 20000; where the top layer starts as an exact GP 100, where "
           "latent functions start on labels 20; lbfgs 500, exact models 100; networks 10000, with "
           "many rows up to 50000",
       .least = 1,
       .most = kMostSteps},
      {.key = "batch",
       .value = "ROWS",
       .help = "rows in a step; 0: all",
       .member = &S::batch,
       .automatic = "all rows up to 1000, 500 above; where latent functions start on labels 300; "
                    "networks 64",
       .least = 0,
       .most = 1e7},
      {.key = "samples",
       .value = "N",
       .help = "random draws through the inner layers in a step; more are steadier and slower",
       .member = &S::samples,
       .automatic = "1",
       .least = 1,
       .most = 1000},
      {.key = "learning-rate",
       .value = "X",
       .help = "length of Adam's steps",
       .member = &S::learning_rate,
       .automatic =
           "0.02; where latent functions start on labels 0.005; mann2, mann3 0.001; mbnn2, "
           "mbnn3 0.003",
       .least = 0,
       .most = 1,
       .above = true},
      {.key = "schedule",
       .value = "NAME",
       .help =
           "how the learning rate falls: not, along a cosine to 0, or by half at each standstill",
       .member = &S::schedule,
       .automatic = "cosine",
       .choices = {"constant", "cosine", "plateau"}},
      {.key = "natural-gradient",
       .value = "NAME",
       .help = "layers whose posterior moves by natural gradients instead of Adam",
       .member = &S::natural_gradient,
       .automatic = "top; where latent functions start on labels none",
       .choices = {"none", "top", "all"}},
      {.key = "natural-step",
       .value = "X",
       .help = "length of the natural gradient's steps",
       .member = &S::natural_step,
       .automatic = "0.1; where the top layer starts as an exact GP 0.3",
       .least = 0,
       .most = 1,
       .above = true},
      {.key = "kl-warmup",
       .value = "STEPS",
       .help = "steps over which the pull towards simple functions grows to its full strength",
       .member = &S::kl_warmup,
       .least = 0,
       .most = kMostSteps},
      {.key = "balance",
       .value = "NAME",
       .help = "batches with rows as they come, or with the same share for every task",
       .member = &S::balance,
       .choices = {"proportional", "balanced"}},
      {.key = "valid",
       .value = "SHARE",
       .help = "share of the rows held out to see when to stop",
       .member = &S::valid,
       .least = 0,
       .most = 0.9},
      {.key = "patience",
       .value = "STEPS",
       .help = "stop after so many steps without improvement; 0: never",
       .member = &S::patience,
       .least = 0,
       .most = kMostSteps},
      {.key = "time",
       .value = "TIME",
       .help = "stop after so much time, such as 90s, 10m or 1.5h; training from nothing by adam "
               "takes as many steps as there is time for; 0: no limit",
       .member = &S::time,
       .least = 0,
       .most = kInfinity,
       .duration = true},
      {.key = "seed",
       .value = "N",
       .help = "of everything random: the same seed gives the same model",
       .member = &S::seed},
  };
}

struct Group {
  std::string_view name;
  std::vector<Option> (*options)();
};
constexpr Group kGroups[] = {
    {"table", table_options}, {"model", model_options}, {"training", training_options}};

std::vector<Option> all_options() {
  std::vector<Option> all;
  for (const Group& group : kGroups) {
    for (Option& option : group.options()) {
      option.group = group.name;
      all.push_back(std::move(option));
    }
  }
  return all;
}

}  // namespace

const std::vector<Option>& fit_options() {
  static const std::vector<Option> all = all_options();
  return all;
}

const Option* find_option(std::string_view key) {
  for (const Option& option : fit_options()) {
    if (option.key == key) return &option;
  }
  return nullptr;
}

}  // namespace mdgp
