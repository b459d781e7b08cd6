// k((x, t), (x', t')) = sum_d sqrt(variance_dt variance_dt') x_d x'_d: a linear kernel that looks
// at each task's inputs through variances of that task's own. Times a coregionalised kernel, tasks
// may be alike in how they depend on an input and yet differ in how much.
#include "mdgp/kernels/types.h"
#include "mdgp/linalg/blas.h"

namespace mdgp::kernels {
namespace {

// [D, T], or [1, T] with one variance for all inputs.
std::vector<int> declare(const KernelContext& context, const std::string& prefix,
                         Parameters& parameters) {
  return {parameters.add(prefix + "variance", context.ard ? context.inputs : 1, context.tasks,
                         Constraint::positive, 1.0)};
}

Index slot(const View& root, Index d) { return root.rows() > 1 ? d : 0; }

// s_id = sqrt(variance_{d, t_i}) x_id, whose reverse serves x̄ = s̄ sqrt(variance) and
// variance̅ = sum_i s̄ x / (2 sqrt(variance)).
Var scaled(Tape& tape, const Leaves& leaves, const Kernel& kernel, Points x) {
  const Index n = x.x.rows(), inputs = x.x.cols();
  check_tasks(kernel, x);
  const int id = kernel.parameters[0];
  View root = tape.matrix(leaves.value(id).rows(), leaves.value(id).cols());
  root = leaves.value(id).cwiseSqrt();
  Var s = tape.variable(n, inputs);
  for (Index d = 0; d < inputs; ++d) {
    const Index row = slot(root, d);
    for (Index i = 0; i < n; ++i) s.value(i, d) = root(row, x.task[i]) * x.x.value(i, d);
  }
  tape.on_reverse([=]() mutable {
    View variance_adjoint = leaves.adjoint(id);
    for (Index d = 0; d < inputs; ++d) {
      const Index row = slot(root, d);
      for (Index i = 0; i < n; ++i) {
        const double r = root(row, x.task[i]);
        variance_adjoint(row, x.task[i]) += 0.5 * s.adjoint(i, d) * x.x.value(i, d) / r;
        if (x.x.differentiable()) x.x.adjoint(i, d) += r * s.adjoint(i, d);
      }
    }
  });
  return s;
}

// K = a bᵀ; a and b may be the same.
Var multiply(Tape& tape, Var a, Var b) {
  Var K = tape.used_once(a.rows(), b.rows());
  gemm(Op::none, Op::transpose, 1.0, as_const(a.value), as_const(b.value), 0.0, K.value);
  tape.on_reverse([=] {
    gemm(Op::none, Op::none, 1.0, as_const(K.adjoint), as_const(b.value), 1.0, a.adjoint);
    gemm(Op::transpose, Op::none, 1.0, as_const(K.adjoint), as_const(a.value), 1.0, b.adjoint);
  });
  return K;
}

Var tasklinear_cross(Tape& tape, const Leaves& leaves, const Kernel& kernel, Points x, Points z) {
  Var a = scaled(tape, leaves, kernel, x);
  return multiply(tape, a, scaled(tape, leaves, kernel, z));
}

Var tasklinear_gram(Tape& tape, const Leaves& leaves, const Kernel& kernel, Points z) {
  const Var a = scaled(tape, leaves, kernel, z);
  return multiply(tape, a, a);
}

Var tasklinear_diagonal(Tape& tape, const Leaves& leaves, const Kernel& kernel, Points x) {
  Var s = scaled(tape, leaves, kernel, x);
  Var k = tape.used_once(x.x.rows(), 1);
  k.value = s.value.rowwise().squaredNorm();
  tape.on_reverse([=]() mutable {
    for (Index d = 0; d < s.cols(); ++d) {
      for (Index i = 0; i < s.rows(); ++i) {
        s.adjoint(i, d) += 2.0 * k.adjoint(i, 0) * s.value(i, d);
      }
    }
  });
  return k;
}

}  // namespace

const KernelType tasklinear = {"tasklinear", declare, tasklinear_cross, tasklinear_gram,
                               tasklinear_diagonal};

}  // namespace mdgp::kernels
