#include "mdgp/inference/regression.h"

#include <cmath>
#include <numbers>

#include "mdgp/inference/natural_gradient.h"
#include "mdgp/linalg/blas.h"
#include "mdgp/linalg/check.h"

namespace mdgp {
namespace {

Points points_of(const Process& process, const Regression& rows) {
  return {constant(view_of(rows.x)), process.Z_task.empty() ? nullptr : rows.task.data()};
}

// (K + Σ)⁻¹ and log |K + Σ|.
void invert_covariance(const ConstView& K, const Vector& noise, double jitter, View inverse,
                       double& log_determinant) {
  inverse = K;
  inverse.diagonal() += noise;
  inverse.diagonal().array() += jitter;
  if (!invert_positive_in_place(inverse, log_determinant)) {
    throw NumericalError("exact GP: K + noise is not positive definite");
  }
}

}  // namespace

// With α = (K + Σ)⁻¹ y [n, C] the adjoint of K is
//   K̄ = 1/2 (α αᵀ - C (K + Σ)⁻¹),
// and that of the noise its diagonal.
double log_marginal(const Process& process, const Parameters& parameters, double jitter,
                    const Regression& rows, const Vector& noise, Tape& tape, double* gradient,
                    Vector* noise_gradient) {
  const Index n = rows.y.rows();
  tape.clear();
  tape.set_recording(gradient != nullptr);
  check_kernel("log_marginal_likelihood", process.kernel, parameters);
  Var K = gram(tape, {&parameters, gradient, 0}, process.kernel, points_of(process, rows));
  View inverse = tape.matrix(n, n);
  double log_determinant = 0.0;
  invert_covariance(as_const(K.value), noise, jitter, inverse, log_determinant);
  Matrix alpha(n, rows.y.cols());
  gemm(Op::none, Op::none, 1.0, as_const(inverse), view_of(rows.y), 0.0, view_of(alpha));
  const auto outputs = static_cast<double>(rows.y.cols());
  const double value =
      -0.5 *
      (rows.y.cwiseProduct(alpha).sum() +
       outputs * (log_determinant + static_cast<double>(n) * std::log(2.0 * std::numbers::pi)));
  if (gradient == nullptr) return value;

  K.adjoint = -0.5 * outputs * inverse;
  gemm(Op::none, Op::transpose, 0.5, view_of(std::as_const(alpha)), view_of(std::as_const(alpha)),
       1.0, K.adjoint);
  *noise_gradient = K.adjoint.diagonal();
  tape.reverse();
  return value;
}

Vector left_out_errors(const Process& process, const Parameters& parameters, double jitter,
                       const Regression& rows, const Vector& noise) {
  Tape tape;
  tape.set_recording(false);
  const Var K = gram(tape, {&parameters, nullptr, 0}, process.kernel, points_of(process, rows));
  View inverse = tape.matrix(rows.y.rows(), rows.y.rows());
  double log_determinant = 0.0;
  invert_covariance(as_const(K.value), noise, jitter, inverse, log_determinant);
  return (inverse * rows.y.col(0)).array() / inverse.diagonal().array().sqrt();
}

// With A = K(X, Z) L⁻ᵀ, where L Lᵀ = K(Z, Z): q(v) has precision I + Aᵀ Σ⁻¹ A and precision times
// mean Aᵀ Σ⁻¹ y.
void set_posterior(const Process& process, double jitter, const Regression& rows,
                   const Vector& noise, Parameters& parameters) {
  Prepared prepared;
  prepared.prepare(process, parameters, jitter, nullptr);
  Tape tape;
  tape.set_recording(false);
  const Index n = rows.y.rows(), m = process.inducing;
  const Var K = cross(tape, {&parameters, nullptr, 0}, process.kernel, points_of(process, rows),
                      {constant(as_const(parameters.view(process.Z))),
                       process.Z_task.empty() ? nullptr : process.Z_task.data()});
  View A = tape.matrix(n, m);
  multiply_lower_transposed(as_const(K.value), prepared.inverse_factor(), A);
  const Vector deviation = noise.array().sqrt();
  for (Index j = 0; j < m; ++j) A.col(j).array() /= deviation.array();
  Matrix precision = Matrix::Identity(m, m);
  add_gram(as_const(A), view_of(precision));
  const Matrix h = A.transpose() * (rows.y.array().colwise() / deviation.array()).matrix();
  Vector mean;
  Matrix L;  // the same for all outputs
  if (!gaussian_from_natural(precision, h.col(0), mean, L)) {
    throw NumericalError("set_posterior: the precision is not positive definite");
  }
  parameters.view(process.q_mu).leftCols(h.cols()) = L * (L.transpose() * h);
  for (Index c = 0; c < h.cols(); ++c) set_q_sqrt_triangle(process, parameters, c, L);
}

}  // namespace mdgp
