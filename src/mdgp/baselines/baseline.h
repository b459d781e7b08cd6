// What the models are compared with: other ways from rows to q(f), under the same likelihoods, in
// the same file and the same program. A baseline is a Model whose cascade has no layers, and a
// LatentFunction that reads its parameters. To add one: a file that makes both, a line in the table
// of baseline.cc, and its training in io/run_plan.cc.
#pragma once

#include <string_view>
#include <vector>

#include "mdgp/models/model.h"
#include "mdgp/posterior/posterior.h"

namespace mdgp {

std::vector<std::string_view> baseline_names();
bool is_baseline(std::string_view model);
std::vector<std::string_view> known_model_names();  // those of Gaussian processes, then these

// Either kind: what make_model() does, for baselines too.
Model make_any_model(const ModelSpec& spec);
// Throws where a parameter is not what it can be.
void check_any_model(std::string_view function, const ModelSpec& spec, const Model& model);
Posterior make_posterior(const ModelSpec& spec, Model model);

}  // namespace mdgp
