#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "faims_data.h"
#include "mdgp/data/reduce.h"
#include "mdgp/random/order.h"

namespace mdgp::experiments {
namespace {

constexpr double kTrainingShare = 0.7;

Index training_of(Index subjects) {
  return static_cast<Index>(std::lround(kTrainingShare * static_cast<double>(subjects)));
}

struct Split {
  std::vector<Index> train, test;  // subjects
};

// The same share of cases and of controls.
Split split(const std::vector<int>& label, int run, std::uint64_t seed) {
  const DrawKey key{seed, Purpose::data, static_cast<std::uint32_t>(run)};
  Split result;
  for (const int wanted : {0, 1}) {
    std::vector<Index> subjects;
    for (std::size_t i = 0; i < label.size(); ++i) {
      if (label[i] == wanted) subjects.push_back(static_cast<Index>(i));
    }
    subjects = in_random_order(key, std::move(subjects));
    const auto first_test = subjects.begin() + training_of(static_cast<Index>(subjects.size()));
    result.train.insert(result.train.end(), subjects.begin(), first_test);
    result.test.insert(result.test.end(), first_test, subjects.end());
  }
  std::sort(result.train.begin(), result.train.end());
  std::sort(result.test.begin(), result.test.end());
  return result;
}

// On the training rows; the test rows follow.
void standardise(const std::vector<std::string>& names, FaimsDraw& draw) {
  Matrix& x = draw.train.x;
  for (Index c = 0; c < x.cols(); ++c) {
    InputColumn input;
    input.name = names[static_cast<std::size_t>(c)];
    input.mean = x.col(c).mean();
    const double deviation = std::sqrt((x.col(c).array() - input.mean).square().mean());
    input.deviation = deviation > 0.0 ? deviation : 1.0;
    x.col(c) = (x.col(c).array() - input.mean) / input.deviation;
    for (Matrix& test : draw.test_x) {
      test.col(c) = (test.col(c).array() - input.mean) / input.deviation;
    }
    draw.schema.inputs.push_back(std::move(input));
  }
}

TaskColumn task_column(int run, Index subjects) {
  TaskColumn task;
  task.name = fmt::format("run {}", run + 1);
  task.kind = TaskKind::binary;
  task.labels = {"0", "1"};
  task.observed = subjects;
  return task;
}

}  // namespace

Index training_subjects(Index cases, Index controls) {
  return training_of(cases) + training_of(controls);
}

FaimsDraw draw(const FaimsData& data, const std::string& reduction, Index components, int run,
               std::uint64_t seed) {
  const Split subjects = split(data.label, run, seed);
  const auto count = static_cast<Index>(subjects.train.size());
  FaimsDraw result;
  result.schema.wide = false;
  result.schema.task_column = "run";
  result.schema.target_column = "label";
  result.train.x.resize(kFaimsRuns * count, data.x.front().cols());
  for (int task = 0; task < kFaimsRuns; ++task) {
    const Matrix& all = data.x[static_cast<std::size_t>(task)];
    result.schema.tasks.push_back(task_column(task, count));
    result.train.x.middleRows(task * count, count) = all(subjects.train, Eigen::all);
    result.test_x[static_cast<std::size_t>(task)] = all(subjects.test, Eigen::all);
    for (Index i = 0; i < count; ++i) {
      const auto subject = static_cast<std::size_t>(subjects.train[static_cast<std::size_t>(i)]);
      result.train.observations.push_back(
          {task * count + i, task, static_cast<double>(data.label[subject])});
    }
  }
  for (const Index i : subjects.test) {
    result.test_label.push_back(data.label[static_cast<std::size_t>(i)]);
  }
  standardise(data.features, result);
  const Index most = std::min(result.train.x.rows(), result.train.x.cols());
  reduce_inputs(reduction, std::min(components, most), seed, result.schema, result.train.x);
  for (Matrix& test : result.test_x) test = result.schema.reduce(test);
  return result;
}

}  // namespace mdgp::experiments
