// The bound's gradient for every parameter of every model, and how its parts are put together.
#include "mdgp/inference/bound.h"

#include <gtest/gtest.h>

#include <numeric>

#include "mdgp/autodiff/gradient_check.h"
#include "mdgp/linalg/parallel.h"
#include "testing/random_model.h"

namespace mdgp {
namespace {

using fixture::Data;
using fixture::Observed;
using fixture::Random;
using enum Observed;

// Likelihoods mixed over tasks: of different widths where tops are separate, of one where they are
// not.
std::vector<TaskSpec> mixed_tasks(std::string_view model, bool second) {
  if (fixture::is_coregional(model)) {
    if (second) return {{"robustmax", 2}, {"softmax", 2}};
    return {{"gaussian"}, {"student_t"}, {"bernoulli"}, {"poisson"}};
  }
  if (second) return {{"student_t"}, {"softmax", 2}, {"poisson"}};
  return {{"gaussian"}, {"robustmax", 3}, {"bernoulli"}};
}

struct Way {
  std::string model;
  Index depth, samples;
  bool second_tasks;
  Observed observed;
  bool propagate_inputs;
  MeanFunction mean;
  std::string kernel;
  bool ard;
};

class GradientTest : public ::testing::TestWithParam<Way> {
 protected:
  GradientTest() : threads_(num_threads()) { set_num_threads(1); }
  ~GradientTest() override { set_num_threads(threads_); }

 private:
  int threads_;
};

constexpr auto kZero = MeanFunction::zero, kIdentity = MeanFunction::identity,
               kPca = MeanFunction::pca;
INSTANTIATE_TEST_SUITE_P(
    Ways, GradientTest,
    ::testing::Values(Way{"smdgp", 2, 1, false, one, false, kIdentity, "matern52", true},
                      Way{"smdgp", 2, 3, true, mixed, true, kPca, "rbf + linear", true},
                      Way{"smdgp", 3, 1, true, all, false, kZero, "matern52", false},
                      Way{"smdgp", 3, 3, false, mixed, true, kIdentity, "rbf + linear", false},
                      Way{"mmdgp", 2, 1, true, mixed, true, kZero, "matern52", true},
                      Way{"mmdgp", 2, 3, false, all, false, kPca, "rbf + linear", false},
                      Way{"mmdgp", 3, 1, false, mixed, false, kIdentity, "rbf + linear", true},
                      Way{"mmdgp", 3, 3, true, one, true, kPca, "matern52", false},
                      Way{"cmdgp", 2, 1, false, all, false, kPca, "matern52", true},
                      Way{"cmdgp", 2, 3, true, one, true, kIdentity, "rbf + linear", false},
                      Way{"cmdgp", 3, 1, true, mixed, true, kZero, "matern52", true},
                      Way{"cmdgp", 3, 3, false, mixed, false, kIdentity, "matern52", false},
                      Way{"idgp", 2, 1, false, mixed, false, kZero, "rbf + linear", true},
                      Way{"idgp", 2, 3, true, all, true, kPca, "matern52", false},
                      Way{"idgp", 3, 1, true, one, true, kIdentity, "matern52", true},
                      Way{"idgp", 3, 3, false, mixed, false, kPca, "rbf + linear", false},
                      Way{"cgp", 1, 1, false, mixed, false, kZero, "matern52", true},
                      Way{"cgp", 1, 3, true, all, false, kZero, "rbf + linear", false},
                      Way{"igp", 1, 1, false, mixed, false, kZero, "rbf + linear", true},
                      Way{"igp", 1, 3, true, one, false, kZero, "matern52", false}),
    [](const auto& test) {
      const Way& w = test.param;
      return w.model + "_depth" + std::to_string(w.depth) + "_samples" + std::to_string(w.samples) +
             (w.second_tasks ? "_b" : "_a");
    });

TEST_P(GradientTest, IsThatOfDifferencesForEveryParameter) {
  const Way& way = GetParam();
  ModelSpec spec =
      fixture::small_spec(way.model, way.depth, mixed_tasks(way.model, way.second_tasks));
  spec.propagate_inputs = way.propagate_inputs;
  for (LayerSpec& layer : spec.inner) {
    layer.mean = way.mean;
    layer.kernel = way.kernel;
    layer.ard = way.ard;
  }
  spec.top.kernel = way.kernel;
  spec.top.ard = way.ard;
  Model model = fixture::random_model(spec, 41);
  Random random(42);
  const Data data = fixture::random_data(model, 6, way.observed, random);
  BoundOptions options;
  options.samples = way.samples;
  options.kl_weight = 0.3;
  options.noise = {7, 3, nullptr};
  if (way.samples == 1) {
    options.num_data = 20.0;
  } else {
    for (std::size_t t = 0; t < spec.tasks.size(); ++t) {
      options.task_scale.push_back(1.5 + static_cast<double>(t));
    }
  }
  Bound bound(model);
  Vector gradient;
  const double value = bound(data.batch(), options, &gradient).bound;
  EXPECT_DOUBLE_EQ(bound(data.batch(), options).bound, value);

  ASSERT_EQ(gradient.size(), model.parameters.size());
  const std::vector<bool> is_free = fixture::free_elements(model);
  for (const Parameter& p : model.parameters.table) {
    std::vector<Index> elements;
    for (Index i = p.offset; i < p.offset + p.size(); ++i) {
      if (is_free[at(i)]) {
        elements.push_back(i);
      } else {
        EXPECT_EQ(gradient[i], 0.0) << p.name << ", above the diagonal";
      }
    }
    const Vector x = model.parameters.values(elements), g = gradient(elements);
    const auto f = [&](const Vector& moved) {
      model.parameters.values(elements) = moved;
      return bound(data.batch(), options).bound;
    };
    const GradientCheck check = check_gradient(f, x, g);
    model.parameters.values(elements) = x;
    EXPECT_LT(check.worst_error, 1e-7) << p.name << " element " << check.worst_index << ": "
                                       << check.analytic << ", differences " << check.numeric;
  }
}

class BoundTest : public ::testing::TestWithParam<std::string> {
 protected:
  BoundTest() {
    ModelSpec spec = fixture::small_spec(GetParam(), 3, mixed_tasks(GetParam(), false));
    model_ = fixture::random_model(spec, 51);
    Random random(52);
    data_ = fixture::random_data(model_, 9, mixed, random);
    noise_ = fixture::random_noise(model_, 9, 2, random);
    options_.samples = 2;
    options_.noise = {5, 6, nullptr};
  }

