#include "mdgp/metrics/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mdgp/metrics/metrics.h"
#include "testing/fitted_model.h"

namespace mdgp {
namespace {

// A task of each kind, and random rows observed for some of them.
class Evaluate : public testing::TestWithParam<std::string> {
 protected:
  static ModelSpec spec() {
    return fixture::small_spec(
        GetParam(), 2, {{"gaussian"}, {"bernoulli"}, {"softmax", 3}, {"poisson"}, {"student_t"}});
  }
  FittedModel fitted = fixture::fitted_model(spec(), 4);
  Posterior posterior{fitted.model};
  DataSet data = rows(40, fixture::Observed::mixed);
  PredictOptions options{.samples = 4, .seed = 3};

  DataSet rows(Index n, fixture::Observed observed) const {
    fixture::Random random(8);
    fixture::Data made = fixture::random_data(fitted.model, n, observed, random);
    return {made.x, made.observations};
  }

  Evaluation evaluation() const {
    Evaluator evaluator(posterior, fitted.schema, options);
    evaluator.add(data);
    return evaluator.finish();
  }

  // The rows and targets of a task, in the order of the observations.
  struct Observed {
    Matrix x;
    Vector y;
    Mixture f;
  };
  Observed observed(int task) const {
    std::vector<Index> at;
    std::vector<double> targets;
    for (const Observation& o : data.observations) {
      if (o.task != task) continue;
      at.push_back(o.row);
      targets.push_back(o.y);
    }
    Observed o{data.x(at, Eigen::all), Eigen::Map<Vector>(targets.data(), std::ssize(targets)), {}};
    PredictOptions how = options;
    how.rows.assign(at.begin(), at.end());
    o.f = posterior.latent(view_of(std::as_const(o.x)), task, how);
    return o;
  }
};
INSTANTIATE_TEST_SUITE_P(Models, Evaluate, testing::Values("igp", "mmdgp"));

double score(const Scores& scores, std::string_view name) {
  for (const auto& [key, value] : scores) {
    if (key == name) return value;
  }
  ADD_FAILURE() << "no score " << name;
  return std::nan("");
}

std::vector<std::string> names(const Scores& scores) {
  std::vector<std::string> list;
  for (const auto& [name, value] : scores) list.push_back(name);
  return list;
}

TEST_P(Evaluate, HasTheScoresOfEachKind) {
  const std::vector<TaskScores> tasks = evaluation().tasks;
  ASSERT_EQ(tasks.size(), 5U);
  using Names = std::vector<std::string>;
  const Names regression = {"rmse",  "smse",       "nlpp",       "srmse",
                            "snlpp", "coverage50", "coverage80", "coverage95"};
  EXPECT_EQ(names(tasks[0].scores), regression);
  EXPECT_EQ(names(tasks[4].scores), regression);
  EXPECT_EQ(names(tasks[1].scores),
            (Names{"accuracy", "log_loss", "roc_auc", "calibration_error"}));
  EXPECT_EQ(names(tasks[2].scores), (Names{"accuracy", "log_loss", "calibration_error"}));
  EXPECT_EQ(names(tasks[3].scores),
            (Names{"rmse", "smse", "nlpp", "coverage50", "coverage80", "coverage95"}));
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    EXPECT_EQ(tasks[t].task, fitted.schema.tasks[t].name);
    EXPECT_EQ(tasks[t].kind, fitted.schema.tasks[t].kind);
    EXPECT_EQ(tasks[t].rows, observed(static_cast<int>(t)).y.size());
  }
}

TEST_P(Evaluate, RegressionIsInTheTargetsUnits) {
  const Evaluation e = evaluation();
  for (const int t : {0, 4}) {
    const Scores& scores = e.tasks[static_cast<std::size_t>(t)].scores;
    const TaskColumn& column = fitted.schema.tasks[static_cast<std::size_t>(t)];
    const Observed o = observed(t);
    // As a table would have them.
    const Vector mean = posterior.predict(o.f, t).mean.col(0);
    const Vector y = o.y * column.deviation + Vector::Constant(o.y.size(), column.mean);
    const Vector predicted = mean * column.deviation + Vector::Constant(mean.size(), column.mean);
    const Vector density = posterior.log_density(o.f, t, o.y);
    EXPECT_NEAR(score(scores, "rmse"), rmse(y, predicted), 1e-12);
    EXPECT_NEAR(score(scores, "smse"), smse(y, predicted), 1e-12);
    EXPECT_NEAR(score(scores, "nlpp"), nlpp(density) + std::log(column.deviation), 1e-12);
    EXPECT_NEAR(score(scores, "srmse"), rmse(o.y, mean), 1e-12);
    EXPECT_NEAR(score(scores, "snlpp"), nlpp(density), 1e-12);
    EXPECT_NEAR(score(scores, "rmse"), column.deviation * score(scores, "srmse"), 1e-12);
    EXPECT_NEAR(score(scores, "nlpp"), score(scores, "snlpp") + std::log(column.deviation), 1e-12);
  }
}

TEST_P(Evaluate, CoverageIsThatOfTheQuantiles) {
  const Evaluation e = evaluation();
  for (const int t : {0, 4}) {
    const Observed o = observed(t);
    for (const auto& [name, level] :
         {std::pair("coverage50", 0.5), std::pair("coverage95", 0.95)}) {
      const Matrix q = posterior.quantiles(o.f, t, {0.5 - level / 2, 0.5 + level / 2});
      EXPECT_NEAR(score(e.tasks[static_cast<std::size_t>(t)].scores, name),
                  coverage(o.y, q.col(0), q.col(1)), 1e-12);
    }
  }
}

TEST_P(Evaluate, LabelsFromTheirProbabilities) {
  const Evaluation e = evaluation();
  for (const int t : {1, 2}) {
    const Scores& scores = e.tasks[static_cast<std::size_t>(t)].scores;
    const Observed o = observed(t);
    const Matrix mean = posterior.predict(o.f, t).mean;
    Matrix probability = mean;
    if (t == 1) {
      probability.resize(mean.rows(), 2);
      probability << (1.0 - mean.array()).matrix(), mean;
    }
    std::vector<int> label;
    double loss = 0.0;
    int right = 0;
    for (Index i = 0; i < o.y.size(); ++i) {
      label.push_back(static_cast<int>(o.y[i]));
      loss -= std::log(probability(i, label.back())) / static_cast<double>(o.y.size());
      Index best = 0;
      probability.row(i).maxCoeff(&best);
      right += best == label.back() ? 1 : 0;
    }
    EXPECT_NEAR(score(scores, "log_loss"), loss, 1e-12);
    EXPECT_NEAR(score(scores, "accuracy"), right / static_cast<double>(o.y.size()), 1e-12);
    EXPECT_NEAR(score(scores, "calibration_error"),
                calibration_error(label, view_of(std::as_const(probability))), 1e-12);
    if (t == 1) {
      EXPECT_NEAR(score(scores, "roc_auc"), roc_auc(label, mean.col(0)), 1e-12);
      // The model's own density says the same.
      EXPECT_NEAR(score(scores, "log_loss"), nlpp(posterior.log_density(o.f, t, o.y)), 1e-9);
    }
  }
}

// The share of the interval [P(Y < y), P(Y <= y)] that is inside the level's.
TEST_P(Evaluate, CountsHaveARangeInTheirDistribution) {
  const Scores scores = evaluation().tasks[3].scores;
  const Observed o = observed(3);
  const Vector mean = posterior.predict(o.f, 3).mean.col(0);
  EXPECT_NEAR(score(scores, "rmse"), rmse(o.y, mean), 1e-12);
  EXPECT_NEAR(score(scores, "smse"), smse(o.y, mean), 1e-12);
  EXPECT_NEAR(score(scores, "nlpp"), nlpp(posterior.log_density(o.f, 3, o.y)), 1e-12);
  const Vector at = posterior.distribution(o.f, 3, o.y);
  const Vector probability = posterior.log_density(o.f, 3, o.y).array().exp();
  for (const auto& [name, level] : {std::pair("coverage50", 0.5), std::pair("coverage95", 0.95)}) {
    double sum = 0.0;
    for (Index i = 0; i < o.y.size(); ++i) {
      // Points spread over the range, each inside or not.
      int inside = 0;
      for (int k = 0; k < 20000; ++k) {
        const double u = at[i] - probability[i] * (k + 0.5) / 20000.0;
        inside += std::abs(u - 0.5) <= level / 2 ? 1 : 0;
      }
      sum += inside / 20000.0;
    }
    EXPECT_NEAR(score(scores, name), sum / static_cast<double>(o.y.size()), 1e-4);
  }
}

TEST_P(Evaluate, OverallIsTheMeanOverTheTasksThatHaveAScore) {
  const Evaluation e = evaluation();
  const auto value = [&](std::size_t t, const char* name) {
    return score(e.tasks[t].scores, name);
  };
  EXPECT_NEAR(score(e.overall, "rmse"),
              (value(0, "rmse") + value(3, "rmse") + value(4, "rmse")) / 3.0, 1e-12);
  EXPECT_NEAR(score(e.overall, "srmse"), (value(0, "srmse") + value(4, "srmse")) / 2.0, 1e-12);
  EXPECT_NEAR(score(e.overall, "accuracy"), (value(1, "accuracy") + value(2, "accuracy")) / 2.0,
              1e-12);
  EXPECT_NEAR(score(e.overall, "roc_auc"), value(1, "roc_auc"), 1e-12);
  EXPECT_EQ(e.overall.size(), 12U);
  EXPECT_EQ(e.overall.front().first, "rmse");
}

void expect_alike(const Evaluation& a, const Evaluation& b) {
  ASSERT_EQ(a.tasks.size(), b.tasks.size());
  for (std::size_t t = 0; t < a.tasks.size(); ++t) {
    EXPECT_EQ(a.tasks[t].rows, b.tasks[t].rows);
    for (const auto& [name, value] : a.tasks[t].scores) {
      EXPECT_NEAR(score(b.tasks[t].scores, name), value, 1e-9) << a.tasks[t].task << " " << name;
    }
  }
}

TEST_P(Evaluate, PiecesGiveWhatTheWholeGives) {
  Evaluator evaluator(posterior, fitted.schema, options);
  for (const auto& [first, count] : {std::pair(Index{0}, Index{7}), std::pair(Index{7}, Index{20}),
                                     std::pair(Index{27}, Index{13})}) {
    DataSet piece{data.x.middleRows(first, count), {}};
    std::vector<std::uint64_t> numbers(at(count));
    std::iota(numbers.begin(), numbers.end(), static_cast<std::uint64_t>(first));
    for (const Observation& o : data.observations) {
      if (o.row >= first && o.row < first + count) {
        piece.observations.push_back({o.row - first, o.task, o.y});
      }
    }
    evaluator.add(piece, numbers);
  }
  expect_alike(evaluator.finish(), evaluation());
}

TEST_P(Evaluate, LeavesOutWhatWasNotObserved) {
  std::erase_if(data.observations, [](const Observation& o) { return o.task != 2; });
  const Evaluation e = evaluation();
  ASSERT_EQ(e.tasks.size(), 1U);
  EXPECT_EQ(e.tasks[0].task, "y2");
  EXPECT_EQ(names(e.overall), names(e.tasks[0].scores));
  data.observations.clear();
  EXPECT_TRUE(evaluation().tasks.empty());
  EXPECT_TRUE(evaluation().overall.empty());
}

// Where all labels are one there is no pair to put in order.
TEST_P(Evaluate, ScoresThatAreNotDefinedDoNotCount) {
  std::erase_if(data.observations, [](const Observation& o) { return o.task == 1 && o.y == 0.0; });
  const Evaluation e = evaluation();
  EXPECT_TRUE(std::isnan(score(e.tasks[1].scores, "roc_auc")));
  for (const auto& [name, value] : e.overall) EXPECT_NE(name, "roc_auc");
}

}  // namespace
}  // namespace mdgp
