// k(x, x') = variance where x and x' are the same point, else 0: noise between the layers. It adds
// to k(x, x) and to the diagonal of K(Z, Z), never to K(X, Z), even where a row of X equals one of
// Z.
#include "mdgp/kernels/types.h"

namespace mdgp::kernels {
namespace {

std::vector<int> declare(const KernelContext&, const std::string& prefix, Parameters& parameters) {
  const int id = parameters.add(prefix + "variance", 1, 1, Constraint::positive, 1e-5);
  parameters.table[static_cast<std::size_t>(id)].trainable = false;
  return {id};
}

Var white_cross(Tape& tape, const Leaves&, const Kernel&, Points x, Points z) {
  Var K = tape.used_once(x.x.rows(), z.x.rows());
  K.value.setZero();
  return K;
}

Var white_gram(Tape& tape, const Leaves& leaves, const Kernel& kernel, Points z) {
  const int id = kernel.parameters[0];
  Var K = tape.used_once(z.x.rows(), z.x.rows());
  K.value.setZero();
  K.value.diagonal().setConstant(leaves.value(id)(0, 0));
  tape.on_reverse([=]() mutable { leaves.adjoint(id)(0, 0) += K.adjoint.diagonal().sum(); });
  return K;
}

Var white_diagonal(Tape& tape, const Leaves& leaves, const Kernel& kernel, Points x) {
  const int id = kernel.parameters[0];
  Var k = tape.used_once(x.x.rows(), 1);
  k.value.setConstant(leaves.value(id)(0, 0));
  tape.on_reverse([=]() mutable { leaves.adjoint(id)(0, 0) += k.adjoint.sum(); });
  return k;
}

}  // namespace

const KernelType white = {"white", declare, white_cross, white_gram, white_diagonal, true};

}  // namespace mdgp::kernels
