// The cascade's layout, and rows through it against the textbook, one point and one task at a time.
#include "mdgp/layers/cascade.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

#include "testing/dense.h"
#include "testing/random_model.h"

namespace mdgp {
namespace {

using fixture::Data;
using fixture::Observed;
using fixture::Random;

// A cascade of rbf processes, given each one's tasks (empty: shared), inputs and width.
struct Part {
  std::vector<int> tasks;
  Index inputs, width;
  std::string kernel = "rbf";
};

struct Built {
  Parameters parameters;
  Cascade cascade;

  Built(Index inputs, Index tasks, const std::vector<std::vector<Part>>& layers,
        bool propagate_inputs = false) {
    cascade.inputs = inputs;
    cascade.tasks = tasks;
    cascade.propagate_inputs = propagate_inputs;
    for (std::size_t l = 0; l < layers.size(); ++l) {
      Layer& layer = cascade.layers.emplace_back();
      for (std::size_t p = 0; p < layers[l].size(); ++p) {
        const Part& part = layers[l][p];
        ProcessSpec spec;
        spec.name = std::string("p").append(std::to_string(l)).append(std::to_string(p));
        spec.tasks = part.tasks;
        spec.kernel = part.kernel;
        spec.inputs = part.inputs;
        spec.inducing = 2;
        spec.width = part.width;
        spec.all_tasks = tasks;
        spec.Z_task = {0, 0};
        layer.processes.push_back(make_process(spec, parameters));
      }
    }
  }
};

TEST(FinishCascade, PlacesEachTasksOutputsInTheOrderOfTheProcesses) {
  Built b(2, 3,
          {{{{}, 2, 4}, {{0, 2}, 2, 1}, {{1}, 2, 3}, {{2}, 2, 2}},
           {{{0}, 5, 1}, {{1}, 7, 1}, {{2}, 7, 1}}});
  finish_cascade(b.cascade);
  const Layer& layer = b.cascade.layers[0];
  EXPECT_EQ(layer.width, (std::vector<Index>{5, 7, 7}));
  EXPECT_EQ(layer.offset,
            (std::vector<std::vector<Index>>{{0, 0, 0}, {4, -1, 4}, {-1, 4, -1}, {-1, -1, 5}}));
}

TEST(FinishCascade, NoTwoProcessesOfALayerShareADraw) {
  Built b(2, 1, {{{{}, 2, 4}, {{}, 2, 1}, {{}, 2, 3}, {{}, 2, 2}}});
  finish_cascade(b.cascade);
  const Layer& layer = b.cascade.layers[0];
  for (std::size_t p = 0; p + 1 < layer.processes.size(); ++p) {
    const Index pairs = (layer.processes[p].width + 1) / 2;
    EXPECT_GE(layer.first_pair[p + 1], layer.first_pair[p] + pairs) << p;
  }
}

TEST(FinishCascade, OutputsAreByRowUntilAProcessDependsOnTheTask) {
  Built b(1, 2, {{{{}, 1, 1}}, {{{}, 1, 1}, {{0}, 1, 1}, {{1}, 1, 1}}, {{{}, 2, 1}}});
  finish_cascade(b.cascade);
  EXPECT_TRUE(b.cascade.layers[0].by_row);
  EXPECT_FALSE(b.cascade.layers[1].by_row);
  EXPECT_FALSE(b.cascade.layers[2].by_row);
}

TEST(FinishCascade, CoregionalisedOutputsAreNotByRow) {
  Built b(1, 2, {{{{}, 1, 1, "rbf * coregion"}}, {{{}, 1, 1}}});
  finish_cascade(b.cascade);
  EXPECT_FALSE(b.cascade.layers[0].by_row);
}

TEST(FinishCascade, PropagatedInputsWidenTheNextLayer) {
  Built b(3, 1, {{{{}, 3, 2}}, {{{}, 5, 1}}}, true);
  EXPECT_NO_THROW(finish_cascade(b.cascade));
}

void expect_refused(Built b, const std::vector<std::string>& parts) {
  try {
    finish_cascade(b.cascade);
    FAIL() << "nothing thrown";
  } catch (const std::invalid_argument& e) {
    const std::string message = e.what();
    EXPECT_NE(message.find("finish_cascade"), std::string::npos) << message;
    for (const std::string& part : parts) {
      EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
    }
  }
}

TEST(FinishCascade, RefusesATaskThatNoProcessServes) {
  expect_refused(Built(1, 2, {{{{}, 1, 1}}, {{{0}, 1, 1}}}), {"layer 1", "task 1"});
}

TEST(FinishCascade, RefusesInputsThatAreNotTheWidthBelow) {
  expect_refused(Built(1, 1, {{{{}, 1, 3}}, {{{}, 2, 1}}}), {"inputs of p10", "is 2", "3"});
}

TEST(FinishCascade, RefusesATaskThatDoesNotExist) {
  expect_refused(Built(1, 2, {{{{0, 2}, 1, 1}, {{1}, 1, 1}}}), {"p00.tasks", "is 2"});
}

TEST(FinishCascade, RefusesTasksOutOfOrder) {
  expect_refused(Built(1, 2, {{{{1, 0}, 1, 1}}}), {"p00", "ascending"});
}

TEST(FinishCascade, RefusesNoLayer) {
  expect_refused(Built(1, 1, {}), {"number of layers", "is 0"});
}

TEST(FinishCascade, RefusesNoTask) { expect_refused(Built(1, 0, {{{{}, 1, 1}}}), {"tasks is 0"}); }

// A file of a few megabytes may name thousands of tasks with a process each.
TEST(FinishCascade, RefusesTooManyTasksWithTooManyProcesses) {
  const std::vector<Part> parts(40, Part{{}, 1, 1});
  expect_refused(Built(1, (1 << 20) - 1, {parts}), {"processes is 40", "at most 32"});
}

TEST(FinishCascade, RefusesAJitterOfZero) {
  Built b(1, 1, {{{{}, 1, 1}}});
  b.cascade.jitter = 0.0;
  expect_refused(b, {"jitter is 0"});
}

// Every model, through all layers, with the draws given.
struct Way {
  std::string model;
  Index depth, samples;
  Observed observed;
  bool propagate_inputs;
  MeanFunction mean;
  std::string kernel;
};

class CascadeTest : public ::testing::TestWithParam<Way> {};

TEST_P(CascadeTest, TopMomentsAreThoseOfTheTextbook) {
  const Way& way = GetParam();
  ModelSpec spec = fixture::small_spec(way.model, way.depth, fixture::gaussian_tasks());
  spec.propagate_inputs = way.propagate_inputs;
  for (LayerSpec& layer : spec.inner) {
    layer.mean = way.mean;
    layer.kernel = way.kernel;
  }
  if (!fixture::is_coregional(way.model)) spec.tasks[1] = {"softmax", 2};  // f of different widths
  const Model model = fixture::random_model(spec, 21);
  Random random(22);
  const Data data = fixture::random_data(model, 7, way.observed, random);
  const auto noise = fixture::random_noise(model, 7, way.samples, random);
  BoundOptions options;
  options.samples = way.samples;
  options.noise.given = &noise;
  TopValues top;
  Bound bound(model);
  bound(data.batch(), options, nullptr, &top);

  EXPECT_EQ(top.samples, model.cascade.deep() ? way.samples : 1);
  for (std::size_t k = 0; k < data.observations.size(); ++k) {
    const Observation& o = data.observations[k];
    for (Index s = 0; s < top.samples; ++s) {
      std::vector<Vector> eps;
      for (const auto& layer : noise) eps.emplace_back(layer[at(s)].row(o.row).transpose());
      const auto f = fixture::textbook_cascade(model, data.x.row(o.row), o.task, eps);
      const Index row = static_cast<Index>(k) * top.samples + s;
      for (Index c = 0; c < f.mean.size(); ++c) {
        EXPECT_NEAR(top.mean(row, c), f.mean[c], 1e-8) << "observation " << k << ", sample " << s;
        EXPECT_NEAR(top.variance(row, c), f.variance[c], 1e-8);
      }
    }
  }
}

using enum Observed;
INSTANTIATE_TEST_SUITE_P(
    Ways, CascadeTest,
    ::testing::Values(Way{"smdgp", 2, 1, one, false, MeanFunction::identity, "matern52"},
                      Way{"smdgp", 3, 3, mixed, true, MeanFunction::pca, "rbf + linear"},
                      Way{"smdgp", 4, 2, all, false, MeanFunction::zero, "matern32"},
                      Way{"mmdgp", 2, 3, mixed, false, MeanFunction::pca, "matern52"},
                      Way{"mmdgp", 3, 1, all, true, MeanFunction::identity, "rbf"},
                      Way{"mmdgp", 3, 2, one, false, MeanFunction::zero, "matern12"},
                      Way{"cmdgp", 2, 2, mixed, true, MeanFunction::identity, "matern52"},
                      Way{"cmdgp", 3, 1, one, false, MeanFunction::pca, "rbf + linear"},
                      Way{"idgp", 2, 1, all, false, MeanFunction::identity, "matern52"},
                      Way{"idgp", 3, 3, mixed, true, MeanFunction::pca, "rbf * linear"},
                      Way{"cgp", 1, 1, mixed, false, MeanFunction::zero, "rbf"},
                      Way{"igp", 1, 2, mixed, false, MeanFunction::zero, "rbf"}),
    [](const auto& test) { return test.param.model + std::to_string(test.index); });

// smdgp with a linear kernel on top is the semiparametric latent factor model (paper.tex eq. 8):
// task t is f = w · g(x) with a Gaussian prior on its weights w. Values u = Z w + e, e ~ N(0,
// jitter), with the posterior q(u), give by Bayes' rule for a linear model a posterior of w; f's
// moments must be those of w · h at the latent sample h.
class LinearMixing : public ::testing::Test {
 protected:
  LinearMixing() {
    ModelSpec spec = fixture::small_spec("smdgp", 2, fixture::gaussian_tasks());
    spec.top.kernel = "linear";
    model_ = fixture::random_model(spec, 31);
  }

