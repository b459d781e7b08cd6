// Every likelihood is held to the same contract; what differs is how p(y | f) is written, which the
// list below does again, plainly, as the oracle.
#include "mdgp/likelihoods/likelihood.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <ostream>
#include <random>
#include <string>
#include <thread>

#include "mdgp/autodiff/gradient_check.h"
#include "mdgp/likelihoods/quadrature.h"

namespace mdgp {
namespace {

const View no_view = make_view(static_cast<double*>(nullptr), 0, 0);

struct Case {
  std::string name;
  int classes;
  std::vector<double> parameters;
  std::function<double(double y, const Vector& f)> log_density;  // log p(y | f)
  std::vector<double> targets;
  double tolerance;  // of 20-point quadrature, at variances up to 0.5

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

double log_robustmax(double y, const Vector& f) {
  Index largest;
  f.maxCoeff(&largest);
  return largest == static_cast<Index>(y) ? std::log(1.0 - 1e-3)
                                          : std::log(1e-3 / static_cast<double>(f.size() - 1));
}

double log_softmax(double y, const Vector& f) {
  return f[static_cast<Index>(y)] - std::log(f.array().exp().sum());
}

double log_student_t(double y, const Vector& f) {
  const double s = 0.6, nu = 5.0, r = (y - f[0]) / s;
  return std::lgamma(3.0) - std::lgamma(2.5) - 0.5 * std::log(nu * std::numbers::pi) - std::log(s) -
         3.0 * std::log1p(r * r / nu);
}

std::vector<Case> all_likelihoods() {
  return {
      {"gaussian",
       0,
       {0.3},
       [](double y, const Vector& f) {
         return -0.5 * std::log(2 * std::numbers::pi * 0.3) - 0.5 * std::pow(y - f[0], 2) / 0.3;
       },
       {-1.3, 0.2, 2.0},
       1e-10},
      {"student_t", 0, {0.6, 5.0}, log_student_t, {-1.3, 0.2, 2.0}, 3e-3},
      {"bernoulli",
       0,
       {},
       [](double y, const Vector& f) {
         return std::log(0.5 * std::erfc((y == 1.0 ? -f[0] : f[0]) / std::sqrt(2.0)));
       },
       {0.0, 1.0},
       1e-8},
      {"poisson",
       0,
       {0.6},
       [](double y, const Vector& f) {
         const double rate = 0.6 * std::exp(f[0]);
         return y * std::log(rate) - rate - std::lgamma(y + 1.0);
       },
       {0.0, 1.0, 4.0},
       1e-7},
      {"robustmax", 2, {}, log_robustmax, {0.0, 1.0}, 1e-2},
      {"robustmax", 4, {}, log_robustmax, {0.0, 1.0, 3.0}, 1e-2},
      {"softmax", 2, {}, log_softmax, {0.0, 1.0}, 1e-2},
      {"softmax", 5, {}, log_softmax, {0.0, 2.0, 4.0}, 1e-2},
  };
}

// A likelihood with its parameters, and q(f) of a few rows.
class LikelihoodTest : public testing::TestWithParam<Case> {
 protected:
  LikelihoodTest() {
    likelihood_ = make_likelihood(GetParam().name, "likelihood0", parameters_, GetParam().classes);
    for (std::size_t i = 0; i < GetParam().parameters.size(); ++i) {
      parameters_.values[static_cast<Index>(i)] = GetParam().parameters[i];
    }
  }

  void draw(Index rows, double largest_variance) {
    const Index width = likelihood_.latent_width();
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(0.1 * largest_variance, largest_variance);
    mean_ = Matrix::NullaryExpr(rows, width, [&] { return normal(random_); });
    variance_ = Matrix::NullaryExpr(rows, width, [&] { return uniform(random_); });
    y_ = Vector::NullaryExpr(rows, [&](Index i) {
      const auto& targets = GetParam().targets;
      return targets[static_cast<std::size_t>(i) % targets.size()];
    });
  }

  const LikelihoodType& type() const { return *likelihood_.type; }
  Leaves values() const { return {&parameters_, nullptr, 0}; }

