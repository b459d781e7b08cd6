// Every number that a model learns, in one vector with a table of names. Values are the constrained
// ones (a lengthscale, not its logarithm); gradients are with respect to these and have the same
// layout, so that an optimiser sees two plain vectors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mdgp/linalg/matrix.h"

namespace mdgp {

enum class Constraint { none, positive, lower_triangular };

// What is known of a parameter before there are data. Its log density, up to a constant,
//   gaussian    -1/2 ((value - location) / scale)²
//   log_normal  -1/2 ((log value - location) / scale)²   (as a density of the logarithm)
struct Prior {
  enum Kind { none, gaussian, log_normal } kind = none;
  double location = 0.0;
  double scale = 1.0;
  // log_normal: the id of a parameter of the same shape whose logarithm is the location, so that
  // several keep close to one; -1: location is.
  int around = -1;
};

struct Parameter {
  std::string name;  // "<process>.kernel.lengthscales", "likelihood0.variance", …
  Index offset = 0;  // into Parameters::values
  Index rows = 0;
  Index cols = 0;
  Constraint constraint = Constraint::none;
  bool trainable = true;
  Prior prior;  // of every element

  Index size() const { return rows * cols; }
};

struct Parameters {
  std::vector<Parameter> table;
  Vector values;
  // add() throws std::length_error beyond so many numbers, before it allocates: a structure that
  // comes from a file may claim anything.
  Index most = Index{1} << 40;

  // Appends a block filled with `fill` and returns its id.
  int add(std::string name, Index rows, Index cols, Constraint constraint, double fill);

  int find(std::string_view name) const;  // throws std::invalid_argument if there is none
  const Parameter& operator[](int id) const { return table[static_cast<std::size_t>(id)]; }
  Index size() const { return values.size(); }

  View view(int id) {
    return make_view(values.data() + (*this)[id].offset, (*this)[id].rows, (*this)[id].cols);
  }
  ConstView view(int id) const {
    return make_view(values.data() + (*this)[id].offset, (*this)[id].rows, (*this)[id].cols);
  }
  View view(std::string_view name) { return view(find(name)); }
  ConstView view(std::string_view name) const { return view(find(name)); }
};

// The parameters as the leaves of a differentiation: their values, and the place where the adjoints
// of one contiguous range of them, which begins at `begin`, are summed. `adjoints` is null where
// only values are wanted.
struct Leaves {
  const Parameters* parameters = nullptr;
  double* adjoints = nullptr;
  Index begin = 0;

  ConstView value(int id) const { return parameters->view(id); }
  View adjoint(int id) const {
    const Parameter& p = (*parameters)[id];
    return make_view(adjoints + (p.offset - begin), p.rows, p.cols);
  }
  bool recording() const { return adjoints != nullptr; }
};

}  // namespace mdgp
