// What the kernel tests share: the list of kernels, textbook formulas written here once more, and a
// kernel with random parameters and points whose values and gradients can be asked for.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "mdgp/autodiff/gradient_check.h"
#include "mdgp/kernels/kernel.h"

namespace mdgp::testing_kernels {

struct Case {
  std::string expression;
  bool ard;

  bool has(const char* name) const { return expression.find(name) != std::string::npos; }
  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.expression << (c.ard ? ", ARD" : ", one lengthscale");
  }
};

inline std::vector<Case> with_and_without_ard(const std::vector<std::string>& expressions) {
  std::vector<Case> cases;
  for (const std::string& e : expressions) cases.insert(cases.end(), {{e, true}, {e, false}});
  return cases;
}

const std::vector<std::string> kStationary = {"rbf", "matern12", "matern32", "matern52"};
const std::vector<std::string> kAll = {"rbf",
                                       "matern12",
                                       "matern32",
                                       "matern52",
                                       "linear",
                                       "white",
                                       "constant",
                                       "matern52 * (constant + linear)",
                                       "matern52 + linear",
                                       "rbf * linear",
                                       "(rbf + linear) * matern32",
                                       "matern52 * coregion",
                                       "(matern32 + linear) * coregion + white",
                                       "(rbf * (constant + linear) + private) * coregion",
                                       "rbf * (constant + tasklinear) * coregion"};

constexpr Index kInputs = 3, kTasks = 3, kRank = 2;

struct Point {
  Vector x;
  int task;
};

// The Matérn kernel in general, by the Bessel function of the second kind (Rasmussen and Williams
// 2006, eq. 4.14).
inline double matern(double nu, double r) {
  if (r == 0.0) return 1.0;
  const double s = std::sqrt(2.0 * nu) * r;
  return std::pow(2.0, 1.0 - nu) / std::tgamma(nu) * std::pow(s, nu) * std::cyl_bessel_k(nu, s);
}

// k(a, b); `same` where a and b are one point and not merely equal.
inline double textbook(const Kernel& kernel, const Parameters& parameters, const Point& a,
                       const Point& b, bool same) {
  const std::string_view type = kernel.type->name;
  double sum = 0.0, product = 1.0;
  for (const Kernel& child : kernel.children) {
    const double k = textbook(child, parameters, a, b, same);
    sum += k;
    product *= k;
  }
  if (type == "sum") return sum;
  if (type == "product") return product;

  const auto parameter = [&](std::string_view name) -> Matrix {
    for (const int id : kernel.parameters) {
      if (std::string_view(parameters[id].name).ends_with(name)) return parameters.view(id);
    }
    throw std::logic_error("no parameter of that name");
  };
  if (type == "coregion") {
    const Matrix W = parameter("W"), kappa = parameter("kappa");
    return W.row(a.task).dot(W.row(b.task)) + (a.task == b.task ? kappa(a.task, 0) : 0.0);
  }
  if (type == "private") {
    if (a.task != b.task) return 0.0;
    const std::string own = "private." + std::to_string(a.task);
    const Matrix lengthscales = parameter(own + ".lengthscales");
    double r = 0.0;
    for (Index d = 0; d < a.x.size(); ++d) {
      r = std::hypot(r, (a.x[d] - b.x[d]) / lengthscales(lengthscales.size() > 1 ? d : 0, 0));
    }
    return parameter(own + ".variance")(0, 0) * matern(1.5, r);
  }
  const Matrix variance = parameter("variance");
  if (type == "constant") return variance(0, 0);
  if (type == "white") return same ? variance(0, 0) : 0.0;
  if (type == "tasklinear") {
    for (Index d = 0; d < a.x.size(); ++d) {
      const Index row = variance.rows() > 1 ? d : 0;
      sum += std::sqrt(variance(row, a.task)) * a.x[d] * std::sqrt(variance(row, b.task)) * b.x[d];
    }
    return sum;
  }
  if (type == "linear") {
    for (Index d = 0; d < a.x.size(); ++d) {
      sum += variance(variance.size() > 1 ? d : 0, 0) * a.x[d] * b.x[d];
    }
    return sum;
  }
  const Matrix lengthscales = parameter("lengthscales");
  double r = 0.0;
  for (Index d = 0; d < a.x.size(); ++d) {
    r = std::hypot(r, (a.x[d] - b.x[d]) / lengthscales(lengthscales.size() > 1 ? d : 0, 0));
  }
  if (type == "rbf") return variance(0, 0) * std::exp(-0.5 * r * r);
  return variance(0, 0) * matern(type == "matern12" ? 0.5 : type == "matern32" ? 1.5 : 2.5, r);
}

enum class Of { cross, gram, diagonal };
constexpr Of kEach[] = {Of::cross, Of::gram, Of::diagonal};
inline std::string name_of(Of of) {
  return of == Of::cross ? "cross" : of == Of::gram ? "gram" : "diagonal";
}

