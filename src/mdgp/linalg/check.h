// What the library throws, and checks of arguments by name: the message says which function refused
// which argument, what its value was and what it must be.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "mdgp/linalg/matrix.h"

namespace mdgp {

// The mathematics failed on valid input (a matrix that no jitter saves, a bound that is not
// finite).
struct NumericalError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws std::invalid_argument: "<function>: <argument> is <value>, but must be <requirement>".
[[noreturn]] void refuse(std::string_view function, std::string_view argument,
                         std::string_view value, std::string_view requirement);

void check_positive(std::string_view function, std::string_view argument, double value);
void check_positive(std::string_view function, std::string_view argument, const ConstView& values);
void check_finite(std::string_view function, std::string_view argument, const ConstView& values);
void check_size(std::string_view function, std::string_view argument, Index size, Index expected);
void check_shape(std::string_view function, std::string_view argument, const ConstView& matrix,
                 Index rows, Index cols);
// 0 <= value < limit.
void check_index(std::string_view function, std::string_view argument, Index value, Index limit);

}  // namespace mdgp
