// Every kernel of one list is held to the same contract: its values against textbook formulas
// written here once more, its gradients against differences, and what must hold of any covariance.
#include "mdgp/kernels/kernel.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <functional>
#include <ostream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "mdgp/autodiff/gradient_check.h"

namespace mdgp {
namespace {

struct Case {
  std::string expression;
  bool ard;

  bool has(const char* name) const { return expression.find(name) != std::string::npos; }
  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.expression << (c.ard ? ", ARD" : ", one lengthscale");
  }
};

std::vector<Case> with_and_without_ard(const std::vector<std::string>& expressions) {
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
                                       "matern52 + linear",
                                       "rbf * linear",
                                       "(rbf + linear) * matern32",
                                       "matern52 * coregion",
                                       "(matern32 + linear) * coregion + white"};

constexpr Index kInputs = 3, kTasks = 3, kRank = 2;

struct Point {
  Vector x;
  int task;
};

// The Matérn kernel in general, by the Bessel function of the second kind (Rasmussen and Williams
// 2006, eq. 4.14).
double matern(double nu, double r) {
  if (r == 0.0) return 1.0;
  const double s = std::sqrt(2.0 * nu) * r;
  return std::pow(2.0, 1.0 - nu) / std::tgamma(nu) * std::pow(s, nu) * std::cyl_bessel_k(nu, s);
}

// k(a, b); `same` where a and b are one point and not merely equal.
double textbook(const Kernel& kernel, const Parameters& parameters, const Point& a, const Point& b,
                bool same) {
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
  const Matrix variance = parameter("variance");
  if (type == "white") return same ? variance(0, 0) : 0.0;
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
std::string name_of(Of of) {
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

void expect_near(const Matrix& actual, const Matrix& expected, double tolerance) {
  // Written so that a NaN fails.
  EXPECT_TRUE(((actual - expected).cwiseAbs().array() <= tolerance).all())
      << "largest difference " << (actual - expected).cwiseAbs().maxCoeff();
}

void expect_right_gradient(const GradientCheck& check, double tolerance) {
  EXPECT_LT(check.worst_error, tolerance)
      << "at " << check.worst_index << ": " << check.analytic << " against " << check.numeric;
}

class AnyKernel : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, AnyKernel, testing::ValuesIn(with_and_without_ard(kAll)));

TEST_P(AnyKernel, HasTheTextbooksValues) {
  const Problem p(GetParam());
  for (const Of of : kEach) {
    SCOPED_TRACE(name_of(of));
    expect_near(p.evaluate(of), p.textbook_matrix(of), 1e-12);
  }
}

TEST_P(AnyKernel, HasTheRightGradient) {
  const Problem p(GetParam());
  for (const Of of : kEach) {
    SCOPED_TRACE(name_of(of));
    expect_right_gradient(p.check(of), 1e-8);
  }
}

TEST_P(AnyKernel, HasTheTextbooksValuesAtCoincidingPoints) {
  Problem p(GetParam());
  p.make_some_points_coincide();
  for (const Of of : kEach) {
    SCOPED_TRACE(name_of(of));
    expect_near(p.evaluate(of), p.textbook_matrix(of), 1e-12);
  }
}

// Also for matern12: its kink is even, so that the central difference gives the 0 that it defines.
// The differences are less exact here, where matern32 has a third derivative that jumps.
TEST_P(AnyKernel, HasTheRightGradientAtCoincidingPoints) {
  Problem p(GetParam());
  p.make_some_points_coincide();
  for (const Of of : kEach) {
    SCOPED_TRACE(name_of(of));
    expect_right_gradient(p.check(of), 1e-7);
  }
}

TEST_P(AnyKernel, AddsToTheAdjoints) {
  const Problem p(GetParam());
  for (const Of of : kEach) {
    SCOPED_TRACE(name_of(of));
    Vector gradient = Vector::Ones(p.all().size());
    p.evaluate(of, p.all(), &gradient);
    expect_near(gradient, p.gradient(of) + Vector::Ones(gradient.size()), 1e-13);
  }
}

TEST_P(AnyKernel, DifferentiatesParametersWhereThePointsAreConstants) {
  const Problem p(GetParam());
  const Index points = p.all().size() - p.parameters().size();
  for (const Of of : kEach) {
    SCOPED_TRACE(name_of(of));
    Vector gradient = Vector::Zero(p.all().size()), expected = p.gradient(of);
    expected.tail(points).setZero();
    p.evaluate(of, p.all(), &gradient, false);
    expect_near(gradient, expected, 1e-13);
  }
}

// Properties, on random points of several sizes; X is a copy of Z.
class Covariance : public testing::TestWithParam<Case> {
 protected:
  static std::vector<Problem> problems() {
    std::vector<Problem> all;
    for (unsigned seed = 0; seed < 8; ++seed) {
      const Index m = 1 + 7 * static_cast<Index>(seed);
      all.emplace_back(GetParam(), m, m, seed).make_x_a_copy_of_z();
    }
    return all;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Covariance, testing::ValuesIn(with_and_without_ard(kAll)));

TEST_P(Covariance, IsSymmetric) {
  for (const Problem& p : problems()) {
    const Matrix K = p.evaluate(Of::gram);
    expect_near(K, K.transpose(), 1e-14 * K.cwiseAbs().maxCoeff());
  }
}

TEST_P(Covariance, IsPositiveSemidefinite) {
  for (const Problem& p : problems()) {
    const Matrix K = p.evaluate(Of::gram);
    const double smallest = Eigen::SelfAdjointEigenSolver<Matrix>(K).eigenvalues()[0];
    EXPECT_GT(smallest, -1e-10 * K.trace()) << K.rows();
  }
}

TEST_P(Covariance, HasTheDiagonal) {
  for (const Problem& p : problems()) {
    expect_near(p.evaluate(Of::gram).diagonal(), p.evaluate(Of::diagonal), 1e-13);
  }
}

TEST_P(Covariance, OfPointsWithThemselvesDiffersInWhiteNoiseOnly) {
  for (const Problem& p : problems()) {
    Matrix gram = p.evaluate(Of::gram);
    if (GetParam().has("white")) {
      const Vector& all = p.all();
      gram.diagonal().array() -= all[p.parameters()[p.parameters().find("white.variance")].offset];
    }
    expect_near(p.evaluate(Of::cross), gram, 1e-13);
  }
}

class Stationary : public testing::TestWithParam<Case> {
 protected:
  // Points that lie on a grid of 2^-10, so that moving them by whole numbers rounds nothing.
  static Problem on_a_grid() {
    Problem p(GetParam());
    p.x() = (1024.0 * p.x()).array().round() / 1024.0;
    p.z() = (1024.0 * p.z()).array().round() / 1024.0;
    return p;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Stationary, testing::ValuesIn(with_and_without_ard(kStationary)));

TEST_P(Stationary, IsExactlyTheVarianceAtDistanceZero) {
  Problem p(GetParam());
  p.make_some_points_coincide();
  const double variance = p.parameters().view("variance")(0, 0);
  const Matrix cross = p.evaluate(Of::cross), gram = p.evaluate(Of::gram);
  for (const Index i : {0, 2, 4}) EXPECT_EQ(cross(i, i), variance);
  EXPECT_EQ(gram(1, 3), variance);
  EXPECT_EQ(gram.diagonal(), Vector::Constant(5, variance));
}

TEST_P(Stationary, IsZeroFarAway) {
  for (const double distance : {1e8, 1e155}) {
    Problem p(GetParam());
    p.x() *= distance;
    p.z() *= distance;
    EXPECT_TRUE(p.evaluate(Of::cross).isZero(0.0)) << distance;
    const Matrix variances = p.parameters().view("variance")(0, 0) * Matrix::Identity(5, 5);
    EXPECT_EQ(p.evaluate(Of::gram), variances) << distance;
  }
}

// The first row of X is one of Z, the last is far from all.
TEST_P(Stationary, IsZeroFarAwayBesideCoincidingPoints) {
  for (const double distance : {1e8, 1e155}) {
    Problem p(GetParam());
    p.make_some_points_coincide();
    p.x().row(5).setConstant(distance);
    EXPECT_TRUE(p.evaluate(Of::cross).row(5).isZero(0.0)) << distance;
    EXPECT_TRUE(p.gradient(Of::cross).allFinite()) << distance;
  }
}

// The matrices are constant there but for the variance.
TEST_P(Stationary, HasNoGradientFarAway) {
  Problem p(GetParam());
  p.x() *= 1e8;
  p.z() *= 1e8;
  for (const Of of : kEach) {
    SCOPED_TRACE(name_of(of));
    Vector gradient = p.gradient(of);
    gradient[p.parameters()[p.parameters().find("variance")].offset] = 0.0;
    expect_near(gradient, Vector::Zero(gradient.size()), 1e-8);
  }
}

TEST_P(Stationary, HasAFiniteGradientWhereSquaresOverflow) {
  Problem p(GetParam());
  p.x() *= 1e155;
  p.z() *= 1e155;
  for (const Of of : kEach) EXPECT_TRUE(p.gradient(of).allFinite()) << name_of(of);
}

TEST_P(Stationary, KeepsItsDigitsFarFromTheOrigin) {
  Problem near = on_a_grid(), far = on_a_grid();
  far.x().array() += 1e6;
  far.z().array() += 1e6;
  for (const Of of : kEach) {
    SCOPED_TRACE(name_of(of));
    expect_near(far.evaluate(of), near.evaluate(of), 1e-12);
    expect_near(far.gradient(of), near.gradient(of), 1e-11);
  }
}

// Two clusters: no common centre is near all points.
TEST_P(Stationary, KeepsItsDigitsInClustersFarFromEachOther) {
  Problem near = on_a_grid(), far = on_a_grid();
  far.x().bottomRows(3).array() += 1e6;
  far.z().bottomRows(2).array() += 1e6;
  Matrix expected = near.evaluate(Of::cross);
  expected.topRightCorner(3, 2).setZero();
  expected.bottomLeftCorner(3, 3).setZero();
  expect_near(far.evaluate(Of::cross), expected, 1e-9);
}

class WithoutPoints : public AnyKernel {};
INSTANTIATE_TEST_SUITE_P(All, WithoutPoints, testing::ValuesIn(with_and_without_ard(kAll)));

TEST_P(WithoutPoints, HasNoGradient) {
  const Problem p(GetParam(), 0, 5);
  for (const Of of : {Of::cross, Of::diagonal}) {
    EXPECT_TRUE(p.gradient(of).isZero(0.0)) << name_of(of);
  }
}

std::string text_of(const std::string& expression) {
  Parameters parameters;
  return to_string(make_kernel(expression, {}, "", parameters));
}

std::string refusal_of(const std::string& expression, const KernelContext& context = {}) {
  Parameters parameters;
  try {
    make_kernel(expression, context, "", parameters);
  } catch (const std::invalid_argument& e) {
    EXPECT_EQ(parameters.size(), 0) << "parameters of a kernel that is none";
    return e.what();
  }
  return "(nothing thrown)";
}

std::vector<std::string> parameter_names(const std::string& expression) {
  Parameters parameters;
  make_kernel(expression, {}, "f.", parameters);
  std::vector<std::string> names;
  for (const Parameter& p : parameters.table) names.push_back(p.name);
  return names;
}

TEST_P(AnyKernel, IsWrittenAsItIsRead) {
  EXPECT_EQ(text_of(GetParam().expression), GetParam().expression);
}

TEST(MakeKernel, ReadsTheExamplesOfItsDocumentation) {
  for (const char* e :
       {"matern52", "matern52 + linear", "rbf * (linear + white)", "matern52 * coregion"}) {
    EXPECT_EQ(text_of(e), e);
  }
}

TEST(MakeKernel, ProductsBindTighterThanSums) {
  Parameters parameters;
  const Kernel k = make_kernel("rbf + linear * matern32 + white", {}, "", parameters);
  EXPECT_EQ(k.type->name, "sum");
  ASSERT_EQ(k.children.size(), 3U);
  EXPECT_EQ(k.children[1].type->name, "product");
}

TEST(MakeKernel, ParenthesesBindTightest) {
  Parameters parameters;
  const Kernel k = make_kernel("(rbf + linear) * matern32", {}, "", parameters);
  EXPECT_EQ(k.type->name, "product");
  ASSERT_EQ(k.children.size(), 2U);
  EXPECT_EQ(k.children[0].type->name, "sum");
}

TEST(MakeKernel, SpacesAndNeedlessParenthesesDoNotMatter) {
  EXPECT_EQ(text_of("  ((rbf)*( linear ))+white "), "rbf * linear + white");
}

TEST(MakeKernel, RefusesAnUnknownNameAndListsTheKnown) {
  EXPECT_EQ(refusal_of("rbf + matern72"),
            "make_kernel: 'rbf + matern72', position 7: 'matern72' is not a kernel; there are rbf, "
            "matern12, matern32, matern52, linear, white, coregion");
}

TEST(MakeKernel, RefusesWhatIsNotAnExpression) {
  const auto starts = [](const std::string& expression, const std::string& message) {
    EXPECT_EQ(refusal_of(expression).substr(0, message.size()), message);
  };
  starts("(rbf + linear", "make_kernel: '(rbf + linear', position 14: a ')' is missing");
  starts("rbf linear", "make_kernel: 'rbf linear', position 5: unexpected 'l'");
  starts("rbf)", "make_kernel: 'rbf)', position 4: unexpected ')'");
  starts("", "make_kernel: '', position 1: '' is not a kernel");
  starts("rbf +", "make_kernel: 'rbf +', position 6: '' is not a kernel");
  starts("()", "make_kernel: '()', position 2: '' is not a kernel");
  starts("sum", "make_kernel: 'sum', position 1: 'sum' is not a kernel");
}

TEST(MakeKernel, RefusesVeryDeepNesting) {
  const std::string deep(100'000, '(');
  EXPECT_NE(refusal_of(deep + "rbf").find("nested too deeply"), std::string::npos);
}

TEST(MakeKernel, RefusesTwoLeavesThatWouldShareANameOfTheirOwn) {
  EXPECT_EQ(refusal_of("white + white"),
            "make_kernel: 'white + white' has white or coregion more than once");
}

TEST(MakeKernel, RefusesAContextWithoutInputsTasksOrRank) {
  const std::string must = " is 0, but must be positive and finite";
  EXPECT_EQ(refusal_of("rbf", {0, true, 1, 1}), "make_kernel: inputs" + must);
  EXPECT_EQ(refusal_of("coregion", {1, true, 0, 1}), "make_kernel: tasks" + must);
  EXPECT_EQ(refusal_of("coregion", {1, true, 1, 0}), "make_kernel: rank" + must);
}

using Names = std::vector<std::string>;

TEST(ParameterNames, OfOneLeafArePlain) {
  EXPECT_EQ(parameter_names("rbf"), (Names{"f.variance", "f.lengthscales"}));
  EXPECT_EQ(parameter_names("linear"), (Names{"f.variance"}));
}

TEST(ParameterNames, OfSeveralLeavesHaveTypeAndPosition) {
  EXPECT_EQ(parameter_names("rbf * linear + rbf"),
            (Names{"f.rbf_0.variance", "f.rbf_0.lengthscales", "f.linear_1.variance",
                   "f.rbf_2.variance", "f.rbf_2.lengthscales"}));
}

TEST(ParameterNames, OfCoregionAndWhiteAreTheirOwn) {
  EXPECT_EQ(parameter_names("matern52 * coregion + white"),
            (Names{"f.variance", "f.lengthscales", "f.coregion.W", "f.coregion.kappa",
                   "f.white.variance"}));
}

TEST(Kernel, KnowsWhetherItIsCoregionalised) {
  Parameters parameters;
  EXPECT_TRUE(is_coregionalised(make_kernel("rbf * (coregion + white)", {}, "", parameters)));
  EXPECT_FALSE(is_coregionalised(make_kernel("rbf + linear", {}, "", parameters)));
}

TEST(Kernel, CoregionWithoutTasksThrows) {
  Parameters parameters;
  const Kernel k = make_kernel("coregion", {1, true, 2, 1}, "", parameters);
  const Matrix x = Matrix::Zero(2, 1);
  Tape tape;
  const Leaves leaves{&parameters, nullptr, 0};
  tape.set_recording(false);
  const std::vector<int> task = {0, 1};
  const Points with{constant(view_of(x)), task.data()}, without{constant(view_of(x))};
  EXPECT_THROW(cross(tape, leaves, k, without, with), std::invalid_argument);
  EXPECT_THROW(cross(tape, leaves, k, with, without), std::invalid_argument);
  EXPECT_THROW(gram(tape, leaves, k, without), std::invalid_argument);
  EXPECT_THROW(diagonal(tape, leaves, k, without), std::invalid_argument);
}

TEST(CheckKernel, NamesFunctionParameterAndValue) {
  Parameters parameters;
  const Kernel k = make_kernel("matern52 * coregion", {2, true, 2, 1}, "top.", parameters);
  EXPECT_NO_THROW(check_kernel("predict", k, parameters));
  const auto refused = [&](std::string_view name, double value) -> std::string {
    Parameters changed = parameters;
    changed.view(name)(1, 0) = value;
    try {
      check_kernel("predict", k, changed);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "(nothing thrown)";
  };
  EXPECT_EQ(refused("top.lengthscales", -0.5),
            "predict: top.lengthscales[1] is -0.5, but must be positive and finite");
  EXPECT_EQ(refused("top.lengthscales", 0.0),
            "predict: top.lengthscales[1] is 0, but must be positive and finite");
  EXPECT_EQ(refused("top.coregion.W", std::nan("")),
            "predict: top.coregion.W[1] is nan, but must be finite");
  EXPECT_EQ(refused("top.coregion.W", -1.0), "(nothing thrown)");
}

// X may be a part of Z: the same memory, fewer rows.
class SharedMemory : public Stationary {};
INSTANTIATE_TEST_SUITE_P(All, SharedMemory, testing::ValuesIn(with_and_without_ard(kStationary)));

TEST_P(SharedMemory, OfTheFirstPointsWithAllIsRowsOfTheGram) {
  Problem p(GetParam());
  const Matrix points = p.z();
  const Var z = constant(view_of(points));
  const Parameters& parameters = p.parameters();
  Tape tape;
  tape.set_recording(false);
  const Var K =
      cross(tape, {&parameters, nullptr, 0}, p.kernel(), {block(z, 0, 0, 2, kInputs)}, {z});
  expect_near(K.value, p.evaluate(Of::gram).topRows(2), 1e-13);
}

}  // namespace
}  // namespace mdgp
