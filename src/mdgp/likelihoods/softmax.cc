// Multi-class, one latent function per class: p(y | f) = exp(f_y) / sum_c exp(f_c).
//
// The expected log density is a lower bound, for want of a closed form of E[log sum_c exp(f_c)].
// The tilted bound (Knowles and Minka, 2011, sec. 5.3) holds for every vector a:
//   E[log sum exp f] <= F(a) = sum_c a_c^2 v_c / 2 + log sum_c exp(m_c + (1 - 2 a_c) v_c / 2),
//   E[log p(y | f)]  >= m_y - min_a F(a),
// and is exact as v -> 0. With p = softmax(m + (1 - 2a) v / 2), dF/da_c = v_c (a_c - p_c), and F is
// convex: a quadratic plus a log-sum-exp of affine functions. Newton's system
//   (V + V (diag(p) - p pᵀ) V) δ = V (p - a),   V = diag(v),
// is diagonal plus rank one. Divided by V, by Sherman-Morrison, with d_c = 1 / (1 + p_c v_c),
//   δ_c = d_c (p_c - a_c + κ p_c),   κ = sum_c p_c v_c d_c (p_c - a_c) / sum_c p_c d_c,
// O(C) and without a division by a small v. At the minimum the derivatives of F in m and v are
// those at fixed a (the envelope theorem): p_c and a_c^2 / 2 + p_c (1 - 2 a_c) / 2.
#include <limits>

#include "mdgp/likelihoods/cubature.h"
#include "mdgp/likelihoods/quadrature.h"
#include "mdgp/likelihoods/types.h"

namespace mdgp::likelihoods {
namespace {

using Row = Eigen::Map<Eigen::ArrayXd>;  // [C]

// F(a); sets p.
double tilted_bound(const Row& m, const Row& v, const Row& a, Row& p) {
  p = m + (0.5 - a) * v;
  const double top = p.maxCoeff();
  p = (p - top).exp();
  const double sum = p.sum();
  p /= sum;
  return 0.5 * (a.square() * v).sum() + top + std::log(sum);
}

// min_a F(a), by Newton's method with a line search; leaves the minimiser in a and its p. The last
// step is the one that starts within 1e-8 (in F: 1e-16), and squares that distance.
double minimise_tilted_bound(const Row& m, const Row& v, Row& a, Row& p, Row& d, Row& step,
                             Row& start) {
  a.setConstant(0.5);
  tilted_bound(m, v, a, p);
  a = p;
  double value = tilted_bound(m, v, a, p);
  for (int iteration = 0; iteration < 100; ++iteration) {
    d = 1.0 / (1.0 + p * v);
    const double kappa = (p * v * d * (p - a)).sum() / (p * d).sum();
    step = d * (p - a + kappa * p);
    const double decrement = (v * (p - a) * step).sum();  // twice what a full step promises
    const double slack = 1e-13 * std::abs(value);         // rounding of F
    start = a;
    double length = 1.0;
    for (int halving = 0; halving < 50; ++halving, length *= 0.5) {
      a = start + length * step;
      const double next = tilted_bound(m, v, a, p);
      const bool enough = next <= value - 0.1 * length * decrement + slack;
      if (enough || decrement < 1e-10) {
        value = next;
        break;
      }
    }
    if (!(decrement > 1e-16)) break;
  }
  return value;
}

double expected_log_density(const Likelihood& likelihood, const Leaves& leaves, const double* y,
                            const ConstView& mean, const ConstView& variance, double scale,
                            View mean_adjoint, View variance_adjoint) {
  const Index classes = likelihood.classes;
  double* memory = scratch(7 * classes);
  const auto row = [&](Index which) { return Row(memory + which * classes, classes); };
  Row m = row(0), v = row(1), a = row(2), p = row(3), d = row(4), step = row(5), start = row(6);
  double total = 0.0;
  for (Index i = 0; i < mean.rows(); ++i) {
    const Index label = static_cast<Index>(y[i]);
    m = mean.row(i).transpose().array();
    v = variance.row(i).transpose().array();
    total += m[label] - minimise_tilted_bound(m, v, a, p, d, step, start);
    if (!leaves.recording()) continue;
    mean_adjoint(i, label) += scale;
    for (Index c = 0; c < classes; ++c) {
      mean_adjoint(i, c) -= scale * p[c];
      variance_adjoint(i, c) -= scale * 0.5 * (a[c] * a[c] + p[c] * (1.0 - 2.0 * a[c]));
    }
  }
  return scale * total;
}

// Predictions average over the points of cubature.h. For those of one sign, u_c = m_c ± s_c z_c,
// and softmax(u)_c = e_c / sum with e_c = exp(u_c - top), top the largest u_c at each point.
struct Softmax {
  CubaturePoints top;
  CubaturePoints sum;
  double* e;  // [points, C]

