#include "mdgp/likelihoods/likelihood.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mdgp/likelihoods/types.h"
#include "mdgp/linalg/check.h"

namespace mdgp {
namespace {

const auto& table() {
  static const std::array<const LikelihoodType*, 7> types = {
      &likelihoods::gaussian(),  &likelihoods::heavy_tailed(), &likelihoods::student_t(),
      &likelihoods::bernoulli(), &likelihoods::poisson(),      &likelihoods::robustmax(),
      &likelihoods::softmax(),
  };
  return types;
}

const LikelihoodType& find_type(std::string_view name) {
  for (const LikelihoodType* type : table()) {
    if (type->name == name) return *type;
  }
  refuse("make_likelihood", "name", name,
         fmt::format("one of {}", fmt::join(likelihood_names(), ", ")));
}

}  // namespace

Likelihood make_likelihood(std::string_view name, std::string_view prefix, Parameters& parameters,
                           int classes) {
  const LikelihoodType& type = find_type(name);
  if (type.multiclass && classes < 2) {
    refuse("make_likelihood", "classes", fmt::format("{}", classes),
           fmt::format("at least 2 for {}", name));
  }
  if (!type.multiclass && classes != 0) {
    refuse("make_likelihood", "classes", fmt::format("{}", classes), fmt::format("0 for {}", name));
  }
  Likelihood likelihood{&type, classes, {}};
  for (const LikelihoodParameter& parameter : type.parameters) {
    const int id = parameters.add(fmt::format("{}.{}", prefix, parameter.name), 1, 1,
                                  Constraint::positive, parameter.initial);
    parameters.table[static_cast<std::size_t>(id)].trainable = parameter.trainable;
    likelihood.parameters.push_back(id);
  }
  return likelihood;
}

bool has_gaussian_noise(std::string_view likelihood) {
  return likelihood == "gaussian" || likelihood == "heavy_tailed";
}

double tail_degrees(const Likelihood& likelihood, const Leaves& leaves) {
  return std::max(leaves.value(likelihood.parameters[1])(0, 0), kFewestDegrees);
}

std::vector<std::string_view> likelihood_names() {
  std::vector<std::string_view> names;
  for (const LikelihoodType* type : table()) names.push_back(type->name);
  return names;
}

void check_target(std::string_view function, const Likelihood& likelihood, double y) {
  if (!likelihood.type->accepts(likelihood, y)) {
    refuse(function, fmt::format("target of likelihood {}", likelihood.type->name),
           fmt::format("{}", y), likelihood.type->target);
  }
}

}  // namespace mdgp
