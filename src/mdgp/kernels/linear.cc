// k(x, x') = sum_d variance_d x_d x'_d, with one variance for all inputs or one each (ARD). On top
// of a cascade it mixes the latent processes linearly (paper.tex eq. 8).
#include "mdgp/kernels/types.h"
#include "mdgp/linalg/blas.h"

namespace mdgp::kernels {
namespace {

std::vector<int> declare(const KernelContext& context, const std::string& prefix,
                         Parameters& parameters) {
  return {parameters.add(prefix + "variance", context.ard ? context.inputs : 1, 1,
                         Constraint::positive, 1.0)};
}

Index slot(const ConstView& variance, Index d) { return variance.rows() > 1 ? d : 0; }

// K = (X V) Zᵀ with V = diag(variance); U = K̄ᵀ X serves Z̄ = U V and variance̅_d = sum_j Z_jd U_jd.
Var linear_cross(Tape& tape, const Leaves& leaves, const Kernel& kernel, Points x, Points z) {
  const Index n = x.x.rows(), m = z.x.rows(), inputs = x.x.cols();
  const int id = kernel.parameters[0];
  const ConstView variance = leaves.value(id);

  View scaled = tape.matrix(m, inputs);  // Z V
  for (Index d = 0; d < inputs; ++d) {
    for (Index j = 0; j < m; ++j) scaled(j, d) = variance(slot(variance, d), 0) * z.x.value(j, d);
  }
  Var K = tape.used_once(n, m);
  gemm(Op::none, Op::transpose, 1.0, as_const(x.x.value), as_const(scaled), 0.0, K.value);
  if (!tape.recording()) return K;

  View U = tape.matrix(m, inputs);
  tape.on_reverse([=]() mutable {
    gemm(Op::transpose, Op::none, 1.0, as_const(K.adjoint), as_const(x.x.value), 0.0, U);
    View variance_adjoint = leaves.adjoint(id);
    for (Index d = 0; d < inputs; ++d) {
      for (Index j = 0; j < m; ++j) {
        variance_adjoint(slot(variance, d), 0) += z.x.value(j, d) * U(j, d);
        if (z.x.differentiable()) z.x.adjoint(j, d) += variance(slot(variance, d), 0) * U(j, d);
      }
    }
    if (x.x.differentiable()) {
      gemm(Op::none, Op::none, 1.0, as_const(K.adjoint), as_const(scaled), 1.0, x.x.adjoint);
    }
  });
  return K;
}

Var linear_gram(Tape& tape, const Leaves& leaves, const Kernel& kernel, Points z) {
  return linear_cross(tape, leaves, kernel, z, z);
}

Var linear_diagonal(Tape& tape, const Leaves& leaves, const Kernel& kernel, Points x) {
  const Index n = x.x.rows(), inputs = x.x.cols();
  const int id = kernel.parameters[0];
  const ConstView variance = leaves.value(id);
  Var k = tape.used_once(n, 1);
  k.value.setZero();
  for (Index d = 0; d < inputs; ++d) {
    const double v = variance(slot(variance, d), 0);
    for (Index i = 0; i < n; ++i) k.value(i, 0) += v * x.x.value(i, d) * x.x.value(i, d);
  }
  tape.on_reverse([=]() mutable {
    View variance_adjoint = leaves.adjoint(id);
    for (Index d = 0; d < inputs; ++d) {
      const double v = variance(slot(variance, d), 0);
      for (Index i = 0; i < n; ++i) {
        const double xi = x.x.value(i, d);
        variance_adjoint(slot(variance, d), 0) += k.adjoint(i, 0) * xi * xi;
        if (x.x.differentiable()) x.x.adjoint(i, d) += 2.0 * v * k.adjoint(i, 0) * xi;
      }
    }
  });
  return k;
}

}  // namespace

const KernelType linear = {"linear", declare, linear_cross, linear_gram, linear_diagonal};

}  // namespace mdgp::kernels