// A kernel with random parameters, and points X [n, D] and Z [m, D]. All numbers stand in one
// vector: the parameters, then [X; a row that is not used; Z], so that X and Z are views with a
// stride, as in the library.
class Problem {
 public:
  explicit Problem(const Case& c, Index n = 6, Index m = 5, unsigned seed = 1)
      : n_(n), m_(m), generator_(seed) {
    kernel_ = make_kernel(c.expression, {kInputs, c.ard, kTasks, kRank}, "", parameters_);
    std::uniform_real_distribution<double> positive(0.6, 1.6), point(-1.5, 1.5);
    std::uniform_int_distribution<int> task(0, kTasks - 1);
    for (double& v : parameters_.values) v = positive(generator_);
    all_ = parameters_.values;
    all_.conservativeResize(parameters_.size() + (n + 1 + m) * kInputs);
    for (Index i = parameters_.size(); i < all_.size(); ++i) all_[i] = point(generator_);
    for (Index i = 0; i < n + 1 + m; ++i) tasks_.push_back(task(generator_));
  }

  const Kernel& kernel() const { return kernel_; }
  const Parameters& parameters() const { return parameters_; }
  const Vector& all() const { return all_; }
  View x() { return block(points(all_), 0, 0, n_, kInputs); }
  View z() { return block(points(all_), first_z(), 0, m_, kInputs); }

  // Makes row `to` of all points a copy of row `from`, its task included.
  void copy_row(Index from, Index to) {
    points(all_).row(to) = points(all_).row(from);
    tasks_[static_cast<std::size_t>(to)] = tasks_[static_cast<std::size_t>(from)];
  }
  void make_some_points_coincide() {
    copy_row(first_z() + 1, first_z() + 3);
    for (const Index i : {0, 2, 4}) copy_row(first_z() + i, i);
  }
  void make_x_a_copy_of_z() {
    for (Index i = 0; i < n_; ++i) copy_row(first_z() + i, i);
  }

  Matrix weights(Of of) const {
    std::mt19937_64 generator(99);
    std::normal_distribution<double> normal;
    return Matrix::NullaryExpr(of == Of::gram ? m_ : n_, of == Of::diagonal ? 1 : m_,
                               [&] { return normal(generator); });
  }

  // The matrix at `all`; with `gradient`, that of its sum with the weights is added there.
  Matrix evaluate(Of of, Vector all, Vector* gradient = nullptr,
                  bool differentiable_points = true) const {
    Parameters parameters = parameters_;
    parameters.values = all.head(parameters_.size());
    Tape tape;
    tape.set_recording(gradient != nullptr);
    const Leaves leaves{&parameters, gradient != nullptr ? gradient->data() : nullptr, 0};
    const bool with_points = gradient != nullptr && differentiable_points;
    const Var both(points(all), with_points ? points(*gradient) : no_view());
    const Points x{block(both, 0, 0, n_, kInputs), tasks_.data()};
    const Points z{block(both, first_z(), 0, m_, kInputs), tasks_.data() + first_z()};
    Var K = of == Of::cross  ? cross(tape, leaves, kernel_, x, z)
            : of == Of::gram ? gram(tape, leaves, kernel_, z)
                             : diagonal(tape, leaves, kernel_, x);
    if (gradient != nullptr) {
      K.adjoint = weights(of);
      tape.reverse();
    }
    return K.value;
  }
  Matrix evaluate(Of of) const { return evaluate(of, all_); }
  Vector gradient(Of of) const {
    Vector gradient = Vector::Zero(all_.size());
    evaluate(of, all_, &gradient);
    return gradient;
  }

  Matrix textbook_matrix(Of of) const {
    Parameters parameters = parameters_;
    Vector all = all_;
    const View rows = points(all);
    const auto point = [&](Index i) {
      return Point{rows.row(i), tasks_[static_cast<std::size_t>(i)]};
    };
    Matrix K = weights(of);
    for (Index i = 0; i < K.rows(); ++i) {
      for (Index j = 0; j < K.cols(); ++j) {
        const Index a = of == Of::gram ? first_z() + i : i;
        const Index b = of == Of::diagonal ? i : first_z() + j;
        K(i, j) = textbook(kernel_, parameters, point(a), point(b), a == b);
      }
    }
    return K;
  }

  GradientCheck check(Of of) const {
    const Matrix w = weights(of);
    const auto objective = [&](const Vector& at) { return w.cwiseProduct(evaluate(of, at)).sum(); };
    return check_gradient(objective, all_, gradient(of));
  }

 private:
  View points(Vector& all) const {
    return make_view(all.data() + parameters_.size(), n_ + 1 + m_, kInputs);
  }
  Index first_z() const { return n_ + 1; }

  Index n_, m_;
  std::mt19937_64 generator_;
  Parameters parameters_;
  Kernel kernel_;
  Vector all_;
  std::vector<int> tasks_;
};

inline void expect_near(const Matrix& actual, const Matrix& expected, double tolerance) {
  // Written so that a NaN fails.
  EXPECT_TRUE(((actual - expected).cwiseAbs().array() <= tolerance).all())
      << "largest difference " << (actual - expected).cwiseAbs().maxCoeff();
}

inline void expect_right_gradient(const GradientCheck& check, double tolerance) {
  EXPECT_LT(check.worst_error, tolerance)
      << "at " << check.worst_index << ": " << check.analytic << " against " << check.numeric;
}

}  // namespace mdgp::testing_kernels
