// Sums and products of kernels: their matrices are the elementwise sums and products.
#include <algorithm>
#include <iterator>
#include <new>

#include "mdgp/kernels/types.h"

namespace mdgp::kernels {
namespace {

std::vector<int> declare(const KernelContext&, const std::string&, Parameters&) { return {}; }

// The children's matrices, each from `evaluate(child)`, kept in the tape for the reverse.
template <class Evaluate>
Var* evaluate_children(Tape& tape, const Kernel& kernel, Evaluate evaluate) {
  const auto count = static_cast<Index>(kernel.children.size());
  Var* children = tape.array<Var>(count);
  for (Index c = 0; c < count; ++c) {
    new (children + c) Var(evaluate(kernel.children[static_cast<std::size_t>(c)]));
  }
  return children;
}

template <class Evaluate>
Var add(Tape& tape, const Kernel& kernel, Evaluate evaluate) {
  const auto count = static_cast<Index>(kernel.children.size());
  Var* children = evaluate_children(tape, kernel, evaluate);
  Var K = tape.used_once(children[0].rows(), children[0].cols());
  K.value = children[0].value;
  for (Index c = 1; c < count; ++c) K.value += children[c].value;
  tape.on_reverse([=]() mutable {
    for (Index c = 0; c < count; ++c) children[c].adjoint = K.adjoint;
  });
  return K;
}

template <class Evaluate>
Var multiply(Tape& tape, const Kernel& kernel, Evaluate evaluate) {
  const auto count = static_cast<Index>(kernel.children.size());
  Var* children = evaluate_children(tape, kernel, evaluate);
  Var K = tape.used_once(children[0].rows(), children[0].cols());
  K.value = children[0].value;
  for (Index c = 1; c < count; ++c) K.value.array() *= children[c].value.array();
  tape.on_reverse([=]() mutable {
    // K̄ times all the others, multiplied out: dividing K by the child would fail where it is 0.
    for (Index c = 0; c < count; ++c) {
      children[c].adjoint = K.adjoint;
      for (Index o = 0; o < count; ++o) {
        if (o != c) children[c].adjoint.array() *= children[o].value.array();
      }
    }
  });
  return K;
}

}  // namespace

const KernelType sum = {
    "sum", declare,
    [](Tape& tape, const Leaves& leaves, const Kernel& k, Points x, Points z) {
      // Where only one child is not zero, as in a kernel plus white noise, the sum is that child.
      const auto is_zero = [](const Kernel& c) { return c.type->zero_cross; };
      const auto zeros = std::count_if(k.children.begin(), k.children.end(), is_zero);
      if (zeros + 1 == std::ssize(k.children)) {
        const auto child = std::find_if_not(k.children.begin(), k.children.end(), is_zero);
        return mdgp::cross(tape, leaves, *child, x, z);
      }
      return add(tape, k, [&](const Kernel& c) { return mdgp::cross(tape, leaves, c, x, z); });
    },
    [](Tape& tape, const Leaves& leaves, const Kernel& k, Points z) {
      return add(tape, k, [&](const Kernel& c) { return mdgp::gram(tape, leaves, c, z); });
    },
    [](Tape& tape, const Leaves& leaves, const Kernel& k, Points x) {
      return add(tape, k, [&](const Kernel& c) { return mdgp::diagonal(tape, leaves, c, x); });
    }};

const KernelType product = {
    "product", declare,
    [](Tape& tape, const Leaves& leaves, const Kernel& k, Points x, Points z) {
      return multiply(tape, k, [&](const Kernel& c) { return mdgp::cross(tape, leaves, c, x, z); });
    },
    [](Tape& tape, const Leaves& leaves, const Kernel& k, Points z) {
      return multiply(tape, k, [&](const Kernel& c) { return mdgp::gram(tape, leaves, c, z); });
    },
    [](Tape& tape, const Leaves& leaves, const Kernel& k, Points x) {
      return multiply(tape, k, [&](const Kernel& c) { return mdgp::diagonal(tape, leaves, c, x); });
    }};

}  // namespace mdgp::kernels
