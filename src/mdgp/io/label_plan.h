// The recipe for labels: deep models whose first layer starts on them (inference/label_start.h).
#pragma once

#include "mdgp/io/choose.h"

namespace mdgp {

// Whether it is for these: labels only, equally many in each task, a deep model, few enough rows,
// and nothing set that it would set.
bool suits_label_start(const FitSettings& settings, const Schema& schema, const DataSet& data);
bool suits_label_start(const FitSettings& settings, const ModelSpec& spec, const DataSet& data);

// Sets the layers and the training of the plan to the recipe's.
void plan_label_start(const FitSettings& settings, const DataSet& data, FitPlan& plan);

}  // namespace mdgp
