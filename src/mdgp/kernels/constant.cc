// k(x, x') = variance: a level that all points share. In a product it lets a factor rest:
// matern52 * (constant + linear) is a function plus slopes that change from place to place.
#include "mdgp/kernels/types.h"

namespace mdgp::kernels {
namespace {

std::vector<int> declare(const KernelContext&, const std::string& prefix, Parameters& parameters) {
  return {parameters.add(prefix + "variance", 1, 1, Constraint::positive, 1.0)};
}

Var filled(Tape& tape, const Leaves& leaves, const Kernel& kernel, Index rows, Index cols) {
  const int id = kernel.parameters[0];
  Var K = tape.used_once(rows, cols);
  K.value.setConstant(leaves.value(id)(0, 0));
  tape.on_reverse([=]() mutable { leaves.adjoint(id)(0, 0) += K.adjoint.sum(); });
  return K;
}

Var constant_cross(Tape& tape, const Leaves& leaves, const Kernel& kernel, Points x, Points z) {
  return filled(tape, leaves, kernel, x.x.rows(), z.x.rows());
}

Var constant_gram(Tape& tape, const Leaves& leaves, const Kernel& kernel, Points z) {
  return filled(tape, leaves, kernel, z.x.rows(), z.x.rows());
}

Var constant_diagonal(Tape& tape, const Leaves& leaves, const Kernel& kernel, Points x) {
  return filled(tape, leaves, kernel, x.x.rows(), 1);
}

}  // namespace

const KernelType constant = {"constant",    declare,           constant_cross,
                             constant_gram, constant_diagonal, false};

}  // namespace mdgp::kernels
