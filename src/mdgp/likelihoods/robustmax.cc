// Multi-class, one latent function per class (Hernández-Lobato et al., 2011): the label is the
// class whose f is largest, except that with probability ε it is one of the others, all alike.
//   p(y | f) = 1 - ε if f_y is the largest, else ε / (C - 1).
// Only P = P(f_y is the largest) under q is needed:
//   E[log p(y | f)] = P log(1 - ε) + (1 - P) log(ε / (C - 1))
//   P = E_{f_y}[ prod_{c != y} Φ(a_c) ],   a_c = (f_y - m_c) / s_c,   s = sqrt(v),
// the expectation over f_y = m_y + s_y z by 20-point quadrature. Φ is not clipped (GPflow mixes in
// 1e-4; the reference cases do not). With g_kc = w_k φ(a_kc) / s_c prod_{d != y, c} Φ(a_kd),
//   dP/dm_c = -sum_k g_kc                dP/dv_c = -sum_k g_kc a_kc / 2s_c
//   dP/dm_y =  sum_c sum_k g_kc          dP/dv_y =  sum_c sum_k g_kc z_k / 2s_y.
// The products that leave one class out are products of a prefix and a suffix: O(C), and no
// division by a Φ that may be 0.
#include <limits>

#include "mdgp/likelihoods/quadrature.h"
#include "mdgp/likelihoods/types.h"

namespace mdgp::likelihoods {
namespace {

constexpr double epsilon = 1e-3;

double log_other(Index classes) { return std::log(epsilon / static_cast<double>(classes - 1)); }

// One row of q(f), and what the forward pass leaves for the backward pass: [20, C] each.
class Row {
 public:
  explicit Row(Index classes)
      : classes_(classes),
        mean_(scratch(classes * (2 + 4 * quadrature_size))),
        sd_(mean_ + classes),
        tables_(sd_ + classes) {}

  void load(const ConstView& mean, const ConstView& variance, Index i) {
    for (Index c = 0; c < classes_; ++c) {
      mean_[c] = mean(i, c);
      sd_[c] = std::sqrt(variance(i, c));
    }
  }

  // P(f_y is the largest), as the quadrature has it.
  double probability(Index y) {
    const GaussHermite& rule = gauss_hermite();
    const NodeArray f = mean_[y] + sd_[y] * rule.node;
    NodeArray product = NodeArray::Ones();
    for (Index c = 0; c < classes_; ++c) a(c) = (f - mean_[c]) / sd_[c];
    a(y).setConstant(kSure);
    normal_cdf_and_pdf(classes_ * quadrature_size, a(0).data(), cdf(0).data(), pdf(0).data());
    for (Index c = 0; c < classes_; ++c) {
      prefix(c) = product;
      product *= cdf(c);
    }
    return (rule.weight * product).sum();
  }

  // Adds weight * dP/dm and weight * dP/dv to row i, after probability(y).
  void add_derivatives(Index y, double weight, Index i, View& mean_adjoint,
                       View& variance_adjoint) {
    const GaussHermite& rule = gauss_hermite();
    NodeArray suffix = weight * rule.weight;
    NodeArray sum = NodeArray::Zero();  // sum_c g_c
    for (Index c = classes_ - 1; c >= 0; --c) {
      if (c == y) continue;
      const NodeArray g = suffix * prefix(c) * pdf(c) / sd_[c];
      mean_adjoint(i, c) -= g.sum();
      variance_adjoint(i, c) -= (g * a(c)).sum() / (2.0 * sd_[c]);
      sum += g;
      suffix *= cdf(c);
    }
    mean_adjoint(i, y) += sum.sum();
    variance_adjoint(i, y) += (sum * rule.node).sum() / (2.0 * sd_[y]);
  }

 private:
  using Column = Eigen::Map<NodeArray>;
  static constexpr double kSure = 100.0;  // where Φ is 1 and φ 0, to the last bit
  Column column(Index c, Index which) {
    return Column(tables_ + (which * classes_ + c) * quadrature_size);
  }
  Column a(Index c) { return column(c, 0); }
  Column cdf(Index c) { return column(c, 1); }
  Column pdf(Index c) { return column(c, 2); }
  Column prefix(Index c) { return column(c, 3); }  // product of the cdf of the classes before c

  Index classes_;
  double* mean_;
  double* sd_;
  double* tables_;
};

double expected_log_density(const Likelihood& likelihood, const Leaves& leaves, const double* y,
                            const ConstView& mean, const ConstView& variance, double scale,
                            View mean_adjoint, View variance_adjoint) {
  const double other = log_other(likelihood.classes);
  const double gain = std::log1p(-epsilon) - other;
  Row row(likelihood.classes);
  double total = 0.0;
  for (Index i = 0; i < mean.rows(); ++i) {
    const Index label = static_cast<Index>(y[i]);
    row.load(mean, variance, i);
    total += other + gain * row.probability(label);
    if (leaves.recording()) {
      row.add_derivatives(label, scale * gain, i, mean_adjoint, variance_adjoint);
    }
  }
  return scale * total;
}

// The probability of label y, from P(f_y is the largest).
double label_probability(double largest, Index classes) {
  return (1.0 - epsilon) * largest + epsilon * (1.0 - largest) / static_cast<double>(classes - 1);
}

// The quadratures of the classes sum to one only nearly; predictions are divided by their sum.
void predictive_moments(const Likelihood& likelihood, const Leaves&, const ConstView& mean,
                        const ConstView& variance, View y_mean, View y_variance) {
  const Index classes = likelihood.classes;
  Row row(classes);
  for (Index i = 0; i < mean.rows(); ++i) {
    row.load(mean, variance, i);
    double sum = std::numeric_limits<double>::min();
    for (Index c = 0; c < classes; ++c) sum += y_mean(i, c) = row.probability(c);
    for (Index c = 0; c < classes; ++c) {
      const double p = label_probability(y_mean(i, c) / sum, classes);
      y_mean(i, c) = p;
      y_variance(i, c) = p * (1.0 - p);
    }
  }
}

void predictive_log_density(const Likelihood& likelihood, const Leaves&, const double* y,
                            const ConstView& mean, const ConstView& variance, double* log_density) {
  const Index classes = likelihood.classes;
  Row row(classes);
  for (Index i = 0; i < mean.rows(); ++i) {
    row.load(mean, variance, i);
    double sum = std::numeric_limits<double>::min(), largest = 0.0;
    for (Index c = 0; c < classes; ++c) {
      const double p = row.probability(c);
      sum += p;
      if (c == static_cast<Index>(y[i])) largest = p;
    }
    log_density[i] = std::log(label_probability(largest / sum, classes));
  }
}

}  // namespace

const LikelihoodType& robustmax() {
  static const LikelihoodType type = {
      .name = "robustmax",
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
