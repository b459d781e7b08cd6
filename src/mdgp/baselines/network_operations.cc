#include "mdgp/baselines/network_operations.h"

#include "mdgp/linalg/blas.h"
#include "mdgp/linalg/elementwise.h"

namespace mdgp {
namespace {

// A variable where something below it is one, else a constant.
Var result(Tape& tape, Index rows, Index cols, bool differentiable) {
  if (differentiable) return tape.variable(rows, cols);
  return {tape.matrix(rows, cols), no_view()};
}

}  // namespace

Var leaf(const Leaves& leaves, int id) {
  const Var value = constant(leaves.value(id));
  return {value.value, leaves.recording() ? leaves.adjoint(id) : no_view()};
}

Var affine(Tape& tape, Var x, Var w, Var b) {
  Var y = result(tape, x.rows(), w.cols(), tape.recording());
  gemm(Op::none, Op::none, 1.0, as_const(x.value), as_const(w.value), 0.0, y.value);
  y.value.rowwise() += b.value.row(0);
  tape.on_reverse([=] {
    if (w.differentiable()) {
      gemm(Op::transpose, Op::none, 1.0, as_const(x.value), as_const(y.adjoint), 1.0, w.adjoint);
    }
    if (b.differentiable()) View(b.adjoint).row(0) += y.adjoint.colwise().sum();
    if (x.differentiable()) {
      gemm(Op::none, Op::transpose, 1.0, as_const(y.adjoint), as_const(w.value), 1.0, x.adjoint);
    }
  });
  return y;
}

Var square(Tape& tape, Var x) {
  Var y = result(tape, x.rows(), x.cols(), x.differentiable());
  y.value = x.value.cwiseAbs2();
  if (!x.differentiable()) return y;
  tape.on_reverse([=] { View(x.adjoint).array() += 2.0 * x.value.array() * y.adjoint.array(); });
  return y;
}

Var exp_of_twice(Tape& tape, Var x) {
  Var y = result(tape, x.rows(), x.cols(), x.differentiable());
  for (Index j = 0; j < x.cols(); ++j)
    exp_of_twice(x.rows(), column(x.value, j), column(y.value, j));
  if (!x.differentiable()) return y;
  tape.on_reverse([=] { View(x.adjoint).array() += 2.0 * y.value.array() * y.adjoint.array(); });
  return y;
}

Var relu(Tape& tape, Var x) {
  Var y = result(tape, x.rows(), x.cols(), x.differentiable());
  y.value = x.value.cwiseMax(0.0);
  if (!x.differentiable()) return y;
  tape.on_reverse(
      [=] { View(x.adjoint).array() += (x.value.array() > 0.0).select(y.adjoint.array(), 0.0); });
  return y;
}

Var repeat_rows(Tape& tape, Var x, Index samples) {
  if (samples == 1) return x;
  Var y = result(tape, x.rows() * samples, x.cols(), x.differentiable());
  for (Index j = 0; j < x.cols(); ++j) {
    for (Index i = 0; i < x.rows(); ++i) {
      std::fill_n(column(y.value, j) + i * samples, samples, x.value(i, j));
    }
  }
  if (!x.differentiable()) return y;
  tape.on_reverse([=] {
    for (Index j = 0; j < x.cols(); ++j) {
      double* to = column(x.adjoint, j);
      for (Index i = 0; i < x.rows(); ++i) {
        to[i] += y.adjoint.col(j).segment(i * samples, samples).sum();
      }
    }
  });
  return y;
}

Var gather_rows(Tape& tape, Var x, const Index* rows, Index count) {
  Var y = result(tape, count, x.cols(), x.differentiable());
  for (Index j = 0; j < x.cols(); ++j) {
    const double* from = column(x.value, j);
    double* to = column(y.value, j);
    for (Index i = 0; i < count; ++i) to[i] = from[rows[i]];
  }
  if (!x.differentiable()) return y;
  tape.on_reverse([=] {
    for (Index j = 0; j < x.cols(); ++j) {
      const double* from = column(y.adjoint, j);
      double* to = column(x.adjoint, j);
      for (Index i = 0; i < count; ++i) to[rows[i]] += from[i];
    }
  });
  return y;
}

Var scale_elements(Tape& tape, Var x, ConstView factor) {
  Var y = result(tape, x.rows(), x.cols(), x.differentiable());
  y.value = x.value.cwiseProduct(factor);
  if (!x.differentiable()) return y;
  tape.on_reverse([=] { View(x.adjoint) += y.adjoint.cwiseProduct(factor); });
  return y;
}

Var sample_normal(Tape& tape, Var mean, Var variance, ConstView noise) {
  const bool differentiable = mean.differentiable();
  Var y = result(tape, mean.rows(), mean.cols(), differentiable);
  View deviation = tape.matrix(mean.rows(), mean.cols());
  deviation = (variance.value.array() + kLeastVariance).sqrt();
  y.value = mean.value + deviation.cwiseProduct(noise);
  if (!differentiable) return y;
  tape.on_reverse([=] {
    View(mean.adjoint) += y.adjoint;
    View(variance.adjoint).array() += 0.5 * y.adjoint.array() * noise.array() / deviation.array();
  });
  return y;
}

}  // namespace mdgp
