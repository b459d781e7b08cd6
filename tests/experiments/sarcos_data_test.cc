#include "sarcos/sarcos_data.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "mdgp/data/read_table.h"
#include "mdgp/io/atomic_file.h"
#include "sarcos/sarcos.h"
#include "testing/temporary_folder.h"

namespace mdgp::experiments {
namespace {

using fixture::TemporaryFolder;

constexpr Index kPool = 400, kTestRows = 30;

// Input c of a row, and the torque of a joint on it: every number is another one.
double input(Index row, Index c) { return std::sin(static_cast<double>(1 + row * kArmInputs + c)); }
double torque(Index row, Index joint) {
  return static_cast<double>(10 * row + joint) + 100.0 * static_cast<double>(joint);
}

// Every row of four is in the test.
SarcosData some_data(bool official) {
  SarcosData data;
  data.pool_x.resize(kPool, kArmInputs);
  data.test_x.resize(kTestRows, kArmInputs);
  data.test_y.resize(kTestRows, kJoints);
  if (official) data.pool_all.resize(kPool, kJoints);
  if (!official) data.pool_y.resize(kPool);
  for (Index r = 0; r < kPool; ++r) {
    for (Index c = 0; c < kArmInputs; ++c) data.pool_x(r, c) = input(r, c);
    for (Index j = 0; official && j < kJoints; ++j) data.pool_all(r, j) = torque(r, j);
    data.in_test.push_back(r % 4 == 0 ? 1 : 0);
    if (official) continue;
    data.pool_task.push_back(static_cast<int>(r % 50 == 0 ? 6 : r % 6));  // the last task is rare
    data.pool_y[r] = torque(r, data.pool_task.back());
  }
  for (Index r = 0; r < kTestRows; ++r) {
    for (Index c = 0; c < kArmInputs; ++c) data.test_x(r, c) = input(4 * r, c);
    for (Index j = 0; j < kJoints; ++j) data.test_y(r, j) = torque(4 * r, j);
  }
  return data;
}

// The rows of the pool that a draw has, by their first input, with their torques checked.
std::vector<Index> rows_of(const SarcosDraw& draw) {
  std::vector<Index> rows;
  const InputColumn& first = draw.schema.inputs.front();
  for (const Observation& o : draw.train.observations) {
    const TaskColumn& task = draw.schema.tasks[static_cast<std::size_t>(o.task)];
    const double y = o.y * task.deviation + task.mean;
    const Index row = std::lround((y - 101.0 * o.task) / 10.0);
    EXPECT_NEAR(y, torque(row, o.task), 1e-8);
    EXPECT_NEAR(draw.train.x(o.row, 0) * first.deviation + first.mean, input(row, 0), 1e-12);
    rows.push_back(row);
  }
  return rows;
}

class SarcosDraws : public testing::TestWithParam<bool> {};  // official or pool

TEST_P(SarcosDraws, AreRowsOfThePoolWithoutRepeats) {
  const std::vector<Index> rows = rows_of(draw(some_data(GetParam()), Protocol::paper, 100, 0, 1));
  EXPECT_EQ(std::set<Index>(rows.begin(), rows.end()).size(), 100U);
}

TEST_P(SarcosDraws, LeaveTestRowsOutWhereClean) {
  const SarcosData data = some_data(GetParam());
  for (const Index row : rows_of(draw(data, Protocol::clean, 200, 0, 1))) EXPECT_NE(row % 4, 0);
  int in_test = 0;
  for (const Index row : rows_of(draw(data, Protocol::paper, 200, 0, 1))) in_test += row % 4 == 0;
  EXPECT_GT(in_test, 20);
}

TEST_P(SarcosDraws, DependOnSeedSizeAndRun) {
  const SarcosData data = some_data(GetParam());
  const auto rows = [&](Index size, int run, std::uint64_t seed) {
    std::vector<Index> all = rows_of(draw(data, Protocol::paper, size, run, seed));
    all.resize(50);
    return all;
  };
  EXPECT_EQ(rows(60, 2, 1), rows(60, 2, 1));
  EXPECT_NE(rows(60, 2, 1), rows(60, 3, 1));
  EXPECT_NE(rows(60, 2, 1), rows(60, 2, 2));
  EXPECT_NE(rows(60, 2, 1), rows(61, 2, 1));
}

TEST_P(SarcosDraws, AreStandardised) {
  const SarcosDraw d = draw(some_data(GetParam()), Protocol::clean, 150, 1, 1);
  for (Index c = 0; c < kArmInputs; ++c) {
    EXPECT_NEAR(d.train.x.col(c).mean(), 0.0, 1e-12);
    EXPECT_NEAR(d.train.x.col(c).squaredNorm() / 150.0, 1.0, 1e-12);
  }
  for (int task = 0; task < kJoints; ++task) {
    double count = 0.0, sum = 0.0, squares = 0.0;
    for (const Observation& o : d.train.observations) {
      if (o.task == task) count += 1.0, sum += o.y, squares += o.y * o.y;
    }
    EXPECT_NEAR(sum, 0.0, 1e-9);
    EXPECT_NEAR(squares / count, 1.0, 1e-9);
    EXPECT_EQ(d.schema.tasks[static_cast<std::size_t>(task)].observed, static_cast<Index>(count));
  }
}

TEST_P(SarcosDraws, TestRowsAreInTheSameUnits) {
  const SarcosDraw d = draw(some_data(GetParam()), Protocol::clean, 150, 1, 1);
  const InputColumn& x = d.schema.inputs[5];
  const TaskColumn& y = d.schema.tasks[2];
  EXPECT_NEAR(d.test_x(3, 5) * x.deviation + x.mean, input(12, 5), 1e-12);
  EXPECT_NEAR(d.test_y(3, 2) * y.deviation + y.mean, torque(12, 2), 1e-8);
}

TEST_P(SarcosDraws, HaveTwoPointsOfEachTask) {
  const SarcosData data = some_data(GetParam());
  for (int run = 0; run < 20; ++run) {
    const SarcosDraw d = draw(data, Protocol::paper, kLeastDraw, run, 1);
    EXPECT_EQ(d.train.x.rows(), kLeastDraw);
    for (const TaskColumn& task : d.schema.tasks) EXPECT_EQ(task.observed, 2);
  }
}

TEST_P(SarcosDraws, RefuseWhatThereIsNot) {
  const SarcosData data = some_data(GetParam());
  EXPECT_EQ(drawable(data, Protocol::clean), 300);
  EXPECT_EQ(drawable(data, Protocol::paper), 400);
  EXPECT_EQ(draw(data, Protocol::clean, 300, 0, 1).train.x.rows(), 300);
  EXPECT_THROW(draw(data, Protocol::clean, 301, 0, 1), std::invalid_argument);
  EXPECT_THROW(draw(data, Protocol::clean, kLeastDraw - 1, 0, 1), std::invalid_argument);
}

TEST_P(SarcosDraws, HoldOutAFifthOfTheCleanRows) {
  const SarcosData all = some_data(GetParam()), data = hold_out(all);
  EXPECT_EQ(data.pool_x.rows() + data.test_x.rows(), 300);
  EXPECT_NEAR(static_cast<double>(data.test_x.rows()), 60.0, 20.0);
  EXPECT_EQ(drawable(data, Protocol::held_out), data.pool_x.rows());
  std::set<double> held;
  for (Index r = 0; r < data.test_x.rows(); ++r) held.insert(data.test_x(r, 0));
  for (Index r = 0; r < kPool; ++r) {
    EXPECT_FALSE(r % 4 == 0 && held.contains(input(r, 0)));
  }
  for (const Index row : rows_of(draw(data, Protocol::held_out, 100, 0, 1))) {
    EXPECT_NE(row % 4, 0);
    EXPECT_FALSE(held.contains(input(row, 0)));
  }
}

TEST_P(SarcosDraws, HeldOutRowsHaveTheTorquesOfThePool) {
  const SarcosData all = some_data(GetParam()), data = hold_out(all);
  for (Index i = 0; i < data.test_x.rows(); ++i) {
    Index row = 0;
    while (input(row, 0) != data.test_x(i, 0)) ++row;
    for (int joint = 0; joint < kJoints; ++joint) {
      const bool known = GetParam() || all.pool_task[static_cast<std::size_t>(row)] == joint;
      const double y = data.test_y(i, joint);
      EXPECT_TRUE(known ? y == torque(row, joint) : std::isnan(y)) << row << " " << joint;
    }
  }
}

TEST_P(SarcosDraws, HoldOutRowsOfTheSameInputsTogether) {
  SarcosData all = some_data(GetParam());
  for (Index r = 0; r < kPool; ++r) all.pool_x.row(r) = all.pool_x.row(4 * (r / 4));
  for (int& task : all.pool_task) task = static_cast<int>(&task - all.pool_task.data()) % kJoints;
  const SarcosData data = hold_out(all);
  std::set<double> held;
  for (Index r = 0; r < data.test_x.rows(); ++r) held.insert(data.test_x(r, 0));
  for (Index r = 0; r < data.pool_x.rows(); ++r) EXPECT_FALSE(held.contains(data.pool_x(r, 0)));
  EXPECT_EQ(3 * std::ssize(held), data.test_x.rows());
}

TEST_P(SarcosDraws, HoldOutRefusesTooFewRows) {
  SarcosData all = some_data(GetParam());
  std::fill(all.in_test.begin(), all.in_test.end(), 1);
  EXPECT_THROW(hold_out(all), TableError);
}

// Torques that a held-out row does not have are not scored: as if only the others were there.
TEST(SarcosFit, ScoresTheTorquesThatThereAre) {
  SarcosData some = some_data(false), last = some;
  some.test_y.col(3).head(10).setConstant(std::nan(""));
  last.test_x = last.test_x.bottomRows(kTestRows - 10).eval();
  last.test_y = last.test_y.bottomRows(kTestRows - 10).eval();
  const auto errors = [](const SarcosData& data) {
    Job job;
    job.model = "exact-gp";
    job.size = 60;
    return fit_sarcos(data, job, {}).lists.at("rmse_by_task");
  };
  const std::vector<double> a = errors(some), b = errors(last);
  EXPECT_DOUBLE_EQ(a[3], b[3]);
  EXPECT_NE(a[2], b[2]);
}

// In whatever unit errors are.
TEST(SarcosFit, RelativeErrorsAreThoseOfTargetsOfUnitDeviation) {
  const SarcosData data = some_data(false);
  Job job;
  job.model = "exact-gp";
  job.size = 60;
  const Record record = fit_sarcos(data, job, {});
  const Matrix y = draw(data, Protocol::clean, 60, job.run, job.seed).test_y;
  double mean = 0.0;
  for (Index t = 0; t < kJoints; ++t) {
    const double variance =
        y.col(t).squaredNorm() / static_cast<double>(y.rows()) - y.col(t).mean() * y.col(t).mean();
    const auto k = static_cast<std::size_t>(t);
    EXPECT_NEAR(record.lists.at("relative_rmse_by_task")[k] * std::sqrt(variance),
                record.lists.at("rmse_by_task")[k], 1e-10);
    mean += record.lists.at("relative_rmse_by_task")[k] / 7.0;
  }
  EXPECT_NEAR(record.scores.at("relative_rmse"), mean, 1e-12);
}

TEST(SarcosFit, VariantsNameProtocolAndOrigin) {
  SarcosData data;
  const auto variant = [&](const char* origin, Protocol protocol) {
    data.origin = origin;
    return variant_of(data, protocol);
  };
  EXPECT_EQ(variant("pool", Protocol::clean), "clean");
  EXPECT_EQ(variant("pool", Protocol::paper), "paper");
  EXPECT_EQ(variant("pool", Protocol::held_out), "held-out");
  EXPECT_EQ(variant("official", Protocol::clean), "clean official");
  EXPECT_EQ(variant("official", Protocol::held_out), "held-out official");
  EXPECT_EQ(variant("simulated", Protocol::clean), "simulated");
  EXPECT_EQ(variant("simulated", Protocol::held_out), "held-out simulated");
}

INSTANTIATE_TEST_SUITE_P(Sarcos, SarcosDraws, testing::Bool());

// --- Files -------------------------------------------------------------------------------------

std::string header(const std::string& others) {
  std::string names;
  for (const char* kind : {"q", "qd", "qdd"}) {
    for (int j = 1; j <= kJoints; ++j) names += fmt::format("{}{},", kind, j);
  }
  return names + others + "\n";
}

// A row of numbers: 21 inputs from the first on, then the others.
std::string line(double first, const std::string& others) {
  std::string cells;
  for (int c = 0; c < kArmInputs; ++c) cells += fmt::format("{},", first + c);
  return cells + others + "\n";
}

// The bytes of a MATLAB level 5 file with one matrix of doubles.
std::string mat_file(const std::string& name, const Matrix& values) {
  std::string bytes = "MATLAB 5.0 MAT-file";
  bytes.resize(128, ' ');
  bytes.replace(124, 4, std::string("\x00\x01IM", 4));
  const auto number = [](std::uint32_t n) {
    return std::string(reinterpret_cast<const char*>(&n), sizeof n);
  };
  const auto element = [&](std::uint32_t type, std::string content) {
    const auto size = static_cast<std::uint32_t>(content.size());
    content.resize((content.size() + 7) / 8 * 8);
    return number(type) + number(size) + content;
  };
  const auto rows = static_cast<std::uint32_t>(values.rows()),
             cols = static_cast<std::uint32_t>(values.cols());
  const std::string numbers(reinterpret_cast<const char*>(values.data()),
                            static_cast<std::size_t>(values.size()) * sizeof(double));
  return bytes +
         element(14, element(6, number(6) + number(0)) + element(5, number(rows) + number(cols)) +
                         element(1, name) + element(9, numbers));
}

void write(const std::string& path, const std::string& bytes) { std::ofstream(path) << bytes; }

void write_pool(const TemporaryFolder& folder, const std::string& under) {
  write(folder.file(under + "sarcos_train_pool.csv.gz"),
        header("task,tau,in_test") + line(1, "7,0.5,0") + line(2, "1,-3,1"));
  write(folder.file(under + "sarcos_test.csv.gz"),
        header("tau1,tau2,tau3,tau4,tau5,tau6,tau7") + line(2, "1,2,3,4,5,6,7"));
}

std::string message(const std::string& directory) {
  try {
    load_sarcos(directory, "--data");
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(SarcosFiles, ReadsThePool) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("sarcos"));
  write_pool(folder, "sarcos/");
  for (const std::string& directory : {folder.file(""), folder.file("sarcos")}) {
    const SarcosData data = load_sarcos(directory, "--data");
    EXPECT_EQ(data.pool_x.rows(), 2);
    EXPECT_EQ(data.pool_x(1, 20), 22.0);
    EXPECT_EQ(data.pool_task, (std::vector<int>{6, 0}));
    EXPECT_EQ(data.pool_y[1], -3.0);
    EXPECT_EQ(data.in_test, (std::vector<char>{0, 1}));
    EXPECT_EQ(data.test_x(0, 0), 2.0);
    EXPECT_EQ(data.test_y(0, 6), 7.0);
  }
}

TEST(SarcosFiles, OtherNumbersAreOtherData) {
  const TemporaryFolder folder;
  write_pool(folder, "");
  const SarcosData data = load_sarcos(folder.file(""), "--data");
  EXPECT_EQ(checksum(data), checksum(load_sarcos(folder.file(""), "--data")));
  std::set<std::string> seen = {checksum(data)};
  SarcosData other = data;
  other.pool_x(1, 20) += 1e-9;
  EXPECT_TRUE(seen.insert(checksum(other)).second);
  other.pool_task[0] = 3;
  EXPECT_TRUE(seen.insert(checksum(other)).second);
  other.in_test[0] = 1;
  EXPECT_TRUE(seen.insert(checksum(other)).second);
  other.test_y(0, 6) += 1.0;
  EXPECT_TRUE(seen.insert(checksum(other)).second);
  other.origin = "simulated";
  EXPECT_EQ(checksum(other), "");
}

TEST(SarcosFiles, ReadsTheOfficialOnes) {
  const TemporaryFolder folder;
  const Matrix train = Matrix::Random(20, 28);
  Matrix test = Matrix::Random(3, 28);
  test.row(1).head(21) = train.row(17).head(21);
  test.row(2).head(20) = train.row(5).head(20);  // nearly
  write(folder.file("sarcos_inv.mat"), mat_file("sarcos_inv", train));
  write(folder.file("sarcos_inv_test.mat"), mat_file("sarcos_inv_test", test));
  const SarcosData data = load_sarcos(folder.file(""), "--data");
  EXPECT_EQ(data.pool_x, train.leftCols(21));
  EXPECT_EQ(data.pool_all, train.rightCols(7));
  EXPECT_EQ(data.test_x, test.leftCols(21));
  EXPECT_EQ(data.test_y, test.rightCols(7));
  for (Index r = 0; r < 20; ++r) {
    EXPECT_EQ(data.in_test[static_cast<std::size_t>(r)], r == 17 ? 1 : 0);
  }
}

TEST(SarcosFiles, SaysWhatIsMissing) {
  const TemporaryFolder folder;
  EXPECT_NE(message(folder.file("none")).find("no such directory"), std::string::npos);
  EXPECT_NE(message(folder.file("")).find("neither sarcos_train_pool.csv.gz nor sarcos_inv.mat"),
            std::string::npos);
  write_pool(folder, "");
  std::filesystem::remove(folder.file("sarcos_test.csv.gz"));
  EXPECT_NE(message(folder.file("")).find("sarcos_test.csv.gz: no such file; it must stand beside"),
            std::string::npos);
}

TEST(SarcosFiles, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  write_pool(folder, "");
  const std::string pool = folder.file("sarcos_train_pool.csv.gz");
  write(pool, header("task,tau") + line(1, "7,0.5"));
  EXPECT_NE(message(folder.file("")).find("there is no column 'in_test'"), std::string::npos);
  write(pool, header("task,tau,in_test") + line(1, "8,0.5,0"));
  EXPECT_NE(message(folder.file("")).find("line 2: task is 8"), std::string::npos);
  write(pool, header("task,tau,in_test") + line(1, "7,,0"));
  EXPECT_NE(message(folder.file("")).find("line 2: no number in column 'tau'"), std::string::npos);
  std::filesystem::remove(pool);
  write(folder.file("sarcos_inv.mat"), mat_file("x", Matrix::Random(4, 27)));
  write(folder.file("sarcos_inv_test.mat"), mat_file("x", Matrix::Random(4, 28)));
  EXPECT_NE(message(folder.file("")).find("27 columns, but must have 28"), std::string::npos);
}

}  // namespace
}  // namespace mdgp::experiments