  BoundValue evaluate(const Data& data, Vector* gradient = nullptr) {
    Bound bound(model_);
    return bound(data.batch(), options_, gradient);
  }

  // The observations that `keep` says, of the same rows.
  template <class Keep>
  Data only(Keep keep) const {
    Data some = data_;
    some.observations.clear();
    for (std::size_t k = 0; k < data_.observations.size(); ++k) {
      if (keep(k)) some.observations.push_back(data_.observations[k]);
    }
    return some;
  }

  Model model_;
  Data data_;
  fixture::GivenNoise noise_;
  BoundOptions options_;
};

INSTANTIATE_TEST_SUITE_P(Models, BoundTest, ::testing::ValuesIn(fixture::kModels),
                         [](const auto& test) { return test.param; });

TEST_P(BoundTest, IsExpectedLogLikelihoodLessWeightedKl) {
  options_.kl_weight = 0.3;
  const BoundValue value = evaluate(data_);
  EXPECT_DOUBLE_EQ(value.bound, value.expected_log_likelihood - 0.3 * value.kl);
}

TEST_P(BoundTest, KlIsTheSumOverProcesses) {
  double kl = 0.0;
  for_processes(model_.cascade, [&](const Process& process, std::size_t, std::size_t) {
    kl += kl_divergence(process, model_.parameters, 1.0, nullptr);
  });
  EXPECT_DOUBLE_EQ(evaluate(data_).kl, kl);
}

TEST_P(BoundTest, KlHasNoWeightInKl) {
  const double kl = evaluate(data_).kl;
  options_.kl_weight = 0.0;
  EXPECT_EQ(evaluate(data_).kl, kl);
}

TEST_P(BoundTest, NumDataScalesTheLikelihoodToThatManyObservations) {
  const double plain = evaluate(data_).expected_log_likelihood;
  options_.num_data = 1000.0;
  const double scale = 1000.0 / static_cast<double>(data_.observations.size());
  EXPECT_NEAR(evaluate(data_).expected_log_likelihood, scale * plain,
              1e-9 * std::abs(scale * plain));
}

TEST_P(BoundTest, TaskScaleScalesEachTask) {
  double expected = 0.0;
  std::vector<double> scales;
  for (std::size_t t = 0; t < model_.likelihoods.size(); ++t) {
    scales.push_back(0.5 + static_cast<double>(t * t));
    const Data task = only([&](std::size_t k) { return at(data_.observations[k].task) == t; });
    expected += scales[t] * evaluate(task).expected_log_likelihood;
  }
  options_.task_scale = scales;
  EXPECT_NEAR(evaluate(data_).expected_log_likelihood, expected, 1e-10 * std::abs(expected));
}

// A row has the same draws in whatever batch it comes, so the parts of a batch add up exactly, even
// where a row's observations are in different parts.
TEST_P(BoundTest, ExpectedLogLikelihoodsOfAPartitionAddUp) {
  Vector whole, part;
  options_.kl_weight = 0.0;
  const double expected = evaluate(data_, &whole).expected_log_likelihood;
  double sum = 0.0;
  Vector gradient = Vector::Zero(whole.size());
  for (std::size_t i = 0; i < 3; ++i) {
    sum += evaluate(only([&](std::size_t k) { return k % 3 == i; }), &part).expected_log_likelihood;
    gradient += part;
  }
  EXPECT_NEAR(sum, expected, 1e-11 * std::abs(expected));
  EXPECT_LT((gradient - whole).cwiseAbs().maxCoeff(), 1e-11 * whole.cwiseAbs().maxCoeff());
}

// With each part scaled to all of the data, their mean, weighted by size, is that of the whole.
TEST_P(BoundTest, ScaledMinibatchesAverageToTheFullBound) {
  const auto total = static_cast<double>(data_.observations.size());
  options_.num_data = total;
  const double expected = evaluate(data_).bound;
  double mean = 0.0;
  for (std::size_t i = 0; i < 2; ++i) {
    const Data part = only([&](std::size_t k) { return (k < 5) == (i == 0); });
    mean += static_cast<double>(part.observations.size()) / total * evaluate(part).bound;
  }
  EXPECT_NEAR(mean, expected, 1e-11 * std::abs(expected));
}

TEST_P(BoundTest, RowOfSeveralTasksIsThatRowOnceForEach) {
  Data split;
  const auto count = static_cast<Index>(data_.observations.size());
  split.x.resize(count, data_.x.cols());
  fixture::GivenNoise split_noise = noise_;
  for (auto& layer : split_noise) {
    for (Matrix& eps : layer) eps.resize(count, eps.cols());
  }
  for (Index k = 0; k < count; ++k) {
    Observation o = data_.observations[at(k)];
    split.x.row(k) = data_.x.row(o.row);
    for (std::size_t l = 0; l < noise_.size(); ++l) {
      for (std::size_t s = 0; s < 2; ++s) split_noise[l][s].row(k) = noise_[l][s].row(o.row);
    }
    o.row = k;
    split.observations.push_back(o);
  }
  Vector together, apart;
  options_.noise.given = &noise_;
  const BoundValue expected = evaluate(data_, &together);
  options_.noise.given = &split_noise;
  EXPECT_NEAR(evaluate(split, &apart).bound, expected.bound, 1e-11 * std::abs(expected.bound));
  EXPECT_LT((apart - together).cwiseAbs().maxCoeff(), 1e-11 * together.cwiseAbs().maxCoeff());
}

TEST_P(BoundTest, RowsWithoutObservationsChangeNothing) {
  Data more = data_;
  more.x.conservativeResize(12, Eigen::NoChange);
  more.x.bottomRows(3).setConstant(0.5);
  more.row_id.resize(12, 99);
  EXPECT_EQ(evaluate(more).bound, evaluate(data_).bound);
}

TEST_P(BoundTest, WithoutIdsRowsAreNamedByTheirNumber) {
  Data numbered = data_, unnamed = data_;
  std::iota(numbered.row_id.begin(), numbered.row_id.end(), std::uint64_t{0});
  unnamed.row_id.clear();
  EXPECT_EQ(evaluate(unnamed).bound, evaluate(numbered).bound);
}

TEST_P(BoundTest, SeedAndStepChangeTheDrawsOfDeepModelsOnly) {
  const double before = evaluate(data_).bound;
  options_.noise.step += 1;
  const double other_step = evaluate(data_).bound;
  options_.noise.step -= 1;
  options_.noise.seed += 1;
  const double other_seed = evaluate(data_).bound;
  EXPECT_EQ(other_step != before, fixture::is_deep(GetParam()));
  EXPECT_EQ(other_seed != before, fixture::is_deep(GetParam()));
}

}  // namespace
}  // namespace mdgp