  void evaluate(const ConstView& mean, const ConstView& variance, Index i, double sign) {
    const Index classes = mean.cols();
    const double* z = cubature_points(classes);
    e = scratch(cubature_size * classes);
    top.setConstant(-std::numeric_limits<double>::infinity());
    for (Index c = 0; c < classes; ++c) {
      const Eigen::Map<const CubaturePoints> z_c(z + c * cubature_size);
      column(c) = mean(i, c) + sign * std::sqrt(variance(i, c)) * z_c;
      top = top.max(column(c));
    }
    sum.setZero();
    for (Index c = 0; c < classes; ++c) {
      column(c) = (column(c) - top).exp();
      sum += column(c);
    }
  }
  Eigen::Map<CubaturePoints> column(Index c) const {
    return Eigen::Map<CubaturePoints>(e + c * cubature_size);
  }
};

// Where f is known (a network with dropout) there is nothing to average.
bool is_known(const ConstView& variance, Index i) { return (variance.row(i).array() == 0.0).all(); }

double log_sum_exp(const ConstView& mean, Index i) {
  const double top = mean.row(i).maxCoeff();
  return top + std::log((mean.row(i).array() - top).exp().sum());
}

void predictive_moments(const Likelihood& likelihood, const Leaves&, const ConstView& mean,
                        const ConstView& variance, View y_mean, View y_variance) {
  Softmax softmax;
  for (Index i = 0; i < mean.rows(); ++i) {
    if (is_known(variance, i)) {
      y_mean.row(i) = (mean.row(i).array() - log_sum_exp(mean, i)).exp();
      y_variance.row(i) = y_mean.row(i).array() * (1.0 - y_mean.row(i).array());
      continue;
    }
    for (const double sign : {1.0, -1.0}) {
      softmax.evaluate(mean, variance, i, sign);
      for (Index c = 0; c < likelihood.classes; ++c) {
        const double p = 0.5 * (softmax.column(c) / softmax.sum).mean();
        y_mean(i, c) = sign > 0.0 ? p : y_mean(i, c) + p;
      }
    }
    for (Index c = 0; c < likelihood.classes; ++c) {
      y_variance(i, c) = y_mean(i, c) * (1.0 - y_mean(i, c));
    }
  }
}

// The same probabilities, as the log of a mean of exponentials: they may be as small as exp(-2000).
void predictive_log_density(const Likelihood&, const Leaves&, const double* y,
                            const ConstView& mean, const ConstView& variance, double* log_density) {
  Softmax softmax;
  for (Index i = 0; i < mean.rows(); ++i) {
    const Index label = static_cast<Index>(y[i]);
    if (is_known(variance, i)) {
      log_density[i] = mean(i, label) - log_sum_exp(mean, i);
      continue;
    }
    const double* z = cubature_points(mean.cols()) + label * cubature_size;
    double log_mean[2];
    for (const int side : {0, 1}) {
      const double sd = (side == 0 ? 1.0 : -1.0) * std::sqrt(variance(i, label));
      softmax.evaluate(mean, variance, i, side == 0 ? 1.0 : -1.0);
      const CubaturePoints l = mean(i, label) + sd * Eigen::Map<const CubaturePoints>(z) -
                               softmax.top - softmax.sum.log();
      const double largest = l.maxCoeff();
      log_mean[side] = largest + std::log((l - largest).exp().mean());
    }
    const double larger = std::max(log_mean[0], log_mean[1]);
    log_density[i] =
        larger + std::log1p(std::exp(-std::abs(log_mean[0] - log_mean[1]))) - std::numbers::ln2;
  }
}

}  // namespace

const LikelihoodType& softmax() {
  static const LikelihoodType type = {
      .name = "softmax",
      .parameters = {},
      .multiclass = true,
      .expected_log_density = expected_log_density,
      .predictive_moments = predictive_moments,
      .predictive_log_density = predictive_log_density,
      .accepts = is_class,
      .target = "a class from 0 to classes - 1",
  };
  return type;
}

}  // namespace mdgp::likelihoods
