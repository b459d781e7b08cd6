#include "mdgp/linalg/check.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "testing/not_finite.h"

namespace mdgp {
namespace {

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "(nothing thrown)";
}

TEST(Check, RefuseNamesFunctionArgumentValueAndRequirement) {
  EXPECT_EQ(message_of([] { refuse("fit", "rows", "0", "positive"); }),
            "fit: rows is 0, but must be positive");
}

TEST(Check, PositiveAcceptsPositiveFiniteNumbers) {
  EXPECT_NO_THROW(check_positive("f", "x", std::numeric_limits<double>::denorm_min()));
  EXPECT_NO_THROW(check_positive("f", "x", std::numeric_limits<double>::max()));
}

TEST(Check, PositiveRefusesTheRest) {
  const auto refused = [](double v) { return message_of([=] { check_positive("f", "x", v); }); };
  EXPECT_EQ(refused(0.0), "f: x is 0, but must be positive and finite");
  EXPECT_EQ(refused(-1.5), "f: x is -1.5, but must be positive and finite");
  EXPECT_EQ(refused(kInfinity), "f: x is inf, but must be positive and finite");
  EXPECT_EQ(refused(kNaN), "f: x is nan, but must be positive and finite");
}

TEST(Check, PositiveNamesTheElement) {
  const auto refused = [](const Matrix& m) {
    return message_of([&] { check_positive("f", "x", view_of(m)); });
  };
  EXPECT_EQ(refused(Matrix{{-2.0}}), "f: x is -2, but must be positive and finite");
  EXPECT_EQ(refused(Matrix{{1.0}, {2.0}, {-3.0}}),
            "f: x[2] is -3, but must be positive and finite");
  EXPECT_EQ(refused(Matrix{{1.0, 2.0}, {3.0, 0.0}}),
            "f: x[1, 1] is 0, but must be positive and finite");
}

TEST(Check, ElementsAreThoseOfTheView) {
  Matrix m = Matrix::Constant(4, 4, -1.0);
  m.block(1, 1, 2, 2).setOnes();
  EXPECT_NO_THROW(check_positive("f", "x", as_const(block(view_of(m), 1, 1, 2, 2))));
}

TEST(Check, FiniteAcceptsEveryFiniteNumber) {
  const Matrix m{{-1.0, 0.0}, {std::numeric_limits<double>::lowest(), 1e-320}};
  EXPECT_NO_THROW(check_finite("f", "x", view_of(m)));
}

TEST(Check, FiniteRefusesNaNAndInfinity) {
  const auto refused = [](const Matrix& m) {
    return message_of([&] { check_finite("f", "x", view_of(m)); });
  };
  EXPECT_EQ(refused(Matrix{{1.0}, {kNaN}}), "f: x[1] is nan, but must be finite");
  EXPECT_EQ(refused(Matrix{{1.0, -kInfinity}}), "f: x[0, 1] is -inf, but must be finite");
}

TEST(Check, Size) {
  EXPECT_NO_THROW(check_size("f", "x", 3, 3));
  EXPECT_EQ(message_of([] { check_size("f", "x", 2, 3); }), "f: size of x is 2, but must be 3");
}

TEST(Check, Shape) {
  const Matrix m(2, 3);
  EXPECT_NO_THROW(check_shape("f", "x", view_of(m), 2, 3));
  EXPECT_EQ(message_of([&] { check_shape("f", "x", view_of(m), 3, 2); }),
            "f: shape of x is [2, 3], but must be [3, 2]");
}

TEST(Check, IndexIsHalfOpen) {
  EXPECT_NO_THROW(check_index("f", "i", 0, 2));
  EXPECT_NO_THROW(check_index("f", "i", 1, 2));
  EXPECT_EQ(message_of([] { check_index("f", "i", 2, 2); }), "f: i is 2, but must be in [0, 2)");
  EXPECT_EQ(message_of([] { check_index("f", "i", -1, 2); }), "f: i is -1, but must be in [0, 2)");
}

TEST(Check, NumericalErrorIsNotAnInvalidArgument) {
  EXPECT_THROW(throw NumericalError("no jitter saves it"), std::runtime_error);
}

}  // namespace
}  // namespace mdgp