  double expected_log_density(const Matrix& mean, const Matrix& variance,
                              double scale = 1.0) const {
    return type().expected_log_density(likelihood_, values(), y_.data(), view_of(mean),
                                       view_of(variance), scale, no_view, no_view);
  }
  double expected_log_density(Index row) const {
    return type().expected_log_density(
        likelihood_, values(), y_.data() + row, block(view_of(mean_), row, 0, 1, mean_.cols()),
        block(view_of(variance_), row, 0, 1, mean_.cols()), 1.0, no_view, no_view);
  }
  Vector predictive_log_density() const {
    Vector result(y_.size());
    type().predictive_log_density(likelihood_, values(), y_.data(), view_of(mean_),
                                  view_of(variance_), result.data());
    return result;
  }
  // E_q[g(f)] of one row: a fine trapezoid in one dimension, else Monte Carlo. The second is five
  // standard errors.
  std::pair<double, double> integrate(Index row, const std::function<double(const Vector&)>& g) {
    const Vector m = mean_.row(row), s = variance_.row(row).cwiseSqrt();
    if (m.size() == 1) {
      double sum = 0.0;
      for (double z = -12.0; z <= 12.0; z += 1e-3) {
        sum += 1e-3 * std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi) * g(m + z * s);
      }
      return {sum, 0.0};
    }
    std::normal_distribution<double> normal;
    const int draws = 100000;
    double sum = 0.0, squares = 0.0;
    Vector f(m.size());
    for (int i = 0; i < draws; ++i) {
      for (Index c = 0; c < m.size(); ++c) f[c] = m[c] + s[c] * normal(random_);
      const double value = g(f);
      sum += value;
      squares += value * value;
    }
    const double average = sum / draws;
    return {average, 5.0 * std::sqrt((squares / draws - average * average) / draws)};
  }

