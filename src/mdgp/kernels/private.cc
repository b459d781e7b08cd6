// k((x, t), (x', t')) = [t = t'] k_t(x, x'): a Matérn-3/2 kernel of each task's own, with its own
// variance and lengthscales, and nothing between tasks. Beside a coregionalised kernel it is what a
// task does not share.
#include <fmt/format.h>

#include "mdgp/kernels/types.h"

namespace mdgp::kernels {
namespace {

// Task t's variance and lengthscales are parameters 2 t and 2 t + 1.
std::vector<int> declare(const KernelContext& context, const std::string& prefix,
                         Parameters& parameters) {
  std::vector<int> ids;
  for (Index t = 0; t < context.tasks; ++t) {
    const std::vector<int> own =
        matern32.declare(context, fmt::format("{}{}.", prefix, t), parameters);
    ids.insert(ids.end(), own.begin(), own.end());
  }
  return ids;
}

Index tasks_of(const Kernel& kernel) { return static_cast<Index>(kernel.parameters.size()) / 2; }

Kernel kernel_of(const Kernel& kernel, Index task) {
  const auto first = static_cast<std::size_t>(2 * task);
  return {&matern32, {kernel.parameters[first], kernel.parameters[first + 1]}, {}};
}

// The points of one task and where they stand among all.
struct Chosen {
  Var x;
  Index* place;
  Index count;
};

Chosen choose(Tape& tape, const Points& points, Index task) {
  Index count = 0;
  for (Index i = 0; i < points.x.rows(); ++i) count += points.task[i] == task ? 1 : 0;
  Index* place = tape.array<Index>(count);
  for (Index i = 0, next = 0; i < points.x.rows(); ++i) {
    if (points.task[i] == task) place[next++] = i;
  }
  const Index inputs = points.x.cols();
  Var all = points.x;
  Var x = all.differentiable() ? tape.variable(count, inputs)
                               : Var{tape.matrix(count, inputs), no_view()};
  for (Index d = 0; d < inputs; ++d) {
    for (Index i = 0; i < count; ++i) x.value(i, d) = all.value(place[i], d);
  }
  if (tape.recording() && all.differentiable()) {
    tape.on_reverse([=]() mutable {
      for (Index d = 0; d < inputs; ++d) {
        for (Index i = 0; i < count; ++i) all.adjoint(place[i], d) += x.adjoint(i, d);
      }
    });
  }
  return {x, place, count};
}

// The block of one task, put in its place.
void add_block(Tape& tape, const Leaves& leaves, const Kernel& kernel, const Chosen& x,
               const Chosen& z, Var K) {
  if (x.count == 0 || z.count == 0) return;
  Var block = cross(tape, leaves, kernel, {x.x}, {z.x});
  for (Index j = 0; j < z.count; ++j) {
    for (Index i = 0; i < x.count; ++i) K.value(x.place[i], z.place[j]) = block.value(i, j);
  }
  if (!tape.recording()) return;
  tape.on_reverse([=]() mutable {
    for (Index j = 0; j < z.count; ++j) {
      for (Index i = 0; i < x.count; ++i) block.adjoint(i, j) = K.adjoint(x.place[i], z.place[j]);
    }
  });
}

Var private_cross(Tape& tape, const Leaves& leaves, const Kernel& kernel, Points x, Points z) {
  check_tasks(kernel, x);
  check_tasks(kernel, z);
  Var K = tape.used_once(x.x.rows(), z.x.rows());
  K.value.setZero();
  for (Index t = 0; t < tasks_of(kernel); ++t) {
    add_block(tape, leaves, kernel_of(kernel, t), choose(tape, x, t), choose(tape, z, t), K);
  }
  return K;
}

Var private_gram(Tape& tape, const Leaves& leaves, const Kernel& kernel, Points z) {
  check_tasks(kernel, z);
  Var K = tape.used_once(z.x.rows(), z.x.rows());
  K.value.setZero();
  for (Index t = 0; t < tasks_of(kernel); ++t) {
    const Chosen mine = choose(tape, z, t);
    add_block(tape, leaves, kernel_of(kernel, t), mine, mine, K);
  }
  return K;
}

Var private_diagonal(Tape& tape, const Leaves& leaves, const Kernel& kernel, Points x) {
  check_tasks(kernel, x);
  const Index n = x.x.rows();
  Var k = tape.used_once(n, 1);
  const auto id = [&kernel](int task) {
    return kernel.parameters[static_cast<std::size_t>(2 * task)];
  };
  for (Index i = 0; i < n; ++i) k.value(i, 0) = leaves.value(id(x.task[i]))(0, 0);
  if (!tape.recording()) return k;
  int* ids = tape.array<int>(n);
  for (Index i = 0; i < n; ++i) ids[i] = id(x.task[i]);
  tape.on_reverse([=]() mutable {
    for (Index i = 0; i < n; ++i) leaves.adjoint(ids[i])(0, 0) += k.adjoint(i, 0);
  });
  return k;
}

}  // namespace

const KernelType private_ = {"private", declare, private_cross, private_gram, private_diagonal};

}  // namespace mdgp::kernels
