// Kernels k(x, x') as a tree: leaves (rbf, matern52, linear, …) under sums and products.
//
// To add a kernel: a file that fills a KernelType (for a stationary one, just its profile over the
// squared distance), a line in the table of kernel.cc, a line in the list of the kernel test.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mdgp/autodiff/parameters.h"
#include "mdgp/autodiff/tape.h"
#include "mdgp/linalg/matrix.h"

namespace mdgp {

// Inputs of a kernel: a row each, and its task where the kernel is coregionalised (else null).
struct Points {
  Var x;                      // [n, D]
  const int* task = nullptr;  // [n]
};

struct KernelType;

struct Kernel {
  const KernelType* type = nullptr;
  std::vector<int> parameters;   // ids, in an order that the type knows
  std::vector<Kernel> children;  // of a sum or product
};

// What a kernel is made with.
struct KernelContext {
  Index inputs = 1;  // D
  bool ard = true;   // a lengthscale for each input, or one for all
  Index tasks = 1;   // coregionalisation: B = W Wᵀ + diag(kappa), W [tasks, rank]
  Index rank = 1;
};

// The matrices are for one use each: whoever takes one assigns its adjoint (Tape::used_once).
struct KernelType {
  std::string_view name;

  // Adds the parameters, named "<prefix><parameter>".
  std::vector<int> (*declare)(const KernelContext&, const std::string& prefix, Parameters&);

  // K [n, m] = k(x_i, z_j); its reverse adds to the adjoints of the parameters, and of x and z
  // where they are differentiable.
  Var (*cross)(Tape&, const Leaves&, const Kernel&, Points x, Points z);

  // K [m, m] = k(z_i, z_j). Differs from cross(z, z) only for white noise.
  Var (*gram)(Tape&, const Leaves&, const Kernel&, Points z);

  // k(x_i, x_i) [n, 1].
  Var (*diagonal)(Tape&, const Leaves&, const Kernel&, Points x);

  bool zero_cross = false;  // white noise: cross() is 0 everywhere
};

inline Var cross(Tape& t, const Leaves& l, const Kernel& k, Points x, Points z) {
  return k.type->cross(t, l, k, x, z);
}
inline Var gram(Tape& t, const Leaves& l, const Kernel& k, Points z) {
  return k.type->gram(t, l, k, z);
}
inline Var diagonal(Tape& t, const Leaves& l, const Kernel& k, Points x) {
  return k.type->diagonal(t, l, k, x);
}

// Reads "matern52", "matern52 + linear", "rbf * (linear + white)", "matern52 * coregion".
// Parameters are named "<prefix>variance" and so on; where several leaves of a tree have parameters
// of the same name, each leaf puts its type and position first ("<prefix>rbf_0.variance").
// Coregionalisation and white noise are "<prefix>coregion.W", "<prefix>coregion.kappa",
// "<prefix>white.variance". Throws std::invalid_argument, naming the place, where the text is not a
// kernel.
Kernel make_kernel(std::string_view expression, const KernelContext& context,
                   const std::string& prefix, Parameters& parameters);

// f(leaf) for every leaf of the tree, from left to right. All parameters are the leaves'.
template <class KernelRef, class F>
void for_leaves(KernelRef& kernel, F f) {
  if (kernel.children.empty()) f(kernel);
  for (auto& child : kernel.children) for_leaves(child, f);
}

// The text that make_kernel would read.
std::string to_string(const Kernel& kernel);

// "f.kernel.variance = 1.2, f.kernel.lengthscales from 0.3 to 4": for messages.
std::string describe_parameters(const Kernel& kernel, const Parameters& parameters);

std::vector<std::string_view> kernel_names();
bool is_coregionalised(const Kernel& kernel);
// Whether a leaf is of functions that are linear in x, with a variance for each input or for all.
bool is_linear(const Kernel& leaf);
// The kernel in this text that is for correlated tasks only (private, tasklinear); empty for none.
std::string_view kernel_of_tasks(std::string_view expression);

// Throws where a parameter is not what its constraint asks for or is not finite.
void check_kernel(std::string_view function, const Kernel& kernel, const Parameters& parameters);

}  // namespace mdgp
