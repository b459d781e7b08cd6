// The trainable parameters as one vector without constraints: what an optimiser moves.
//   positive          their logarithms
//   lower_triangular  the elements on and below the diagonals (linalg/blas.h has the layout)
//   none              as they are
// Parameters that are fixed or left out do not appear.
#pragma once

#include <vector>

#include "mdgp/autodiff/parameters.h"

namespace mdgp {

class FreeVector {
 public:
  // `left_out`: ids of parameters that somebody else moves.
  explicit FreeVector(const Parameters& parameters, const std::vector<int>& left_out = {});

  Index size() const { return size_; }
  // From the parameters to the vector, and back.
  void read(const Parameters& parameters, Vector& free) const;
  void write(const Vector& free, Parameters& parameters) const;
  // From the gradient with respect to the parameters to that with respect to the vector.
  void pull_back(const Parameters& parameters, const Vector& gradient, Vector& free_gradient) const;
  // [size()] the scale of each element's prior, 1 where it has none: what a search may measure its
  // steps in.
  Vector prior_scales(const Parameters& parameters) const;

 private:
  // A run of consecutive elements, in the parameters at `offset`, in the vector at `free`.
  struct Run {
    Index offset, free, size;
    bool positive;
  };
  void add_runs(const Parameters& parameters, int id);

  std::vector<Run> runs_;
  Index size_ = 0;
};

// sum of the log densities of the parameters that have a prior (up to constants), and its gradient,
// added. What is fixed has none: its density would only be a constant.
double log_prior(const Parameters& parameters, Vector* gradient);

}  // namespace mdgp
