#include "mdgp/io/choose_forest.h"

#include <fmt/format.h>

#include "mdgp/baselines/train_forest.h"
#include "mdgp/io/choose_parts.h"

namespace mdgp {
namespace {

void check_options(const FitSettings& s) {
  refuse_options(s,
                 {"depth", "width", "inducing", "kernel", "mean", "propagate-inputs", "rank",
                  "priors", "hyperparameter-samples", "lengthscale", "inducing-inputs",
                  "natural-gradient", "natural-step", "kl-warmup"},
                 "for Gaussian processes; irf is a forest");
  refuse_options(s, {"units", "dropout", "l2", "weight-prior", "kl-weight"},
                 "for networks; irf is a forest");
  refuse_options(s,
                 {"noise", "optimiser", "steps", "batch", "samples", "learning-rate", "schedule",
                  "balance", "patience", "time"},
                 "irf is trained in one go; --trees says how long");
  refuse_options(s, {"regression", "classification"}, "irf takes gaussian and softmax");
}

}  // namespace

FitPlan choose_forest(const FitSettings& settings, const Schema& schema, const DataSet& data) {
  check_options(settings);
  FitPlan plan;
  plan.spec.model = *settings.model;
  plan.spec.inputs = data.x.cols();
  plan.spec.tasks = task_specs(settings, schema);
  plan.spec.inner.clear();
  plan.spec.forest.trees = settings.trees.value_or(ForestOptions{}.trees);
  plan.train.seed = settings.seed;
  FitSettings all = settings;
  all.trees = plan.spec.forest.trees;
  all.regression = "gaussian";
  plan.settings = option_texts(all);
  plan.reasons = {fmt::format("{}: a random forest for each task, {} trees ({} rows, {} inputs)",
                              plan.spec.model, plan.spec.forest.trees, data.x.rows(),
                              schema.input_width())};
  return plan;
}

}  // namespace mdgp
