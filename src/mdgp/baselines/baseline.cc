#include "mdgp/baselines/baseline.h"

#include <array>
#include <utility>

#include "mdgp/baselines/forest.h"
#include "mdgp/baselines/network.h"

namespace mdgp {
namespace {

struct Baseline {
  std::string_view name;
  Model (*make)(const ModelSpec& spec);
  LatentFunction (*latent)(const ModelSpec& spec, const Model& model);
  // What check_model() cannot know of its parameters.
  void (*check)(const ModelSpec& spec, const Model& model) = nullptr;
};

// In the order of the paper's tables.
constexpr std::array kBaselines = {
    Baseline{"mann2", make_network_model, network_latent},
    Baseline{"mann3", make_network_model, network_latent},
    Baseline{"mbnn2", make_network_model, network_latent},
    Baseline{"mbnn3", make_network_model, network_latent},
    Baseline{"irf", make_forest_model, forest_latent, check_forest},
};

const Baseline* find_baseline(std::string_view name) {
  for (const Baseline& baseline : kBaselines) {
    if (baseline.name == name) return &baseline;
  }
  return nullptr;
}

}  // namespace

std::vector<std::string_view> baseline_names() {
  std::vector<std::string_view> names;
  for (const Baseline& baseline : kBaselines) names.push_back(baseline.name);
  return names;
}

bool is_baseline(std::string_view model) { return find_baseline(model) != nullptr; }

std::vector<std::string_view> known_model_names() {
  std::vector<std::string_view> names = all_model_names();
  for (const std::string_view name : baseline_names()) names.push_back(name);
  return names;
}

Model make_any_model(const ModelSpec& spec) {
  const Baseline* baseline = find_baseline(spec.model);
  return baseline != nullptr ? baseline->make(spec) : make_model(spec);
}

void check_any_model(std::string_view function, const ModelSpec& spec, const Model& model) {
  check_model(function, model);
  const Baseline* baseline = find_baseline(spec.model);
  if (baseline != nullptr && baseline->check != nullptr) baseline->check(spec, model);
}

Posterior make_posterior(const ModelSpec& spec, Model model) {
  const Baseline* baseline = find_baseline(spec.model);
  if (baseline == nullptr) return Posterior(std::move(model));
  LatentFunction latent = baseline->latent(spec, model);
  return {std::move(model), std::move(latent)};
}

}  // namespace mdgp
