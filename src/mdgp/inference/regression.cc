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

constexpr const char* kNotPositive = "exact GP: K + noise is not positive definite";

void set_covariance(const ConstView& K, const Vector& noise, double jitter, View covariance) {
  covariance = K;
  covariance.diagonal() += noise;
  covariance.diagonal().array() += jitter;
}

// (K + Σ)⁻¹ and log |K + Σ|.
void invert_covariance(const ConstView& K, const Vector& noise, double jitter, View inverse,
                       double& log_determinant) {
  set_covariance(K, noise, jitter, inverse);
  if (!invert_positive_in_place(inverse, log_determinant)) throw NumericalError(kNotPositive);
}

// sum_c log p(y_c) from tr(yᵀ (K + Σ)⁻¹ y) and log |K + Σ|.
double log_density(double fit, double log_determinant, const Matrix& y) {
  const auto n = static_cast<double>(y.rows()), outputs = static_cast<double>(y.cols());
  return -0.5 * (fit + outputs * (log_determinant + n * std::log(2.0 * std::numbers::pi)));
}

// A third of the work of the inverse, which only the gradient needs.
double log_marginal(const ConstView& K, const Vector& noise, double jitter, const Matrix& y,
                    View L) {
  set_covariance(K, noise, jitter, L);
  if (!cholesky_in_place(L)) throw NumericalError(kNotPositive);
  const double fit = L.triangularView<Eigen::Lower>().solve(y).squaredNorm();
  return log_density(fit, 2.0 * L.diagonal().array().log().sum(), y);
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
  View inverse = tape.matrix(n, n);  // or, where there is no gradient, the factor
  if (gradient == nullptr) return log_marginal(as_const(K.value), noise, jitter, rows.y, inverse);
  double log_determinant = 0.0;
  invert_covariance(as_const(K.value), noise, jitter, inverse, log_determinant);
  Matrix alpha(n, rows.y.cols());
  gemm(Op::none, Op::none, 1.0, as_const(inverse), view_of(rows.y), 0.0, view_of(alpha));
  const double value = log_density(rows.y.cwiseProduct(alpha).sum(), log_determinant, rows.y);

  K.adjoint = -0.5 * static_cast<double>(rows.y.cols()) * inverse;
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
