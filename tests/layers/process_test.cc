// A process against the textbook's dense formulas, which are not whitened and invert K(Z, Z).
#include "mdgp/layers/process.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "mdgp/autodiff/gradient_check.h"
#include "mdgp/linalg/check.h"
#include "testing/dense.h"
#include "testing/random_model.h"

namespace mdgp {
namespace {

using fixture::Random;

constexpr double kJitter = 1e-6;

struct Shape {
  std::string kernel;
  bool ard;
  Index inputs, inducing, width, rows;

  friend std::ostream& operator<<(std::ostream& out, const Shape& s) {
    return out << s.kernel << (s.ard ? " ard" : "") << " D " << s.inputs << " M " << s.inducing
               << " P " << s.width << " n " << s.rows;
  }
};

struct RandomProcess {
  Parameters parameters;
  Process process;

  RandomProcess(const Shape& shape, Random& random, bool with_mean) {
    ProcessSpec spec;
    spec.name = "g0";
    spec.layer = 1;
    spec.kernel = shape.kernel;
    spec.ard = shape.ard;
    spec.inputs = shape.inputs;
    spec.inducing = shape.inducing;
    spec.width = shape.width;
    spec.all_tasks = 3;
    spec.rank = 2;
    if (with_mean) spec.mean_weights = random.normals(shape.inputs, shape.width);
    for (Index m = 0; m < shape.inducing; ++m) spec.Z_task.push_back(static_cast<int>(m % 3));
    process = make_process(spec, parameters);
    for (const Parameter& p : parameters.table) {
      View v = parameters.view(p.name);
      const bool positive = p.constraint == Constraint::positive;
      for (Index k = 0; k < v.size(); ++k) {
        v.data()[k] = positive ? random.uniform(0.5, 1.5) : random.normal();
      }
    }
    for (Index p = 0; p < shape.width; ++p) {
      Matrix L = 0.3 * random.normals(shape.inducing, shape.inducing);
      for (Index i = 0; i < L.rows(); ++i) {
        L(i, i) = (i % 2 == 0 ? 1.0 : -1.0) * random.uniform(0.5, 1.5);
      }
      set_q_sqrt_triangle(process, parameters, p, L);
    }
  }
};

Shape shape(std::string kernel, Index inducing = 5, Index width = 2) {
  return {std::move(kernel), true, 2, inducing, width, 7};
}

class ProcessTest : public ::testing::TestWithParam<Shape> {
 protected:
  Random random_{17};
  RandomProcess p_{GetParam(), random_, true};
};

// Also of sizes at which the library changes from loops to blocks (16) and from one panel to
// several.
INSTANTIATE_TEST_SUITE_P(
    Shapes, ProcessTest,
    ::testing::Values(Shape{"matern52", true, 2, 5, 1, 7}, Shape{"rbf", false, 3, 4, 3, 6},
                      Shape{"matern12", true, 1, 1, 2, 3}, Shape{"matern32", true, 4, 16, 2, 9},
                      Shape{"linear", true, 3, 3, 2, 5}, Shape{"rbf + linear", true, 2, 6, 2, 5},
                      Shape{"matern52 * linear + white", true, 2, 6, 2, 5},
                      Shape{"matern52 * coregion", true, 2, 7, 2, 6},
                      Shape{"(rbf + linear) * coregion + white", true, 2, 7, 1, 6},
                      Shape{"matern52", true, 5, 40, 3, 33},
                      Shape{"matern32", true, 5, 40, 1, 33}));

void expect_textbook(const Process& process, const Parameters& parameters, const Prepared& prepared,
                     const Matrix& x) {
  std::vector<int> task;
  for (Index i = 0; i < x.rows(); ++i) task.push_back(static_cast<int>(i % 3));
  Tape tape;
  tape.set_recording(false);
  const Moments f = conditional(tape, process, prepared, fixture::no_adjoints(parameters),
                                {constant(view_of(x)), task.data()});
  ASSERT_EQ(f.mean.rows(), x.rows());
  ASSERT_EQ(f.mean.cols(), process.width);
  for (Index i = 0; i < x.rows(); ++i) {
    const auto expected = fixture::textbook_conditional(process, parameters, kJitter, x.row(i),
                                                        task[static_cast<std::size_t>(i)]);
    for (Index c = 0; c < process.width; ++c) {
      EXPECT_NEAR(f.mean.value(i, c), expected.mean[c], 1e-8) << "row " << i;
      EXPECT_NEAR(f.variance.value(i, c), expected.variance[c], 1e-8) << "row " << i;
    }
  }
}

TEST_P(ProcessTest, ConditionalIsThatOfTheTextbook) {
  const Matrix x = random_.normals(GetParam().rows, GetParam().inputs);
  Prepared prepared;
  prepared.prepare(p_.process, p_.parameters, kJitter, nullptr);
  expect_textbook(p_.process, p_.parameters, prepared, x);
}

// The prediction in one product, for a q narrower than the prior, as the prior, and wider.
TEST_P(ProcessTest, PredictionIsThatOfTheTextbook) {
  const Index m = p_.process.inducing;
  const Matrix x = random_.normals(GetParam().rows, GetParam().inputs);
  const Matrix random = q_sqrt_triangle(p_.process, p_.parameters, 0);
  for (const double scale : {0.1, 0.0, 3.0}) {
    const Matrix L = scale > 0.0 ? Matrix(scale * random) : Matrix::Identity(m, m);
    for (Index c = 0; c < p_.process.width; ++c) {
      set_q_sqrt_triangle(p_.process, p_.parameters, c, L);
    }
    Prepared prepared;
    prepared.prepare(p_.process, p_.parameters, kJitter, nullptr);
    prepared.prepare_prediction(p_.process, p_.parameters);
    EXPECT_EQ(prepared.predictor().has_value(), p_.process.width == 1 && scale < 1.0);
    expect_textbook(p_.process, p_.parameters, prepared, x);
    prepared.prepare(p_.process, p_.parameters, kJitter, nullptr);
    EXPECT_FALSE(prepared.predictor().has_value()) << "stale";
  }
}

TEST_P(ProcessTest, PreparedIsTheInverseOfTheCholeskyFactor) {
  Prepared prepared;
  prepared.prepare(p_.process, p_.parameters, kJitter, nullptr);
  const Matrix L = fixture::cholesky(fixture::textbook_Kzz(p_.process, p_.parameters, kJitter));
  const Matrix product = Matrix(prepared.inverse_factor()) * L;
  EXPECT_LT((product - Matrix::Identity(L.rows(), L.rows())).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_EQ(prepared.jitter(), kJitter);
}

// KL[N(m, S) || N(0, K)] = (tr(K⁻¹ S) + mᵀ K⁻¹ m - M + log |K| - log |S|) / 2, of the values at Z.
TEST_P(ProcessTest, KlIsThatOfTwoGaussians) {
  const Matrix K = fixture::textbook_Kzz(p_.process, p_.parameters, kJitter);
  const auto q = fixture::textbook_q(p_.process, p_.parameters, kJitter);
  const Matrix inverse = fixture::inverse(K);
  double expected = 0.0;
  for (Index c = 0; c < p_.process.width; ++c) {
    const Matrix& S = q.covariance[static_cast<std::size_t>(c)];
    const Vector m = q.mean.col(c);
    expected += 0.5 * ((inverse * S).trace() + m.dot(inverse * m) - static_cast<double>(m.size()) +
                       fixture::log_determinant(K) - fixture::log_determinant(S));
  }
  EXPECT_NEAR(kl_divergence(p_.process, p_.parameters, 1.0, nullptr), expected,
              1e-7 * (1.0 + expected));
}

TEST_P(ProcessTest, KlGradientIsThatOfTheKlTimesTheWeightAndIsAdded) {
  constexpr double kWeight = -0.7, kBefore = 2.0;
  Vector gradient = Vector::Constant(p_.parameters.size(), kBefore);
  kl_divergence(p_.process, p_.parameters, kWeight, gradient.data());
  Parameters moved = p_.parameters;
  const auto kl = [&](const Vector& values) {
    moved.values = values;
    return kWeight * kl_divergence(p_.process, moved, 1.0, nullptr);
  };
  const Vector added = gradient.array() - kBefore;
  const GradientCheck check = check_gradient(kl, p_.parameters.values, added);
  EXPECT_LT(check.worst_error, 1e-8) << check.worst_index;
}

TEST_P(ProcessTest, TrianglesComeBackAsTheyWereSet) {
  std::vector<Matrix> set;
  for (Index c = 0; c < p_.process.width; ++c) {
    set.push_back(random_.normals(p_.process.inducing, p_.process.inducing));
    set_q_sqrt_triangle(p_.process, p_.parameters, c, set.back());
  }
  for (Index c = 0; c < p_.process.width; ++c) {
    const Matrix expected = set[static_cast<std::size_t>(c)].triangularView<Eigen::Lower>();
    EXPECT_EQ(q_sqrt_triangle(p_.process, p_.parameters, c), expected);
  }
}

TEST(Process, ColumnJOfTriangleIsColumnJTimesWidthPlusP) {
  Random random(3);
  RandomProcess p(shape("rbf", 4, 3), random, false);
  Matrix L = Matrix::Identity(4, 4);
  L(3, 2) = 5.0;
  set_q_sqrt_triangle(p.process, p.parameters, 1, L);
  EXPECT_EQ(p.parameters.view("g0.q_sqrt")(3, 2 * 3 + 1), 5.0);
}

TEST(Process, KlIsNeverNegative) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Random random(seed);
    RandomProcess p(shape("rbf", 1 + random.below(6), 1 + random.below(3)), random, false);
    p.parameters.view("g0.q_mu") *= random.uniform(0.0, 0.1);
    EXPECT_GE(kl_divergence(p.process, p.parameters, 1.0, nullptr), 0.0) << seed;
  }
}

TEST(Process, KlIsZeroAtThePriorWhereAProcessBegins) {
  Parameters parameters;
  ProcessSpec spec;
  spec.name = "f0";
  spec.inputs = 2;
  spec.inducing = 6;
  spec.width = 3;
  const Process process = make_process(spec, parameters);
  EXPECT_EQ(kl_divergence(process, parameters, 1.0, nullptr), 0.0);
}

// Inducing inputs all but the same point to so long a lengthscale. With a power of 4 as variance
// every step of the factorisation is exact until the jitter is large enough to be seen beside it.
RandomProcess coinciding(double variance) {
  Random random(5);
  RandomProcess p(shape("rbf", 3, 1), random, false);
  p.parameters.view("g0.kernel.lengthscales").setConstant(1e10);
  p.parameters.view("g0.kernel.variance").setConstant(variance);
  return p;
}

TEST(Process, JitterStaysWhereItIsEnough) {
  const RandomProcess p = coinciding(1.0);
  Prepared prepared;
  prepared.prepare(p.process, p.parameters, kJitter, nullptr);
  EXPECT_EQ(prepared.jitter(), kJitter);
}

TEST(Process, JitterEscalatesTenfold) {
  const RandomProcess p = coinciding(0x1p40);
  Prepared prepared;
  prepared.prepare(p.process, p.parameters, kJitter, nullptr);
  const double steps = std::log10(prepared.jitter() / kJitter);
  EXPECT_GE(steps, 2.5);  // 1e-4 is less than half a unit in the last place of 2^40
  EXPECT_LT(prepared.jitter(), 1.001e-2);
  EXPECT_NEAR(steps, std::round(steps), 1e-9);
  EXPECT_TRUE(Matrix(prepared.inverse_factor()).allFinite());
}

TEST(Process, MatrixThatNoJitterSavesIsAnErrorThatNamesItAndItsKernel) {
  const RandomProcess p = coinciding(0x1p100);
  Prepared prepared;
  try {
    prepared.prepare(p.process, p.parameters, kJitter, nullptr);
    FAIL() << "factorised with jitter " << prepared.jitter();
  } catch (const NumericalError& e) {
    const std::string message = e.what();
    for (const char* part : {"layer 1", "g0", "0.01", "g0.kernel.variance = 1.268e+30",
                             "g0.kernel.lengthscales", "1e+10"}) {
      EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
    }
  }
}

// A user may ask for more than the escalation's last step.
TEST(Process, FirstJitterAboveTheLargestEscalationIsUsed) {
  const RandomProcess p = coinciding(1.0);
  Prepared prepared;
  ASSERT_NO_THROW(prepared.prepare(p.process, p.parameters, 0.1, nullptr));
  EXPECT_EQ(prepared.jitter(), 0.1);
}

TEST(Process, VarianceIsPositiveAtInducingInputsWithANarrowPosterior) {
  Random random(11);
  RandomProcess p(shape("rbf", 5, 2), random, false);
  p.parameters.view("g0.q_sqrt") *= 1e-12;
  const Matrix Z = p.parameters.view("g0.Z");
  Prepared prepared;
  prepared.prepare(p.process, p.parameters, 1e-15, nullptr);
  Tape tape;
  tape.set_recording(false);
  const Moments f = conditional(tape, p.process, prepared, fixture::no_adjoints(p.parameters),
                                {constant(view_of(Z)), nullptr});
  EXPECT_GT(Matrix(f.variance.value).minCoeff(), 0.0);
}

}  // namespace
}  // namespace mdgp
