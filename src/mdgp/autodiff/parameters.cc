#include "mdgp/autodiff/parameters.h"

#include <fmt/format.h>

#include <stdexcept>

namespace mdgp {

int Parameters::add(std::string name, Index rows, Index cols, Constraint constraint, double fill) {
  const Index offset = values.size();
  Index size = 0;
  if (rows < 0 || cols < 0 || __builtin_mul_overflow(rows, cols, &size) || size > most - offset) {
    throw std::length_error(
        fmt::format("Parameters::add: '{}' of {} x {} is too large", name, rows, cols));
  }
  values.conservativeResize(offset + size);
  values.tail(size).setConstant(fill);
  table.push_back({std::move(name), offset, rows, cols, constraint, true, {}});
  return static_cast<int>(table.size()) - 1;
}

int Parameters::find(std::string_view name) const {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].name == name) return static_cast<int>(i);
  }
  throw std::invalid_argument(fmt::format("Parameters::find: there is no parameter '{}'", name));
}

}  // namespace mdgp
