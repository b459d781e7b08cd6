// The sparse conditional, the heart of the bound (paper.tex eqs. 5 to 7 in whitened form).
//
//   A    = K(X, Z) L⁻ᵀ                          [n, M]
//   B_p  = A L_p                                [n, M], all P side by side in B [n, M P]
//   mean(:, p)     = A q_mu(:, p) + X mean_weights(:, p)
//   variance(:, p) = k(x, x) - rowsum(A²) + rowsum(B_p²)
//
// Its reverse, with v_p the adjoint of variance(:, p) and C_p = 2 diag(v_p) B_p:
//   q̄_mu = Aᵀ mean̅,   L̄_p = Aᵀ C_p,   k̄(x, x) = sum_p v_p
//   Ā    = mean̅ q_muᵀ + sum_p C_p L_pᵀ - 2 diag(sum_p v_p) A
//   K̄    = Ā L⁻¹,     S += Āᵀ A   (Prepared::finish takes S on to K(Z, Z))
#include <algorithm>

#include "mdgp/layers/process.h"
#include "mdgp/linalg/blas.h"
#include "mdgp/linalg/elementwise.h"

namespace mdgp {
namespace {

// Rounding can leave a variance just below zero where a row coincides with an inducing input and q is
// narrow. The derivative there is 0.
constexpr double kVarianceFloor = 1e-12;

}  // namespace

Moments conditional(Tape& tape, const Process& process, const Prepared& prepared,
                    const ProcessAdjoints& adjoints, Points x) {
  const Index n = x.x.rows(), m = process.inducing, width = process.width;
  const Leaves leaves = adjoints.leaves;
  const ConstView q_mu = leaves.value(process.q_mu);
  const ConstView q_sqrt = leaves.value(process.q_sqrt);
  const ConstView inverse = prepared.inverse_factor();
  const ConstView mean_weights = view_of(process.mean_weights);
  const Points Z{{constant(leaves.value(process.Z)).value,
                  tape.recording() ? leaves.adjoint(process.Z) : no_view()},
                 process.Z_task.empty() ? nullptr : process.Z_task.data()};

  Var K = cross(tape, leaves, process.kernel, x, Z);
  Var k = diagonal(tape, leaves, process.kernel, x);
  View A = tape.matrix(n, m);
  A = K.value;
  multiply_lower_right(inverse, Op::transpose, A);
  View B = tape.matrix(n, m * width);
  multiply_panels(as_const(A), q_sqrt, B);

  Moments f{tape.variable(n, width), tape.variable(n, width)};
  gemm(Op::none, Op::none, 1.0, as_const(A), q_mu, 0.0, f.mean.value);
  if (mean_weights.size() > 0) {
    gemm(Op::none, Op::none, 1.0, as_const(x.x.value), mean_weights, 1.0, f.mean.value);
  }
  View prior = tape.matrix(n, 1);  // k(x, x) - rowsum(A²)
  prior = k.value;
  add_squares(as_const(A), -1.0, prior);
  for (Index p = 0; p < width; ++p) f.variance.value.col(p) = prior;
  add_squares(as_const(B), 1.0, f.variance.value);

  View factor = tape.matrix(n, width);  // 2 where the variance is above its floor, else 0
  for (Index p = 0; p < width; ++p) {
    for (Index i = 0; i < n; ++i) {
      double& variance = f.variance.value(i, p);
      factor(i, p) = variance > kVarianceFloor ? 2.0 : 0.0;
      variance = std::max(variance, kVarianceFloor);
    }
  }

  const Process* process_ = &process;
  View S = adjoints.S;
  tape.on_reverse([=]() mutable {
    factor.array() *= f.variance.adjoint.array();  // 2 v
    scale_columns(as_const(factor), B);            // C
    add_panel_products(as_const(A), as_const(B), leaves.adjoint(process_->q_sqrt));
    gemm(Op::transpose, Op::none, 1.0, as_const(A), as_const(f.mean.adjoint), 1.0,
         leaves.adjoint(process_->q_mu));

    View A_adjoint = K.adjoint;  // nothing else has added to it; turned into K̄ below
    gemm(Op::none, Op::transpose, 1.0, as_const(f.mean.adjoint), q_mu, 0.0, A_adjoint);
    add_panels_transposed(as_const(B), q_sqrt, A_adjoint);
    double* total = column(prior, 0);  // 2 sum_p v_p
    std::fill_n(total, n, 0.0);
    for (Index p = 0; p < width; ++p) add_scaled(n, 1.0, column(factor, p), total);
    add_scaled(n, 0.5, total, column(k.adjoint, 0));
    subtract_scaled_rows(as_const(A), total, A_adjoint);

    add_panel_products(as_const(A_adjoint), as_const(A), S);
    multiply_lower_right(inverse, Op::none, A_adjoint);
    if (x.x.differentiable() && mean_weights.size() > 0) {
      gemm(Op::none, Op::transpose, 1.0, as_const(f.mean.adjoint), mean_weights, 1.0, x.x.adjoint);
    }
  });
  return f;
}

}  // namespace mdgp
