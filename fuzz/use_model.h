// What the fuzzer of model files does: load one and, where it is small, predict a row with it.
#pragma once

#include <stdexcept>
#include <string_view>

#include "mdgp/baselines/baseline.h"
#include "mdgp/io/model_file.h"
#include "mdgp/linalg/check.h"

namespace mdgp::fuzz {

constexpr Index kFewNumbers = 2000, kFewTasks = 8;

// Whether it was a model. What is not must be refused with a FileError of one line; a model whose
// numbers cannot be worked with, with a NumericalError.
inline bool use_model(std::string_view bytes) {
  try {
    const FittedModel fitted = parse_model(bytes, "input");
    const auto models = static_cast<Index>(fitted.model.members.size()) + 1;
    if (fitted.model.parameters.size() * models > kFewNumbers) return true;
    if (fitted.model.cascade.tasks > kFewTasks) return true;
    const Posterior posterior = make_posterior(fitted.spec, fitted.model);
    const Matrix x = Matrix::Constant(1, fitted.model.cascade.inputs, 0.5);
    for (int t = 0; t < fitted.model.cascade.tasks; ++t) {
      posterior.predict(view_of(x), t, {.samples = 2});
    }
  } catch (const FileError& error) {
    const std::string_view what = error.what();
    if (!what.starts_with("input: ") || what.find('\n') != what.npos) {
      throw std::logic_error("a FileError is not one line about the input");
    }
    return false;
  } catch (const NumericalError&) {
  }
  return true;
}

}  // namespace mdgp::fuzz