  struct Weights {
    Vector mean;
    Matrix covariance;
  };
  Weights weights(int task) const {
    const Process& f = model_.cascade.layers[1].processes[at(task)];
    const Matrix Z = model_.parameters.view(f.Z);
    const Matrix V = Vector(model_.parameters.view(f.name + ".kernel.variance")).asDiagonal();
    const double jitter = model_.cascade.jitter;
    const Matrix Kuu = Z * V * Z.transpose() + jitter * Matrix::Identity(Z.rows(), Z.rows());
    const Matrix root = fixture::cholesky(Kuu);
    const Vector u_mean = root * Vector(model_.parameters.view(f.q_mu));
    const Matrix u_root = root * q_sqrt_triangle(f, model_.parameters, 0);
    // w | u has precision V⁻¹ + Zᵀ Z / jitter and mean (its covariance) Zᵀ u / jitter.
    const Matrix C = fixture::inverse(fixture::inverse(V) + Z.transpose() * Z / jitter);
    const Matrix G = C * Z.transpose() / jitter;
    return {G * u_mean, C + G * u_root * u_root.transpose() * G.transpose()};
  }

  Model model_;
};

TEST_F(LinearMixing, TopMomentsAreThoseOfABayesianLinearModelOfTheLatents) {
  ASSERT_GE(model_.cascade.layers[1].processes[0].inducing, model_.cascade.layers[0].width[0]);
  Random random(32);
  const Data data = fixture::random_data(model_, 6, all, random);
  const auto noise = fixture::random_noise(model_, 6, 1, random);
  BoundOptions options;
  options.noise.given = &noise;
  TopValues top;
  Bound bound(model_);
  bound(data.batch(), options, nullptr, &top);
  for (std::size_t k = 0; k < data.observations.size(); ++k) {
    const Observation& o = data.observations[k];
    Vector h(model_.cascade.layers[0].width[0]);
    Index column = 0;
    for (const Process& g : model_.cascade.layers[0].processes) {
      const auto latent = fixture::textbook_conditional(g, model_.parameters, model_.cascade.jitter,
                                                        data.x.row(o.row), o.task);
      for (Index c = 0; c < g.width; ++c, ++column) {
        h[column] = latent.mean[c] + std::sqrt(latent.variance[c]) * noise[0][0](o.row, column);
      }
    }
    const Weights w = weights(o.task);
    EXPECT_NEAR(top.mean(static_cast<Index>(k), 0), w.mean.dot(h), 1e-6);
    EXPECT_NEAR(top.variance(static_cast<Index>(k), 0), h.dot(w.covariance * h), 1e-6);
  }
}

TEST_F(LinearMixing, MeanIsLinearAndVarianceQuadraticInTheLatents) {
  Random random(33);
  const Process& f = model_.cascade.layers[1].processes[0];
  Matrix h(4, 3);  // a, b, 2a, a + b
  h.topRows(2) = random.normals(2, 3);
  h.row(2) = 2.0 * h.row(0);
  h.row(3) = h.row(0) + h.row(1);
  Prepared prepared;
  prepared.prepare(f, model_.parameters, model_.cascade.jitter, nullptr);
  Tape tape;
  tape.set_recording(false);
  const Moments m = conditional(tape, f, prepared, fixture::no_adjoints(model_.parameters),
                                {constant(view_of(std::as_const(h))), nullptr});
  EXPECT_NEAR(m.mean.value(2, 0), 2.0 * m.mean.value(0, 0), 1e-8);
  EXPECT_NEAR(m.mean.value(3, 0), m.mean.value(0, 0) + m.mean.value(1, 0), 1e-8);
  EXPECT_NEAR(m.variance.value(2, 0), 4.0 * m.variance.value(0, 0), 1e-8);
}

}  // namespace
}  // namespace mdgp
