// What the likelihoods share: Gauss-Hermite quadrature, the integrals of a scalar likelihood by it,
// and functions of the normal distribution that stay accurate in the tails.
//
// The rule is for the standard normal, E[g(z)] ≈ sum_k w_k g(z_k), exact for polynomials up to
// degree
// 39. With f = m + sqrt(v) z the value of an integral is a finite sum, and the derivatives below
// are those of that sum, not approximations of the integral's derivatives:
//   d/dm sum_k w_k l(f_k) = sum_k w_k l'(f_k)
//   d/dv sum_k w_k l(f_k) = sum_k w_k l'(f_k) z_k / (2 sqrt(v))
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "mdgp/linalg/matrix.h"

namespace mdgp::likelihoods {

inline constexpr int quadrature_size = 20;
using NodeArray = Eigen::Array<double, quadrature_size, 1>;

struct GaussHermite {
  NodeArray node;    // z_k, ascending and symmetric about 0
  NodeArray weight;  // w_k, sum 1
};
const GaussHermite& gauss_hermite();

inline const double log_two_pi = std::log(2.0 * std::numbers::pi);

inline double normal_pdf(double x) {
  return std::exp(-0.5 * x * x) * (0.5 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi);
}
inline double normal_cdf(double x) { return 0.5 * std::erfc(-x * (0.5 * std::numbers::sqrt2)); }

// A function of one variable and its derivative there.
struct Differentiated {
  double value;
  double derivative;
};

// log Φ(x) and φ(x) / Φ(x), to about 1e-14 relative for any finite x (Φ itself is 0 below -38).
Differentiated log_normal_cdf(double x);

// Φ(x) and φ(x) at each of n points, Φ to 1e-15 absolute: vectorised, one exponential for both.
void normal_cdf_and_pdf(Index n, const double* x, double* cdf, double* pdf);

double log_gamma(double x);  // x > 0; std::lgamma writes a global, this does not

// At least `size` doubles that belong to the calling thread, until its next call. Grows only.
double* scratch(Index size);

// log sum_k w_k exp(l_k), without overflow or underflow of the whole.
double log_expected_exp(const NodeArray& l);

// scale * sum_i E[log p(y_i | f_i)] by quadrature, for a scalar f. y [n], mean and variance [n, 1].
// log_density(y, f, weight) returns log p(y | f) and its derivative in f; it is told the weight of
// that node in the result, so that it can sum the derivatives of its parameters.
template <class LogDensity>
double integrate_log_density(const double* y, const ConstView& mean, const ConstView& variance,
                             double scale, bool recording, View mean_adjoint, View variance_adjoint,
                             const LogDensity& log_density) {
  const GaussHermite& rule = gauss_hermite();
  double total = 0.0;
  for (Index i = 0; i < mean.rows(); ++i) {
    const double sd = std::sqrt(variance(i, 0));
    double value = 0.0, by_mean = 0.0, by_sd = 0.0;
    for (Index k = 0; k < quadrature_size; ++k) {
      const double z = rule.node[k], w = rule.weight[k];
      const Differentiated l = log_density(y[i], mean(i, 0) + sd * z, scale * w);
      value += w * l.value;
      by_mean += w * l.derivative;
      by_sd += w * l.derivative * z;
    }
    total += value;
    if (recording) {
      mean_adjoint(i, 0) += scale * by_mean;
      variance_adjoint(i, 0) += scale * by_sd / (2.0 * sd);
    }
  }
  return scale * total;
}

// log E[p(y_i | f_i)] by the same quadrature, for each i.
template <class LogDensity>
void integrate_density(const double* y, const ConstView& mean, const ConstView& variance,
                       double* log_expected_density, const LogDensity& log_density) {
  const GaussHermite& rule = gauss_hermite();
  NodeArray l;
  for (Index i = 0; i < mean.rows(); ++i) {
    const double sd = std::sqrt(variance(i, 0));
    for (Index k = 0; k < quadrature_size; ++k) {
      l[k] = log_density(y[i], mean(i, 0) + sd * rule.node[k], 0.0).value;
    }
    log_expected_density[i] = log_expected_exp(l);
  }
}

}  // namespace mdgp::likelihoods
