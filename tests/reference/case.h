// A reference case: a small model with data, noise and what an independent program computed for
// them. The schema is that of tests/reference/README.md.
#pragma once

#include <string>
#include <vector>

#include "mdgp/inference/bound.h"

namespace mdgp::reference {

struct Case {
  std::string name;
  Model model;
  Matrix x;
  std::vector<Observation> observations;
  std::vector<std::vector<Matrix>> eps;
  double num_data = 0.0;
  Index samples = 1;

  BoundValue expected;
  TopValues expected_top;
  struct Gradient {
    std::string name;
    Matrix value;  // in the layout of the parameter of that name
  };
  std::vector<Gradient> expected_gradients;
};

// Throws std::runtime_error naming the file and what is wrong with it.
Case read_case(const std::string& path);

struct Error {
  std::string quantity;
  double relative = 0.0;  // largest difference over largest expected magnitude
  double limit = 0.0;
};

std::vector<Error> compare(const Case& c);

}  // namespace mdgp::reference
