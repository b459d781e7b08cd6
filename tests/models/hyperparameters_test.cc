#include "mdgp/models/hyperparameters.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mdgp/autodiff/gradient_check.h"
#include "mdgp/inference/free_vector.h"
#include "testing/random_model.h"

namespace mdgp {
namespace {

ModelSpec spec_of(const char* model, const char* kernel, Index inputs = 4) {
  ModelSpec spec = default_spec(model, inputs, {TaskSpec{}, TaskSpec{}}, 2, 2, 3);
  spec.propagate_inputs = true;
  spec.top.kernel = kernel;
  return spec;
}

TEST(Priors, AreOnLengthscalesMixingWeightsAndNoise) {
  Model model = make_model(spec_of("cmdgp", "matern52 * (constant + linear)"));
  set_priors(model);
  start_at_priors(model, 1);
  const auto& p = model.parameters;
  const double inputs = 2.0 + 4.0;  // two latent functions beside x
  const auto lengthscales = p.find("f.kernel.matern52_0.lengthscales");
  EXPECT_EQ(p[lengthscales].prior.kind, Prior::log_normal);
  EXPECT_NEAR(p.view(lengthscales)(0, 0), 1.5 * std::sqrt(inputs), 1e-12);
  EXPECT_EQ(p[p.find("f.kernel.coregion.W")].prior.kind, Prior::gaussian);
  EXPECT_EQ(p[p.find("f.kernel.coregion.W")].prior.scale, 1.0);  // few inputs
  Model many = make_model(spec_of("cmdgp", "matern52", kFewInputs + 1));
  set_priors(many);
  EXPECT_EQ(many.parameters[many.parameters.find("f.kernel.coregion.W")].prior.scale, 0.3);
  EXPECT_EQ(p[p.find("likelihood0.variance")].prior.kind, Prior::log_normal);
  EXPECT_NEAR(p.view("likelihood0.variance")(0, 0), 0.03, 1e-12);
  // B carries the scale.
  EXPECT_FALSE(p[p.find("f.kernel.matern52_0.variance")].trainable);
  EXPECT_EQ(p.view("f.kernel.matern52_0.variance")(0, 0), 1.0);
}

TEST(Priors, StartOfMixingWeightsDependsOnTheSeedOnly) {
  Model a = make_model(spec_of("cgp", "rbf")), b = a, c = a;
  for (Model* model : {&a, &b, &c}) set_priors(*model);
  start_at_priors(a, 1);
  start_at_priors(b, 1);
  start_at_priors(c, 2);
  EXPECT_EQ(a.parameters.values, b.parameters.values);
  EXPECT_NE(a.parameters.values, c.parameters.values);
}

// Also of those that lie around other parameters, which get their part.
TEST(Priors, GradientAgreesWithDifferences) {
  for (const char* name : {"smdgp", "cmdgp"}) {
    const bool correlated = std::string(name) == "cmdgp";
    Model model =
        make_model(spec_of(name, correlated ? "rbf * tasklinear + private" : "rbf * linear"));
    set_priors(model);
    if (!correlated) set_alike(model);
    fixture::Random random(3);
    fixture::randomise(model, random);
    Vector gradient = Vector::Zero(model.parameters.size());
    log_prior(model.parameters, &gradient);
    const auto objective = [&](const Vector& values) {
      Parameters moved = model.parameters;
      moved.values = values;
      return log_prior(moved, nullptr);
    };
    EXPECT_LT(check_gradient(objective, model.parameters.values, gradient).worst_error, 1e-7)
        << name;
  }
}

TEST(Priors, AlikeDrawsLengthscalesTogether) {
  Model model = make_model(spec_of("smdgp", "rbf"));
  set_priors(model);
  set_alike(model);
  const Parameters& p = model.parameters;
  EXPECT_EQ(p[p.find("f0.kernel.lengthscales")].prior.around, -1);
  EXPECT_EQ(p[p.find("f1.kernel.lengthscales")].prior.around, p.find("f0.kernel.lengthscales"));
  EXPECT_EQ(p[p.find("f1.kernel.variance")].prior.around, -1);
  start_at_priors(model, 1);
  const double together = log_prior(p, nullptr);
  model.parameters.view("f1.kernel.lengthscales") *= 2.0;
  const double apart = log_prior(p, nullptr);
  model.parameters.view("f0.kernel.lengthscales") *= 2.0;
  EXPECT_LT(apart, together);
  EXPECT_GT(log_prior(p, nullptr), apart);
}

// With one input a lengthscale is as small a parameter as a variance.
TEST(Priors, AlikeDrawsLengthscalesTogetherWithOneInputToo) {
  ModelSpec spec = spec_of("igp", "rbf * (constant + linear)", 1);
  spec.propagate_inputs = false;
  Model model = make_model(spec);
  set_priors(model);
  set_alike(model);
  const auto around = [&](const char* name) {
    const Parameters& p = model.parameters;
    return p[p.find(std::string("f1.kernel.") + name)].prior.around;
  };
  EXPECT_EQ(around("rbf_0.lengthscales"), model.parameters.find("f0.kernel.rbf_0.lengthscales"));
  EXPECT_EQ(around("linear_2.variance"), model.parameters.find("f0.kernel.linear_2.variance"));
  EXPECT_EQ(around("rbf_0.variance"), -1);
  EXPECT_EQ(around("constant_1.variance"), -1);
}

TEST(CopyHyperparameters, SetsTheLastInputsOfAWiderKernel) {
  Model shallow = make_model(spec_of("cgp", "rbf + linear"));
  fixture::Random random(4);
  fixture::randomise(shallow, random);
  Model deep = make_model(spec_of("cmdgp", "rbf + linear"));
  const Matrix before = deep.parameters.view("f.kernel.rbf_0.lengthscales");
  copy_hyperparameters(shallow, deep);
  const Matrix after = deep.parameters.view("f.kernel.rbf_0.lengthscales");
  EXPECT_EQ(after.bottomRows(4), Matrix(shallow.parameters.view("f.kernel.rbf_0.lengthscales")));
  EXPECT_EQ(after.topRows(2), before.topRows(2));
  EXPECT_EQ(Matrix(deep.parameters.view("f.kernel.coregion.W")),
            Matrix(shallow.parameters.view("f.kernel.coregion.W")));
  EXPECT_EQ(Matrix(deep.parameters.view("likelihood1.variance")),
            Matrix(shallow.parameters.view("likelihood1.variance")));
}

TEST(CopyButTop, TakesTheLayersBelow) {
  ModelSpec spec = spec_of("smdgp", "rbf");
  const Model trained = fixture::random_model(spec, 5);
  spec.top_inducing = {4, 6};
  Model larger = make_model(spec);
  copy_but_top(trained, larger);
  for (const char* name : {"g0.Z", "g0.q_mu", "g0.q_sqrt", "g0.kernel.lengthscales",
                           "f1.kernel.lengthscales", "likelihood0.variance"}) {
    EXPECT_EQ(Matrix(larger.parameters.view(name)), Matrix(trained.parameters.view(name))) << name;
  }
  EXPECT_EQ(larger.parameters.view("f1.Z").rows(), 6);
}

}  // namespace
}  // namespace mdgp
