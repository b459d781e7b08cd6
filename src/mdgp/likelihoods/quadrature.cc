#include "mdgp/likelihoods/quadrature.h"

#include <utility>
#include <vector>

#include "mdgp/linalg/blas.h"

namespace mdgp::likelihoods {
namespace {

// The Hermite polynomials that are orthonormal under the standard normal:
//   p_0 = 1,   p_{j+1} = (x p_j - sqrt(j) p_{j-1}) / sqrt(j+1),   p_n' = sqrt(n) p_{n-1}.
struct Hermite {
  double value;           // p_n(x)
  double derivative;      // p_n'(x)
  double sum_of_squares;  // sum_{j<n} p_j(x)^2
};

Hermite evaluate_hermite(double x) {
  double previous = 0.0, current = 1.0, squares = 0.0;
  for (int j = 0; j < quadrature_size; ++j) {
    squares += current * current;
    const double next = (x * current - std::sqrt(j) * previous) / std::sqrt(j + 1.0);
    previous = std::exchange(current, next);
  }
  return {current, std::sqrt(static_cast<double>(quadrature_size)) * previous, squares};
}

// Golub and Welsch (1969): the nodes are the eigenvalues of the symmetric tridiagonal matrix of the
// recurrence. Newton then makes each exact to the last bit or two, and the weight follows from
// w = 1 / sum_{j<n} p_j(z)^2, which keeps the relative accuracy of weights as small as 1e-13.
GaussHermite make_gauss_hermite() {
  Matrix recurrence = Matrix::Zero(quadrature_size, quadrature_size);
  for (Index j = 0; j + 1 < quadrature_size; ++j) {
    recurrence(j + 1, j) = std::sqrt(static_cast<double>(j + 1));
  }
  const Index half = (quadrature_size + 1) / 2;  // the nodes are symmetric
  Vector nodes(half);
  Matrix vectors(quadrature_size, half);
  largest_eigenpairs(view_of(recurrence), nodes, view_of(vectors));
  GaussHermite rule;
  for (Index k = quadrature_size / 2; k < quadrature_size; ++k) {
    double z = nodes[quadrature_size - 1 - k];
    for (int step = 0; step < 4; ++step) {
      const Hermite p = evaluate_hermite(z);
      z -= p.value / p.derivative;
    }
    const Index mirrored = quadrature_size - 1 - k;
    rule.node[k] = z;
    rule.node[mirrored] = -z;
    rule.weight[k] = rule.weight[mirrored] = 1.0 / evaluate_hermite(z).sum_of_squares;
  }
  return rule;
}

}  // namespace

const GaussHermite& gauss_hermite() {
  static const GaussHermite rule = make_gauss_hermite();
  return rule;
}

// Above -10 erfc is accurate. Below, Φ(-t) = φ(t) / h(t) with Laplace's continued fraction
//   h(t) = t + 1/(t + 2/(t + 3/(t + ...))),
// which at t = 10 has converged to the last bit after some 12 terms; then
//   log Φ(-t) = log φ(t) - log h(t),   φ(t) / Φ(-t) = h(t).
Differentiated log_normal_cdf(double x) {
  if (x > -10.0) {
    const double upper = normal_cdf(-x);
    const double value = x > 0.0 ? std::log1p(-upper) : std::log(normal_cdf(x));
    return {value, normal_pdf(x) / (x > 0.0 ? 1.0 - upper : normal_cdf(x))};
  }
  const double t = -x;
  double h = t;
  for (int j = 16; j > 0; --j) h = t + j / h;
  return {-0.5 * (t * t + log_two_pi) - std::log(h), h};
}

double log_gamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}

double* scratch(Index size) {
  thread_local std::vector<double> memory;
  if (static_cast<Index>(memory.size()) < size) memory.resize(static_cast<std::size_t>(size));
  return memory.data();
}

double log_expected_exp(const NodeArray& l) {
  const double largest = l.maxCoeff();
  return largest + std::log((gauss_hermite().weight * (l - largest).exp()).sum());
}

}  // namespace mdgp::likelihoods
