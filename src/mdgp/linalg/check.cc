#include "mdgp/linalg/check.h"

#include <fmt/format.h>

#include <cmath>

namespace mdgp {
namespace {

std::string element_name(std::string_view argument, const ConstView& values, Index i, Index j) {
  if (values.size() == 1) return std::string(argument);
  if (values.cols() == 1) return fmt::format("{}[{}]", argument, i);
  return fmt::format("{}[{}, {}]", argument, i, j);
}

// Refuses the first element that does not satisfy `holds`.
template <class Holds>
void check_elements(std::string_view function, std::string_view argument, const ConstView& values,
                    std::string_view requirement, Holds holds) {
  for (Index j = 0; j < values.cols(); ++j) {
    for (Index i = 0; i < values.rows(); ++i) {
      if (!holds(values(i, j))) {
        refuse(function, element_name(argument, values, i, j), fmt::format("{}", values(i, j)),
               requirement);
      }
    }
  }
}

}  // namespace

void refuse(std::string_view function, std::string_view argument, std::string_view value,
            std::string_view requirement) {
  throw std::invalid_argument(
      fmt::format("{}: {} is {}, but must be {}", function, argument, value, requirement));
}

void check_positive(std::string_view function, std::string_view argument, double value) {
  if (!(value > 0.0) || !std::isfinite(value)) {
    refuse(function, argument, fmt::format("{}", value), "positive and finite");
  }
}

void check_positive(std::string_view function, std::string_view argument, const ConstView& values) {
  check_elements(function, argument, values, "positive and finite",
                 [](double v) { return v > 0.0 && std::isfinite(v); });
}

void check_finite(std::string_view function, std::string_view argument, const ConstView& values) {
  check_elements(function, argument, values, "finite", [](double v) { return std::isfinite(v); });
}

void check_size(std::string_view function, std::string_view argument, Index size, Index expected) {
  if (size != expected) {
    refuse(function, fmt::format("size of {}", argument), fmt::format("{}", size),
           fmt::format("{}", expected));
  }
}

void check_shape(std::string_view function, std::string_view argument, const ConstView& matrix,
                 Index rows, Index cols) {
  if (matrix.rows() != rows || matrix.cols() != cols) {
    refuse(function, fmt::format("shape of {}", argument),
           fmt::format("[{}, {}]", matrix.rows(), matrix.cols()),
           fmt::format("[{}, {}]", rows, cols));
  }
}

void check_index(std::string_view function, std::string_view argument, Index value, Index limit) {
  if (value < 0 || value >= limit) {
    refuse(function, argument, fmt::format("{}", value), fmt::format("in [0, {})", limit));
  }
}

}  // namespace mdgp
