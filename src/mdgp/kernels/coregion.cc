// k((x, t), (x', t')) = B[t, t'], B = W Wᵀ + diag(kappa): how alike two tasks are. Times a kernel
// over x it is the intrinsic coregionalisation model.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "mdgp/kernels/types.h"

namespace mdgp::kernels {
namespace {

enum { kW, kKappa };

// W starts as the first columns of the identity plus a constant, so that tasks begin alike but not
// the same and no column of W is a copy of another.
std::vector<int> declare(const KernelContext& context, const std::string& prefix,
                         Parameters& parameters) {
  const int w = parameters.add(prefix + "W", context.tasks, context.rank, Constraint::none, 0.5);
  View view = parameters.view(w);
  for (Index r = 0; r < std::min(context.tasks, context.rank); ++r) view(r, r) += 0.5;
  return {w, parameters.add(prefix + "kappa", context.tasks, 1, Constraint::positive, 0.5)};
}

// B [T, T] as a variable whose reverse serves W̄ = (B̄ + B̄ᵀ) W and kappa̅ = diag(B̄).
Var task_matrix(Tape& tape, const Leaves& leaves, const Kernel& kernel) {
  const int w_id = kernel.parameters[kW], kappa_id = kernel.parameters[kKappa];
  const ConstView W = leaves.value(w_id);
  const Index tasks = W.rows();
  Var B = tape.variable(tasks, tasks);
  for (Index i = 0; i < tasks; ++i) {
    for (Index j = 0; j < tasks; ++j) B.value(i, j) = W.row(i).dot(W.row(j));
    B.value(i, i) += leaves.value(kappa_id)(i, 0);
  }
  tape.on_reverse([=]() mutable {
    View w_adjoint = leaves.adjoint(w_id);
    View kappa_adjoint = leaves.adjoint(kappa_id);
    for (Index i = 0; i < tasks; ++i) {
      for (Index j = 0; j < tasks; ++j) {
        const double both = B.adjoint(i, j) + B.adjoint(j, i);
        for (Index r = 0; r < W.cols(); ++r) w_adjoint(i, r) += both * W(j, r);
      }
      kappa_adjoint(i, 0) += B.adjoint(i, i);
    }
  });
  return B;
}

Var coregion_cross(Tape& tape, const Leaves& leaves, const Kernel& kernel, Points x, Points z) {
  check_tasks(kernel, x);
  check_tasks(kernel, z);
  const Index n = x.x.rows(), m = z.x.rows();
  Var B = task_matrix(tape, leaves, kernel);
  Var K = tape.used_once(n, m);
  for (Index j = 0; j < m; ++j) {
    for (Index i = 0; i < n; ++i) K.value(i, j) = B.value(x.task[i], z.task[j]);
  }
  tape.on_reverse([=]() mutable {
    for (Index j = 0; j < m; ++j) {
      for (Index i = 0; i < n; ++i) B.adjoint(x.task[i], z.task[j]) += K.adjoint(i, j);
    }
  });
  return K;
}

Var coregion_gram(Tape& tape, const Leaves& leaves, const Kernel& kernel, Points z) {
  return coregion_cross(tape, leaves, kernel, z, z);
}

Var coregion_diagonal(Tape& tape, const Leaves& leaves, const Kernel& kernel, Points x) {
  check_tasks(kernel, x);
  const Index n = x.x.rows();
  Var B = task_matrix(tape, leaves, kernel);
  Var k = tape.used_once(n, 1);
  for (Index i = 0; i < n; ++i) k.value(i, 0) = B.value(x.task[i], x.task[i]);
  tape.on_reverse([=]() mutable {
    for (Index i = 0; i < n; ++i) B.adjoint(x.task[i], x.task[i]) += k.adjoint(i, 0);
  });
  return k;
}

}  // namespace

void check_tasks(const Kernel& kernel, const Points& points) {
  if (points.task != nullptr || points.x.rows() == 0) return;
  throw std::invalid_argument(
      fmt::format("{}: task is missing, but every point must have one", kernel.type->name));
}

const KernelType coregion = {"coregion", declare, coregion_cross, coregion_gram, coregion_diagonal};

}  // namespace mdgp::kernels
