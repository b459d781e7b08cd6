#include "mdgp/inference/natural_gradient.h"

#include <algorithm>

#include "mdgp/linalg/blas.h"
#include "mdgp/linalg/check.h"
#include "mdgp/linalg/parallel.h"

namespace mdgp {
namespace {

constexpr int kHalvings = 20;

struct Gaussian {
  Vector mean;  // m
  Matrix L;     // S = L Lᵀ
};

Matrix multiply(Op op_a, const Matrix& a, Op op_b, const Matrix& b) {
  Matrix c(op_a == Op::none ? a.rows() : a.cols(), op_b == Op::none ? b.cols() : b.rows());
  gemm(op_a, op_b, 1.0, view_of(a), view_of(b), 0.0, view_of(c));
  return c;
}

Matrix inverse_of_lower(Matrix L) {
  Matrix scratch(L.rows(), L.rows());
  invert_lower_in_place(view_of(L), view_of(scratch));
  return L;
}

// The derivative with respect to S, from that with respect to L (layers/process.cc cites the
// formula):
//   S̄ = 1/2 L⁻ᵀ (P + Pᵀ) L⁻¹,  P = Φ(Lᵀ L̄)
Matrix covariance_adjoint(const Matrix& L, const Matrix& L_inverse, const Matrix& L_adjoint) {
  const Matrix product = multiply(Op::transpose, L, Op::none, L_adjoint);
  Matrix P = product.triangularView<Eigen::StrictlyLower>();
  P += P.transpose().eval();
  P.diagonal() = product.diagonal();
  return 0.5 *
         multiply(Op::transpose, L_inverse, Op::none, multiply(Op::none, P, Op::none, L_inverse));
}

}  // namespace

bool gaussian_from_natural(const Matrix& precision, const Vector& h, Vector& mean, Matrix& L) {
  // With its rows and columns in reverse order, Λ = R Rᵀ by Cholesky; back in order, Λ = U Uᵀ with
  // U upper triangular, so that S = L Lᵀ with L = U⁻ᵀ lower triangular.
  Matrix inverse = precision.reverse(), scratch(h.size(), h.size());
  if (!inverse_cholesky_in_place(view_of(inverse), view_of(scratch))) return false;
  L = inverse.reverse().transpose();
  mean = L * (L.transpose() * h);
  return L.allFinite() && mean.allFinite();
}

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
    const Matrix inverse = inverse_of_lower(q.L);
    const Matrix S_adjoint = covariance_adjoint(q.L, inverse, L_adjoint);
    const Matrix precision = multiply(Op::transpose, inverse, Op::none, inverse);
    const Vector h = precision * q.mean;
    const Vector h_direction = mu_gradient.col(p) - 2.0 * S_adjoint * q.mean;

    double taken = step;
    Gaussian next;
    int halvings = 0;
    while (!gaussian_from_natural(precision - 2.0 * taken * S_adjoint, h + taken * h_direction,
                                  next.mean, next.L)) {
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

void settle_top(Model& model, const DataSet& data, Index samples, std::uint64_t seed) {
  Vector gradient;
  BoundOptions options;
  options.samples = samples;
  options.noise.seed = seed;
  Bound bound(model);
  bound({view_of(data.x), &data.observations, nullptr}, options, &gradient);
  const std::vector<Process>& processes = model.cascade.layers.back().processes;
  parallel_for(static_cast<Index>(processes.size()), [&](Index i, int) {
    natural_gradient_step(processes[static_cast<std::size_t>(i)], gradient, 1.0, model.parameters);
  });
}

}  // namespace mdgp
