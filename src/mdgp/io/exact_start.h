// The recipe for few rows and Gaussian noise (docs/accuracy.md has what it is
// worth): a deep model whose top layer starts as the exact GP that it is on x, with priors, and
// keeps those hyperparameters; the layers below are trained under it with few inducing inputs; then
// the top layer takes all observations in.
#pragma once

#include "mdgp/io/choose.h"

namespace mdgp {

bool suits_exact_start(const FitSettings& settings, const Schema& schema, const DataSet& data);
bool suits_exact_start(const FitSettings& settings, const ModelSpec& spec, const DataSet& data);

// The model that does best on so many observations of several tasks.
std::string exact_start_model(const DataSet& data);

// Changes what the settings leave open.
void start_exact(const FitSettings& settings, const DataSet& data, FitPlan& plan);

// Where hyperparameters are drawn: what an average over them can bear and the best of them cannot.
void suit_draws(const FitSettings& settings, FitPlan& plan);
// Fewer of them where a large model's members would take too much memory. Throws where their number
// is set.
void limit_draws(const FitSettings& settings, FitPlan& plan);

}  // namespace mdgp
