// What must not change the bound: the order of rows and tasks, the number of threads, a second
// evaluation; and how samples are averaged.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "mdgp/linalg/parallel.h"
#include "testing/random_model.h"

namespace mdgp {
namespace {

using fixture::Data;
using fixture::GivenNoise;
using fixture::Observed;
using fixture::Random;

struct Result {
  BoundValue value;
  Vector gradient;
};

class InvarianceTest : public ::testing::TestWithParam<std::string> {
 protected:
  InvarianceTest() : threads_(num_threads()) {
    model_ = fixture::random_model(
        fixture::small_spec(GetParam(), 3, {{"gaussian"}, {"student_t"}, {"poisson"}}), 61);
  }
  ~InvarianceTest() override { set_num_threads(threads_); }

  static Result evaluate(const Model& model, const Data& data, const BoundOptions& options) {
    Bound bound(model);
    Result result;
    result.value = bound(data.batch(), options, &result.gradient);
    return result;
  }

  static void expect_near(const Result& a, const Result& b) {
    EXPECT_NEAR(a.value.bound, b.value.bound, 1e-12 * std::abs(b.value.bound));
    EXPECT_NEAR(a.value.kl, b.value.kl, 1e-12 * b.value.kl);
    EXPECT_LT((a.gradient - b.gradient).cwiseAbs().maxCoeff(),
              1e-11 * b.gradient.cwiseAbs().maxCoeff());
  }

  static void expect_same_bits(const Result& a, const Result& b) {
    EXPECT_EQ(a.value.bound, b.value.bound);
    EXPECT_EQ(a.value.expected_log_likelihood, b.value.expected_log_likelihood);
    EXPECT_EQ(a.value.kl, b.value.kl);
    ASSERT_EQ(a.gradient.size(), b.gradient.size());
    EXPECT_EQ(
        std::memcmp(a.gradient.data(), b.gradient.data(), sizeof(double) * at(a.gradient.size())),
        0)
        << "largest difference " << (a.gradient - b.gradient).cwiseAbs().maxCoeff();
  }

  Model model_;
  Random random_{62};

