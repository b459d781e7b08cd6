#include "mdgp/inference/natural_gradient.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "mdgp/linalg/check.h"

namespace mdgp {
namespace {

constexpr int kHalvings = 20;

struct Gaussian {
  Vector mean;  // m
  Matrix L;     // S = L Lᵀ
};

// The derivative with respect to S, from that with respect to L (layers/process.cc cites the
// formula):
//   S̄ = 1/2 L⁻ᵀ (P + Pᵀ) L⁻¹,  P = Φ(Lᵀ L̄)
Matrix covariance_adjoint(const Matrix& L, const Matrix& L_adjoint) {
  Matrix P = (L.transpose() * L_adjoint).triangularView<Eigen::Lower>();
  P.diagonal() *= 0.5;
  const auto lower = L.triangularView<Eigen::Lower>();
  const Matrix half = lower.transpose().solve(Matrix(P + P.transpose()));  // L⁻ᵀ (P + Pᵀ)
  return 0.5 * lower.transpose().solve(Matrix(half.transpose()));
}

// The Gaussian with precision Λ and precision times mean h; false where Λ is not positive definite.
bool from_natural(const Matrix& precision, const Vector& h, Gaussian& q) {
  // Λ = U Uᵀ with U upper triangular (a Cholesky factorisation from the last row up), so that S = L
  // Lᵀ with L = U⁻ᵀ lower triangular.
  const Index m = h.size();
  const Eigen::LLT<Matrix> flipped(precision.reverse());
  if (flipped.info() != Eigen::Success) return false;
  const Matrix U = Matrix(flipped.matrixL()).reverse();
  q.L = U.transpose().triangularView<Eigen::Lower>().solve(Matrix::Identity(m, m));
  q.mean = q.L * (q.L.transpose() * h);
  return q.L.allFinite() && q.mean.allFinite();
}

}  // namespace

double natural_gradient_step(const Process& process, const Vector& gradient, double step,
                             Parameters& parameters) {
  check_size("natural_gradient_step", "gradient", gradient.size(), parameters.size());
  const Index m = process.inducing, width = process.width;
  const Parameter& mu = parameters[process.q_mu];
  const Parameter& sqrt = parameters[process.q_sqrt];
  const ConstView mu_gradient = make_view(gradient.data() + mu.offset, m, width);
  const ConstView sqrt_gradient = make_view(gradient.data() + sqrt.offset, m, m * width);
  double shortest = step;
  for (Index p = 0; p < width; ++p) {
    const Gaussian q{parameters.view(process.q_mu).col(p), q_sqrt_triangle(process, parameters, p)};
    Matrix L_adjoint(m, m);
    for (Index j = 0; j < m; ++j) L_adjoint.col(j) = sqrt_gradient.col(j * width + p);
    const Matrix S_adjoint = covariance_adjoint(q.L, L_adjoint);
    const Matrix inverse = q.L.triangularView<Eigen::Lower>().solve(Matrix::Identity(m, m));
    const Matrix precision = inverse.transpose() * inverse;
    const Vector h = precision * q.mean;
    const Vector h_direction = mu_gradient.col(p) - 2.0 * S_adjoint * q.mean;

    double taken = step;
    Gaussian next;
    int halvings = 0;
    while (!from_natural(precision - 2.0 * taken * S_adjoint, h + taken * h_direction, next)) {
      taken *= 0.5;
      if (++halvings > kHalvings) break;
    }
    if (halvings > kHalvings) {
      shortest = 0.0;
      continue;
    }
    shortest = std::min(shortest, taken);
    parameters.view(process.q_mu).col(p) = next.mean;
    set_q_sqrt_triangle(process, parameters, p, next.L);
  }
  return shortest;
}

}  // namespace mdgp
