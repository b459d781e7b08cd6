#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

#include "mdgp/likelihoods/likelihood.h"

namespace mdgp {
namespace {

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(MakeLikelihood, AddsItsParameters) {
  Parameters parameters;
  make_likelihood("gaussian", "likelihood0", parameters);
  const Likelihood likelihood = make_likelihood("student_t", "likelihood1", parameters);
  EXPECT_EQ(parameters.view("likelihood0.variance")(0, 0), 0.1);
  EXPECT_EQ(likelihood.parameters, (std::vector<int>{1, 2}));
  EXPECT_EQ(parameters[1].name, "likelihood1.scale");
  EXPECT_EQ(parameters[1].constraint, Constraint::positive);
  EXPECT_TRUE(parameters[1].trainable);
  EXPECT_FALSE(parameters[2].trainable);
  EXPECT_EQ(parameters.view("likelihood1.degrees_of_freedom")(0, 0), 4.0);
}

TEST(MakeLikelihood, RefusesWhatItCannotMake) {
  Parameters parameters;
  EXPECT_EQ(message_of([&] { make_likelihood("beta", "l", parameters); }),
            "make_likelihood: name is beta, but must be one of gaussian, heavy_tailed, student_t, "
            "bernoulli, poisson, robustmax, softmax");
  EXPECT_EQ(message_of([&] { make_likelihood("softmax", "l", parameters, 1); }),
            "make_likelihood: classes is 1, but must be at least 2 for softmax");
  EXPECT_EQ(message_of([&] { make_likelihood("gaussian", "l", parameters, 3); }),
            "make_likelihood: classes is 3, but must be 0 for gaussian");
  EXPECT_EQ(parameters.size(), 0);
}

TEST(CheckTarget, RefusesWhatTheLikelihoodCannotExplain) {
  Parameters parameters;
  const auto refusal = [&](std::string_view name, double y, int classes = 0) {
    const Likelihood likelihood = make_likelihood(name, "l", parameters, classes);
    return message_of([&] { check_target("check", likelihood, y); });
  };
  const double nan = std::nan("");
  EXPECT_EQ(refusal("bernoulli", 2),
            "check: target of likelihood bernoulli is 2, but must be 0 or 1");
  EXPECT_EQ(refusal("gaussian", nan),
            "check: target of likelihood gaussian is nan, but must be finite");
  EXPECT_EQ(refusal("student_t", HUGE_VAL),
            "check: target of likelihood student_t is inf, but must be finite");
  EXPECT_EQ(refusal("poisson", -1),
            "check: target of likelihood poisson is -1, but must be a count");
  EXPECT_EQ(refusal("poisson", 1.5),
            "check: target of likelihood poisson is 1.5, but must be a count");
  for (const std::string name : {"robustmax", "softmax"}) {
    for (const double y : {-1.0, 0.5, 3.0, nan}) {
      EXPECT_NE(refusal(name, y, 3).find("but must be a class from 0 to classes - 1"),
                std::string::npos);
    }
    EXPECT_EQ(refusal(name, 2, 3), "");
  }
  EXPECT_EQ(refusal("bernoulli", 1), "");
  EXPECT_EQ(refusal("poisson", 12), "");
  EXPECT_EQ(refusal("gaussian", -1.5), "");
}

}  // namespace
}  // namespace mdgp
