#include "mdgp/posterior/distribution.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mdgp/likelihoods/quadrature.h"
#include "mdgp/linalg/check.h"

namespace mdgp {
namespace {

using likelihoods::gauss_hermite;
using likelihoods::log_gamma;
using likelihoods::normal_cdf;

// The regularised incomplete beta function I_x(a, b) by Lentz's continued fraction (DLMF 8.17.22),
// which converges fast for x < (a + 1) / (a + b + 2).
double incomplete_beta_fraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300;
  double c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0);
  d = 1.0 / (std::abs(d) < kTiny ? kTiny : d);
  double h = d;
  for (int m = 1; m < 500; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    for (const double term : {even, odd}) {
      d = 1.0 + term * d;
      c = 1.0 + term / c;
      d = 1.0 / (std::abs(d) < kTiny ? kTiny : d);
      c = std::abs(c) < kTiny ? kTiny : c;
      h *= d * c;
    }
    if (std::abs(d * c - 1.0) < 1e-15) break;
  }
  const double front = std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) +
                                b * std::log1p(-x));
  return front * h / a;
}

double incomplete_beta(double x, double a, double b) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  return x < (a + 1.0) / (a + b + 2.0) ? incomplete_beta_fraction(x, a, b)
                                       : 1.0 - incomplete_beta_fraction(1.0 - x, b, a);
}

// The regularised upper incomplete gamma function Q(a, x), a >= 1: by its series below x = a + 1
// (DLMF 8.11.4), by Lentz's continued fraction above (DLMF 8.9.2). Both need about sqrt(a) terms.
double upper_gamma(double a, double x) {
  constexpr double kTiny = 1e-300;
  if (x <= 0.0) return 1.0;
  const double front = std::exp(a * std::log(x) - x - log_gamma(a));
  if (front == 0.0) return x < a ? 1.0 : 0.0;
  if (x < a + 1.0) {
    double term = 1.0 / a, sum = term;
    for (double n = a + 1.0; term > 1e-17 * sum; n += 1.0) sum += term *= x / n;
    return std::max(1.0 - front * sum, 0.0);
  }
  double b = x + 1.0 - a, c = 1.0 / kTiny, d = 1.0 / b, h = d;
  for (double i = 1.0; i < 1e6; i += 1.0) {
    const double numerator = -i * (i - a);
    b += 2.0;
    d = numerator * d + b;
    c = b + numerator / c;
    d = 1.0 / (std::abs(d) < kTiny ? kTiny : d);
    c = std::abs(c) < kTiny ? kTiny : c;
    h *= d * c;
    if (std::abs(d * c - 1.0) < 1e-15) break;
  }
  return front * h;
}

// P(count <= at) with the rate exp(f), f ~ N(mean, variance).
double poisson_cdf(double mean, double variance, double at) {
  if (at < 0.0) return 0.0;
  const auto& rule = gauss_hermite();
  double sum = 0.0;
  for (int k = 0; k < likelihoods::quadrature_size; ++k) {
    const double f = mean + std::sqrt(variance) * rule.node[k];
    sum += rule.weight[k] * upper_gamma(std::floor(at) + 1.0, std::exp(std::min(f, 150.0)));
  }
  return sum;
}

double parameter(const Likelihood& likelihood, const Leaves& leaves, std::size_t i) {
  return leaves.value(likelihood.parameters[i])(0, 0);
}

bool is_discrete(const Likelihood& likelihood) {
  return likelihood.type->name == "poisson" || likelihood.type->name == "bernoulli";
}

// P(y = count), averaged over the mixture.
double probability(const Likelihood& likelihood, const Leaves& leaves, const double* mean,
                   const double* variance, Index samples, double count) {
  double sum = 0.0;
  for (Index s = 0; s < samples; ++s) {
    double log_density = 0.0;
    likelihood.type->predictive_log_density(likelihood, leaves, &count, make_view(mean + s, 1, 1),
                                            make_view(variance + s, 1, 1), &log_density);
    sum += std::exp(log_density);
  }
  return sum / static_cast<double>(samples);
}

// Counts beyond this are not told apart from it.
constexpr double kLargestCount = 1e9;

}  // namespace

double student_t_cdf(double t, double degrees) {
  const double tail = 0.5 * incomplete_beta(degrees / (degrees + t * t), 0.5 * degrees, 0.5);
  return t > 0.0 ? 1.0 - tail : tail;
}

