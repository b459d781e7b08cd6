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

// Rounding can leave a variance just below zero where a row coincides with an inducing input and q
// is narrow. The derivative there is 0.
constexpr double kVarianceFloor = 1e-12;

// The same q(f), without a reverse, by one triangular product for each row (Prepared::Predictor).
Moments predict(Tape& tape, const Prepared::Predictor& predictor, Var K, Var k) {
  const Index n = K.rows();
  Moments f{tape.variable(n, 1), tape.variable(n, 1)};
  gemm(Op::none, Op::none, 1.0, as_const(K.value), view_of(predictor.weights), 0.0, f.mean.value);
  View A = tape.matrix(n, K.cols());
  multiply_lower_transposed(as_const(K.value), view_of(predictor.T), A);
  f.variance.value = k.value;
  add_squares(as_const(A), -1.0, f.variance.value);
  f.variance.value = f.variance.value.cwiseMax(kVarianceFloor);
  return f;
}

void add_mean(const ConstView& x, const ConstView& mean_weights, View mean) {
  if (mean_weights.size() > 0) gemm(Op::none, Op::none, 1.0, x, mean_weights, 1.0, mean);
}

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
  if (prepared.predictor() && !tape.recording()) {
    Moments f = predict(tape, *prepared.predictor(), K, k);
    add_mean(as_const(x.x.value), mean_weights, f.mean.value);
    return f;
  }
  View A = tape.matrix(n, m);
  multiply_lower_transposed(as_const(K.value), inverse, A);

  Moments f{tape.variable(n, width), tape.variable(n, width)};
  gemm(Op::none, Op::none, 1.0, as_const(A), q_mu, 0.0, f.mean.value);
  add_mean(as_const(x.x.value), mean_weights, f.mean.value);
  View prior = tape.matrix(n, 1);  // k(x, x) - rowsum(A²)
  prior = k.value;
  add_squares(as_const(A), -1.0, prior);
  for (Index p = 0; p < width; ++p) f.variance.value.col(p) = prior;
  View B = tape.matrix(n, m * width);
  for_panels(n, m, width, [&](Index j, Index w) {
    View B_j = block(B, 0, j * width, n, w * width);
    multiply_panel(as_const(A), q_sqrt, j, w, B_j);
    add_squares(as_const(B_j), 1.0, f.variance.value);  // while it is in the cache
  });

  View factor = tape.matrix(n, width);  // 2 where the variance is above its floor, else 0
  for (Index p = 0; p < width; ++p) {
    for (Index i = 0; i < n; ++i) {
      double& variance = f.variance.value(i, p);
      factor(i, p) = variance > kVarianceFloor ? 2.0 : 0.0;
      variance = std::max(variance, kVarianceFloor);
    }
  }

  if (!tape.recording()) return f;

  View S = adjoints.S;
  View q_mu_adjoint = leaves.adjoint(process.q_mu), q_sqrt_adjoint = adjoints.q_sqrt;
  View A_adjoint = tape.matrix(n, m), transposed = tape.matrix(m, n);
  char* started = adjoints.started;
  tape.on_reverse([=]() mutable {
    const double beta = *started != 0 ? 1.0 : 0.0;
    *started = 1;
    factor.array() *= f.variance.adjoint.array();  // 2 v
    transpose(as_const(A), transposed);
    gemm(Op::none, Op::none, 1.0, as_const(transposed), as_const(f.mean.adjoint), 1.0,
         q_mu_adjoint);
    gemm(Op::none, Op::transpose, 1.0, as_const(f.mean.adjoint), q_mu, 0.0, A_adjoint);
    for_panels(n, m, width, [&](Index j, Index w) {
      View C_j = block(B, 0, j * width, n, w * width);
      scale_columns(as_const(factor), C_j);  // B becomes C
      panel_product(as_const(transposed), as_const(C_j), j, w, beta, q_sqrt_adjoint);
      add_panel_transposed(as_const(C_j), q_sqrt, j, w, 1.0, A_adjoint);
    });
    double* total = column(prior, 0);  // 2 sum_p v_p
    std::fill_n(total, n, 0.0);
    for (Index p = 0; p < width; ++p) add_scaled(n, 1.0, column(factor, p), total);
    for (Index i = 0; i < n; ++i) k.adjoint(i, 0) = 0.5 * total[i];
    subtract_scaled_rows(as_const(A), total, A_adjoint);

    multiply_lower(as_const(A_adjoint), inverse, K.adjoint);
    transpose(as_const(A_adjoint), transposed);
    for_panels(n, m, 1, [&](Index j, Index w) {
      panel_product(as_const(transposed), block(as_const(A), 0, j, n, w), j, w, beta, S);
    });
    if (x.x.differentiable() && mean_weights.size() > 0) {
      gemm(Op::none, Op::transpose, 1.0, as_const(f.mean.adjoint), mean_weights, 1.0, x.x.adjoint);
    }
  });
  return f;
}

}  // namespace mdgp