 private:
  int threads_;
};

INSTANTIATE_TEST_SUITE_P(Models, InvarianceTest, ::testing::ValuesIn(fixture::kModels),
                         [](const auto& test) { return test.param; });

TEST_P(InvarianceTest, SameBitsWithAnyNumberOfThreads) {
  const Data data = fixture::random_data(model_, 700, Observed::mixed, random_);
  BoundOptions options;
  options.samples = 2;
  options.num_data = 1e4;
  set_num_threads(1);
  const Result one = evaluate(model_, data, options);
  for (const int threads : {2, 3}) {
    set_num_threads(threads);
    SCOPED_TRACE(threads);
    expect_same_bits(evaluate(model_, data, options), one);
  }
}

TEST_P(InvarianceTest, SameBitsWhenEvaluatedAgain) {
  const Data data = fixture::random_data(model_, 700, Observed::one, random_);
  const Data other = fixture::random_data(model_, 30, Observed::all, random_);
  Bound bound(model_);
  const auto evaluate_again = [&] {
    Result result;
    result.value = bound(data.batch(), {}, &result.gradient);
    return result;
  };
  const Result first = evaluate_again();
  expect_same_bits(evaluate_again(), first);
  Vector gradient;
  BoundOptions options;
  options.samples = 3;
  bound(other.batch(), options, &gradient);  // leaves nothing behind
  expect_same_bits(evaluate_again(), first);
}

TEST_P(InvarianceTest, SameBitsWithAndWithoutGradient) {
  const Data data = fixture::random_data(model_, 700, Observed::mixed, random_);
  Bound bound(model_);
  Vector gradient;
  const double with = bound(data.batch(), {}, &gradient).bound;
  EXPECT_EQ(bound(data.batch(), {}).bound, with);
}

TEST_P(InvarianceTest, OrderOfRowsChangesNothing) {
  const Data data = fixture::random_data(model_, 300, Observed::mixed, random_);
  std::vector<Index> order(300);  // row order[i] comes to place i
  std::iota(order.begin(), order.end(), Index{0});
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  Data permuted;
  permuted.x = data.x(order, Eigen::all);
  permuted.row_id.resize(300);
  for (std::size_t i = 0; i < 300; ++i) {
    permuted.row_id[i] = data.row_id[at(order[i])];
    for (const Observation& o : data.observations) {
      if (o.row == order[i]) permuted.observations.push_back({static_cast<Index>(i), o.task, o.y});
    }
  }
  BoundOptions options;
  options.samples = 2;
  expect_near(evaluate(model_, permuted, options), evaluate(model_, data, options));
}

TEST_P(InvarianceTest, OrderOfObservationsChangesNothing) {
  const Data data = fixture::random_data(model_, 40, Observed::all, random_);
  Data permuted = data;
  std::shuffle(permuted.observations.begin(), permuted.observations.end(), std::mt19937(4));
  expect_near(evaluate(model_, permuted, {}), evaluate(model_, data, {}));
}

// The name that a parameter has once task t is called to[t]: "f<t>", "h<layer>_<t>_<number>" (this
// test's models are three layers deep), "likelihood<t>".
std::string renamed(std::string name, const std::vector<int>& to, bool coregional) {
  const auto digit = [&](std::size_t place) {
    name[place] = static_cast<char>('0' + to[at(name[place] - '0')]);
  };
  if (name.starts_with("likelihood")) {
    digit(10);
  } else if (name[0] == 'h') {
    digit(3);
  } else if (name[0] == 'f' && !coregional) {
    digit(1);
  }
  return name;
}

TEST_P(InvarianceTest, OrderOfTasksChangesNothing) {
  const std::vector<int> to = {2, 0, 1};
  const bool coregional = fixture::is_coregional(GetParam());
  Model permuted =
      make_model(fixture::small_spec(GetParam(), 3, {{"student_t"}, {"poisson"}, {"gaussian"}}));
  // Puts values (or a gradient) of the model where the permuted one has them.
  const auto move = [&](const Vector& from) {
    Vector result(permuted.parameters.size());
    for (const Parameter& p : model_.parameters.table) {
      const Parameter& q =
          permuted.parameters[permuted.parameters.find(renamed(p.name, to, coregional))];
      Matrix block = make_view(from.data() + p.offset, p.rows, p.cols);
      if (p.name.find(".coregion.") != std::string::npos) {
        const Matrix before = block;
        for (std::size_t t = 0; t < 3; ++t) block.row(to[t]) = before.row(static_cast<Index>(t));
      }
      make_view(result.data() + q.offset, q.rows, q.cols) = block;
    }
    return result;
  };
  permuted.parameters.values = move(model_.parameters.values);
  for_processes(permuted.cascade, [&](Process& process, std::size_t, std::size_t) {
    for (int& t : process.Z_task) t = to[at(t)];
  });
  const Data data = fixture::random_data(model_, 40, Observed::mixed, random_);
  Data permuted_data = data;
  for (Observation& o : permuted_data.observations) o.task = to[at(o.task)];
  const GivenNoise noise = fixture::random_noise(model_, 40, 2, random_);
  BoundOptions options;
  options.samples = 2;
  options.noise.given = &noise;

  Result expected = evaluate(model_, data, options);
  expected.gradient = move(expected.gradient);
  expect_near(evaluate(permuted, permuted_data, options), expected);
}

TEST_P(InvarianceTest, BoundOfFourSamplesIsTheMeanOfFourOfOne) {
  const Data data = fixture::random_data(model_, 20, Observed::mixed, random_);
  const GivenNoise noise = fixture::random_noise(model_, 20, 4, random_);
  BoundOptions options;
  Result mean;
  mean.gradient = Vector::Zero(model_.parameters.size());
  for (std::size_t s = 0; s < 4; ++s) {
    GivenNoise one;
    for (const auto& layer : noise) one.push_back({layer[s]});
    options.noise.given = &one;
    const Result result = evaluate(model_, data, options);
    mean.value.bound += result.value.bound / 4.0;
    mean.value.kl = result.value.kl;
    mean.gradient += result.gradient / 4.0;
  }
  options.samples = 4;
  options.noise.given = &noise;
  expect_near(evaluate(model_, data, options), mean);
}

// A sample's draws do not depend on how many there are, so more of them only add to the mean.
TEST_P(InvarianceTest, FirstSampleIsTheSameAmongMany) {
  const Data data = fixture::random_data(model_, 20, Observed::mixed, random_);
  Bound bound(model_);
  TopValues one, three;
  BoundOptions options;
  bound(data.batch(), options, nullptr, &one);
  options.samples = 3;
  bound(data.batch(), options, nullptr, &three);
  for (Index k = 0; k < static_cast<Index>(data.observations.size()); ++k) {
    EXPECT_NEAR(three.mean(k * three.samples, 0), one.mean(k, 0), 1e-12);
  }
}

}  // namespace
}  // namespace mdgp