namespace {

// mixture_cdf() of samples that have the same parameters.
double part_cdf(const Likelihood& likelihood, const Leaves& leaves, const double* mean,
                const double* variance, Index samples, double at) {
  const std::string_view name = likelihood.type->name;
  double sum = 0.0;
  if (name == "gaussian") {
    const double noise = parameter(likelihood, leaves, 0);
    for (Index s = 0; s < samples; ++s) {
      sum += normal_cdf((at - mean[s]) / std::sqrt(variance[s] + noise));
    }
  } else if (name == "heavy_tailed") {
    const double noise = parameter(likelihood, leaves, 0), nu = tail_degrees(likelihood, leaves);
    for (Index s = 0; s < samples; ++s) {
      const double scale = std::sqrt((variance[s] + noise) * (nu - 2.0) / nu);
      sum += student_t_cdf((at - mean[s]) / scale, nu);
    }
  } else if (name == "student_t") {
    const double scale = parameter(likelihood, leaves, 0),
                 degrees = parameter(likelihood, leaves, 1);
    const auto& rule = gauss_hermite();
    for (Index s = 0; s < samples; ++s) {
      for (int k = 0; k < likelihoods::quadrature_size; ++k) {
        const double f = mean[s] + std::sqrt(variance[s]) * rule.node[k];
        sum += rule.weight[k] * student_t_cdf((at - f) / scale, degrees);
      }
    }
  } else if (name == "poisson") {
    const double log_c = log_count_rate(likelihood, leaves);
    for (Index s = 0; s < samples; ++s) sum += poisson_cdf(mean[s] + log_c, variance[s], at);
  } else if (is_discrete(likelihood)) {
    const double last = std::min(at, 1.0);
    for (double y = 0.0; y <= last; y += 1.0) {
      sum += static_cast<double>(samples) *
             probability(likelihood, leaves, mean, variance, samples, y);
    }
  } else {
    refuse("mixture_cdf", "likelihood", name, "one whose targets have an order");
  }
  return sum / static_cast<double>(samples);
}

// The mean of part(leaves, mean, variance, samples) over the parts.
template <class Part>
double mean_over_parts(const std::vector<Leaves>& leaves, const double* mean,
                       const double* variance, Index samples, const Part& part) {
  const Index each = samples / static_cast<Index>(leaves.size());
  double sum = 0.0;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const Index begin = static_cast<Index>(k) * each;
    sum += part(leaves[k], mean + begin, variance + begin, each);
  }
  return sum / static_cast<double>(leaves.size());
}

}  // namespace

double mixture_cdf(const Likelihood& likelihood, const std::vector<Leaves>& leaves,
                   const double* mean, const double* variance, Index samples, double at) {
  return mean_over_parts(leaves, mean, variance, samples,
                         [&](const Leaves& own, const double* m, const double* v, Index n) {
                           return part_cdf(likelihood, own, m, v, n, at);
                         });
}

double mixture_quantile(const Likelihood& likelihood, const std::vector<Leaves>& leaves,
                        const double* mean, const double* variance, Index samples, double level) {
  if (likelihood.type->name == "poisson") {  // the least count that has the level below it
    double low = -1.0, high = 1.0;
    const auto reaches = [&](double at) {
      return mixture_cdf(likelihood, leaves, mean, variance, samples, at) >= level;
    };
    while (!reaches(high) && high < kLargestCount) low = high, high *= 2.0;
    while (high - low > 1.0) {
      const double middle = std::floor(0.5 * (low + high));
      (reaches(middle) ? high : low) = middle;
    }
    return high;
  }
  if (is_discrete(likelihood)) {
    const double last = 1.0;
    double below = 0.0;
    for (double y = 0.0; y < last; y += 1.0) {
      below += mean_over_parts(leaves, mean, variance, samples,
                               [&](const Leaves& own, const double* m, const double* v, Index n) {
                                 return probability(likelihood, own, m, v, n, y);
                               });
      if (below >= level) return y;
    }
    return last;
  }
  const auto cdf = [&](double at) {
    return mixture_cdf(likelihood, leaves, mean, variance, samples, at);
  };
  // Widen until the level is between, then halve until the doubles are used up.
  double low = *std::min_element(mean, mean + samples) - 1.0;
  double high = *std::max_element(mean, mean + samples) + 1.0;
  for (double step = 1.0; cdf(low) >= level && step < 1e300; step *= 2.0) low -= step;
  for (double step = 1.0; cdf(high) < level && step < 1e300; step *= 2.0) high += step;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (cdf(middle) < level ? low : high) = middle;
  }
  return high;
}

}  // namespace mdgp
