// Stationary kernels, k(x, x') = variance * g(r²) with r² = sum_d (x_d - x'_d)² / lengthscale_d².
// All that distinguishes one from another is its profile g.
#pragma once

#include "mdgp/kernels/kernel.h"

namespace mdgp::kernels {

// For i < n: k_i = variance g(r2_i) and dk_i = variance g'(r2_i), the derivative with respect to r²
// itself, which for all but matern12 is finite at r = 0. dk may be r2 itself.
using Profile = void (*)(Index n, double variance, const double* r2, double* k, double* dk);

std::vector<int> declare_stationary(const KernelContext&, const std::string& prefix, Parameters&);
Var stationary_cross(Tape&, const Leaves&, const Kernel&, Points x, Points z, Profile profile);
Var stationary_diagonal(Tape&, const Leaves&, const Kernel&, Points x);

template <Profile profile>
constexpr KernelType stationary(std::string_view name) {
  return {name, declare_stationary,
          [](Tape& t, const Leaves& l, const Kernel& k, Points x, Points z) {
            return stationary_cross(t, l, k, x, z, profile);
          },
          [](Tape& t, const Leaves& l, const Kernel& k, Points z) {
            return stationary_cross(t, l, k, z, z, profile);
          },
          stationary_diagonal};
}

}  // namespace mdgp::kernels