  Parameters parameters_;
  Likelihood likelihood_;
  Matrix mean_, variance_;
  Vector y_;
  std::mt19937_64 random_{7};
};

TEST_P(LikelihoodTest, GradientIsThatOfTheValue) {
  for (const Index rows : {1, 3, 7}) {
    draw(rows, 2.0);
    const Index size = mean_.size(), count = parameters_.size();
    const double scale = 1.7;
    // x holds mean, variance and parameters.
    Vector x(2 * size + count);
    x << mean_.reshaped(), variance_.reshaped(), parameters_.values;
    Vector gradient = Vector::Zero(x.size());
    const Leaves leaves = {&parameters_, gradient.data() + 2 * size, 0};
    const double value = type().expected_log_density(
        likelihood_, leaves, y_.data(), view_of(std::as_const(mean_)),
        view_of(std::as_const(variance_)), scale, make_view(gradient.data(), rows, mean_.cols()),
        make_view(gradient.data() + size, rows, mean_.cols()));
    EXPECT_EQ(value, expected_log_density(mean_, variance_, scale));
    const auto f = [&](const Vector& point) {
      parameters_.values = point.tail(count);
      return expected_log_density(point.head(size).reshaped(rows, mean_.cols()),
                                  point.segment(size, size).reshaped(rows, mean_.cols()), scale);
    };
    const GradientCheck check = check_gradient(f, x, gradient, 1e-4);
    parameters_.values = x.tail(count);
    EXPECT_LT(check.worst_error, 1e-7)
        << "at " << check.worst_index << ": " << check.analytic << " against " << check.numeric;
  }
}

TEST_P(LikelihoodTest, GradientIsAddedToWhatIsThere) {
  draw(4, 1.0);
  const auto gradient_on = [&](double start) {
    Matrix mean_adjoint = Matrix::Constant(4, mean_.cols(), start), variance_adjoint = mean_adjoint;
    Vector adjoints = Vector::Constant(parameters_.size() + 1, start);
    type().expected_log_density(likelihood_, {&parameters_, adjoints.data(), 0}, y_.data(),
                                view_of(std::as_const(mean_)), view_of(std::as_const(variance_)),
                                1.0, view_of(mean_adjoint), view_of(variance_adjoint));
    Vector all(2 * mean_.size() + adjoints.size());
    all << mean_adjoint.reshaped(), variance_adjoint.reshaped(), adjoints;
    return all;
  };
  EXPECT_LT((gradient_on(0.5).array() - 0.5 - gradient_on(0.0).array()).abs().maxCoeff(), 1e-12);
}

TEST_P(LikelihoodTest, ExpectedLogDensityIsTheIntegral) {
  draw(static_cast<Index>(GetParam().targets.size()), 0.5);
  for (Index i = 0; i < y_.size(); ++i) {
    const auto [truth, error] =
        integrate(i, [&](const Vector& f) { return GetParam().log_density(y_[i], f); });
    const double value = expected_log_density(i);
    if (GetParam().name == "softmax") {  // a bound
      EXPECT_LT(value, truth + error);
      EXPECT_GT(value, truth - error - 0.05);
    } else {
      EXPECT_NEAR(value, truth, error + GetParam().tolerance);
    }
  }
}

TEST_P(LikelihoodTest, ExpectedLogDensityOfACertainLatentIsTheLogDensity) {
  draw(static_cast<Index>(GetParam().targets.size()), 1e-10);
  for (Index i = 0; i < y_.size(); ++i) {
    EXPECT_NEAR(expected_log_density(i), GetParam().log_density(y_[i], mean_.row(i)), 1e-8);
    EXPECT_NEAR(predictive_log_density()[i], GetParam().log_density(y_[i], mean_.row(i)), 1e-8);
  }
}

TEST_P(LikelihoodTest, PredictiveDensityIsTheIntegral) {
  draw(static_cast<Index>(GetParam().targets.size()), 0.5);
  const Vector log_density = predictive_log_density();
  for (Index i = 0; i < y_.size(); ++i) {
    const auto [truth, error] =
        integrate(i, [&](const Vector& f) { return std::exp(GetParam().log_density(y_[i], f)); });
    EXPECT_NEAR(std::exp(log_density[i]), truth, error + GetParam().tolerance);
  }
}

// The predictive density, summed or integrated over y, gives 1 and the predictive moments.
TEST_P(LikelihoodTest, PredictiveDensityHasThePredictiveMoments) {
  draw(1, 0.3);
  Matrix y_mean(1, mean_.cols()), y_variance(1, mean_.cols());
  type().predictive_moments(likelihood_, values(), view_of(std::as_const(mean_)),
                            view_of(std::as_const(variance_)), view_of(y_mean),
                            view_of(y_variance));
  const auto density = [&](double y) {
    y_[0] = y;
    return std::exp(predictive_log_density()[0]);
  };
  if (GetParam().classes > 0) {
    double sum = 0.0;
    for (int c = 0; c < GetParam().classes; ++c) {
      const double p = density(c);
      sum += p;
      EXPECT_NEAR(p, y_mean(0, c), 1e-12);
      EXPECT_NEAR(p * (1.0 - p), y_variance(0, c), 1e-12);
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);
    return;
  }
  double mass = 0.0, first = 0.0, second = 0.0;
  const auto add = [&](double y, double weight) {
    const double p = weight * density(y);
    mass += p;
    first += p * y;
    second += p * std::pow(y - y_mean(0, 0), 2);
  };
  if (type().accepts(likelihood_, 0.5)) {
    // y = m + sinh(t) reaches far into heavy tails.
    for (double t = -14.0; t <= 14.0; t += 1e-3) {
      add(mean_(0, 0) + std::sinh(t), 1e-3 * std::cosh(t));
    }
  } else {
    for (double y = 0.0; type().accepts(likelihood_, y) && y < 200.0; ++y) add(y, 1.0);
  }
  EXPECT_NEAR(mass, 1.0, 1e-8);
  EXPECT_NEAR(first, y_mean(0, 0), 1e-7);
  EXPECT_NEAR(second, y_variance(0, 0), 1e-6);
}

TEST_P(LikelihoodTest, JensensInequalityHolds) {
  draw(30, 1.0);
  const Vector log_density = predictive_log_density();
  for (Index i = 0; i < y_.size(); ++i) {
    EXPECT_LE(expected_log_density(i), log_density[i] + 1e-6) << i;
  }
}

TEST_P(LikelihoodTest, WindowsOnLargerMatricesAreRespected) {
  draw(5, 1.0);
  const Index width = mean_.cols();
  const auto in_window = [&](const Matrix& m) {
    Matrix large = Matrix::Constant(9, width + 2, 1e300);
    large.block(3, 1, 5, width) = m;
    return large;
  };
  const auto window = [&](auto& large) { return block(view_of(large), 3, 1, 5, width); };
  const Matrix mean = in_window(mean_), variance = in_window(variance_);
  Matrix tight[4], wide[4];  // adjoints, moments
  for (Matrix& m : tight) m = Matrix::Zero(5, width);
  for (Matrix& m : wide) m = in_window(Matrix::Zero(5, width));
  Vector adjoints = Vector::Zero(parameters_.size() + 1), density(5);
  const Leaves leaves = {&parameters_, adjoints.data(), 0};
  const double expected = type().expected_log_density(
      likelihood_, leaves, y_.data(), view_of(std::as_const(mean_)),
      view_of(std::as_const(variance_)), 1.0, view_of(tight[0]), view_of(tight[1]));
  EXPECT_EQ(expected,
            type().expected_log_density(likelihood_, leaves, y_.data(), window(mean),
                                        window(variance), 1.0, window(wide[0]), window(wide[1])));
  type().predictive_moments(likelihood_, values(), view_of(std::as_const(mean_)),
                            view_of(std::as_const(variance_)), view_of(tight[2]),
                            view_of(tight[3]));
  type().predictive_moments(likelihood_, values(), window(mean), window(variance), window(wide[2]),
                            window(wide[3]));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(wide[i], in_window(tight[i])) << i;
  type().predictive_log_density(likelihood_, values(), y_.data(), window(mean), window(variance),
                                density.data());
  EXPECT_EQ(density, predictive_log_density());
}

TEST_P(LikelihoodTest, ExtremeInputsGiveFiniteNumbers) {
  draw(1, 1.0);
  for (const double target : GetParam().targets) {
    for (const double v : {1e-12, 1e-3, 1.0, 1e6}) {
      for (const double m : {-1e3, -40.0, 0.0, 40.0, 1e3}) {
        for (const bool alike : {true, false}) {
          y_.setConstant(target);
          mean_.setConstant(alike ? m : -m);
          variance_.setConstant(alike ? v : 1.0);
          mean_(0, 0) = m;
          variance_(0, 0) = v;
          Matrix mean_adjoint = Matrix::Zero(1, mean_.cols()), variance_adjoint = mean_adjoint;
          Matrix y_mean = mean_adjoint, y_variance = mean_adjoint;
          Vector adjoints = Vector::Zero(parameters_.size() + 1);
          const double value = type().expected_log_density(
              likelihood_, {&parameters_, adjoints.data(), 0}, y_.data(),
              view_of(std::as_const(mean_)), view_of(std::as_const(variance_)), 1.0,
              view_of(mean_adjoint), view_of(variance_adjoint));
          type().predictive_moments(likelihood_, values(), view_of(std::as_const(mean_)),
                                    view_of(std::as_const(variance_)), view_of(y_mean),
                                    view_of(y_variance));
          EXPECT_TRUE(std::isfinite(value) && mean_adjoint.allFinite() &&
                      variance_adjoint.allFinite() && adjoints.allFinite() && y_mean.allFinite() &&
                      y_variance.allFinite() && predictive_log_density().allFinite())
              << "y " << target << ", mean " << m << ", variance " << v << ", value " << value
              << ", density " << predictive_log_density();
          EXPECT_TRUE((y_variance.array() >= 0.0).all());
        }
      }
    }
  }
}

TEST_P(LikelihoodTest, ThreadsDoNotDisturbEachOther) {
  draw(20, 1.0);
  const double value = expected_log_density(mean_, variance_);
  const Vector density = predictive_log_density();
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 5; ++repeat) {
        EXPECT_EQ(value, expected_log_density(mean_, variance_));
        EXPECT_EQ(density, predictive_log_density());
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(All, LikelihoodTest, testing::ValuesIn(all_likelihoods()),
                         [](const auto& test) {
                           return test.param.name +
                                  (test.param.classes ? std::to_string(test.param.classes) : "");
                         });

TEST(LikelihoodNames, EveryNameIsInTheListOfTheTests) {
  for (const std::string_view name : likelihood_names()) {
    bool found = name == "heavy_tailed";  // heavy_tailed_test.cc
    for (const Case& c : all_likelihoods()) found |= c.name == name;
    EXPECT_TRUE(found) << name;
  }
}

// Networks with dropout know f: its variance is 0.
TEST(SoftmaxOfKnownF, IsTheLimitOfSmallVariances) {
  Parameters parameters;
  const Likelihood l = make_likelihood("softmax", "l", parameters, 3);
  const Leaves leaves{&parameters, nullptr, 0};
  Matrix mean(2, 3), known(2, 3), nearly(2, 3), unused(2, 3);
  mean << 0.3, -1.0, 2.0, 800.0, 0.0, -800.0;
  const Matrix none = Matrix::Zero(2, 3), little = Matrix::Constant(2, 3, 1e-18);
  const auto moments = [&](const Matrix& variance, Matrix& out) {
    l.type->predictive_moments(l, leaves, view_of(std::as_const(mean)), view_of(variance),
                               view_of(out), view_of(unused));
  };
  moments(none, known);
  moments(little, nearly);
  EXPECT_LT((known - nearly).cwiseAbs().maxCoeff(), 1e-8);
  const Vector f = mean.row(0);
  EXPECT_NEAR(known(0, 1), std::exp(log_softmax(1.0, f)), 1e-15);
  const double y[] = {1.0, 2.0};
  double density[2];
  l.type->predictive_log_density(l, leaves, y, view_of(std::as_const(mean)), view_of(none),
                                 density);
  EXPECT_NEAR(density[0], log_softmax(1.0, f), 1e-14);
  EXPECT_NEAR(density[1], -1600.0, 1e-10);
}

}  // namespace
}  // namespace mdgp
