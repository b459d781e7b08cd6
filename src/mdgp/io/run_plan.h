// From a plan to a fitted model.
#pragma once

#include <functional>

#include "mdgp/inference/lbfgs.h"
#include "mdgp/io/choose.h"

namespace mdgp {

// The model that training starts from: initialised, with its priors and, where the plan says so,
// with the hyperparameters of the exact GP that its top layer is on x alone. Where its values will
// come from a checkpoint, what takes time to find is left out, and only that.
enum class StartValues { found, from_checkpoint };
Model start_model(const FitPlan& plan, const DataSet& data,
                  StartValues values = StartValues::found);

// From the trained model to the one that predicts, which may have more inducing inputs on top, and
// members. go_on is that of SampleOptions: where it stops, the model is not finished.
Model finish_model(const FitPlan& plan, const DataSet& data, Model trained,
                   const std::function<bool(double done)>& go_on = {});

// train() on what the plan's model climbs: the bound of its cascade, or a network's objective.
TrainSummary train_plan(const FitPlan& plan, const TrainOptions& options, const DataSet& data,
                        Model& model, TrainState& state, const TrainCallback& callback = {});

// The same for plans of L-BFGS: exact models, or all rows at once. go_on is that of LbfgsOptions.
LbfgsSummary search_plan(const FitPlan& plan, const DataSet& data, Model& model,
                         const std::function<bool(int evaluations, double best)>& go_on = {});

struct PlanResult {
  ModelSpec spec;  // the plan's; a forest's says how large its trees became
  Model model;
  double seconds = 0.0;
  Index steps = 0;
  double bound = 0.0;
  std::vector<std::string> failures;
};

// All at once: no checkpoints, no progress.
PlanResult run_plan(const FitPlan& plan, const DataSet& data);

}  // namespace mdgp
