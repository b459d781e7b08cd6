#include "sarcos_data.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <unordered_set>

#include "checksum.h"
#include "mdgp/data/read_table.h"
#include "mdgp/io/atomic_file.h"

namespace mdgp::experiments {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPool = "sarcos_train_pool.csv.gz";
constexpr const char* kPoolTest = "sarcos_test.csv.gz";
constexpr const char* kOfficial = "sarcos_inv.mat";
constexpr const char* kOfficialTest = "sarcos_inv_test.mat";

// q1 … q7, qd1 … qd7, qdd1 … qdd7, then others.
std::vector<std::string> column_names(const std::vector<std::string>& others) {
  std::vector<std::string> names;
  for (const char* kind : {"q", "qd", "qdd"}) {
    for (Index joint = 1; joint <= kJoints; ++joint)
      names.push_back(fmt::format("{}{}", kind, joint));
  }
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

std::vector<std::string> torque_names() {
  std::vector<std::string> names;
  for (Index joint = 1; joint <= kJoints; ++joint) names.push_back(fmt::format("tau{}", joint));
  return names;
}

// The columns side by side; no gaps.
Matrix numbers_of(const Table& table, const std::vector<std::string>& names) {
  if (table.rows == 0) throw TableError(fmt::format("{}: no rows", table.source));
  Matrix all(table.rows, static_cast<Index>(names.size()));
  for (std::size_t c = 0; c < names.size(); ++c) {
    const Column* column = table.find(names[c]);
    if (column == nullptr) {
      throw TableError(fmt::format("{}: there is no column '{}'; it must have {} columns, {} to {}",
                                   table.source, names[c], names.size(), names.front(),
                                   names.back()));
    }
    for (Index r = 0; r < table.rows; ++r) {
      const double value = column->numbers[static_cast<std::size_t>(r)];
      if (!std::isfinite(value)) {
        throw TableError(fmt::format("{}: no number in column '{}'", table.where(r), names[c]));
      }
      all(r, static_cast<Index>(c)) = value;
    }
  }
  return all;
}

Matrix read_columns(const fs::path& path, const std::vector<std::string>& names) {
  TableReader reader(path.string());
  const Table table = reader.next(std::numeric_limits<Index>::max(),
                                  [](std::string_view) { return ColumnKind::number; });
  return numbers_of(table, names);
}

// A MATLAB file with one variable of 28 columns, whatever its name is.
Matrix read_official(const fs::path& path) {
  TableReader reader(path.string());
  const std::vector<std::string> names = reader.names();
  if (static_cast<Index>(names.size()) != kArmInputs + kJoints) {
    throw TableError(fmt::format("{}: {} columns, but must have {}: 21 inputs and 7 torques",
                                 reader.source(), names.size(), kArmInputs + kJoints));
  }
  return numbers_of(reader.next(std::numeric_limits<Index>::max(),
                                [](std::string_view) { return ColumnKind::number; }),
                    names);
}

void check_there(const fs::path& path, const char* beside) {
  if (fs::is_regular_file(path)) return;
  throw FileError(fmt::format("{}: no such file; it must stand beside {}", path.string(), beside));
}

void set_test(const Matrix& rows, SarcosData& data) {
  data.test_x = rows.leftCols(kArmInputs);
  data.test_y = rows.rightCols(kJoints);
}

SarcosData load_pool(const fs::path& folder) {
  check_there(folder / kPoolTest, kPool);
  SarcosData data;
  data.origin = "pool";
  const Matrix pool = read_columns(folder / kPool, column_names({"task", "tau", "in_test"}));
  data.pool_x = pool.leftCols(kArmInputs);
  data.pool_y = pool.col(kArmInputs + 1);
  for (Index r = 0; r < pool.rows(); ++r) {
    const double task = pool(r, kArmInputs), in_test = pool(r, kArmInputs + 2);
    if (task != std::floor(task) || task < 1.0 || task > kJoints ||
        (in_test != 0.0 && in_test != 1.0)) {
      throw TableError(
          fmt::format("{}, line {}: task is {} and in_test {}, but must be 1 to 7 and 0 or 1",
                      (folder / kPool).string(), r + 2, task, in_test));
    }
    data.pool_task.push_back(static_cast<int>(task) - 1);
    data.in_test.push_back(in_test == 1.0 ? 1 : 0);
  }
  set_test(read_columns(folder / kPoolTest, column_names(torque_names())), data);
  return data;
}

SarcosData load_official(const fs::path& folder) {
  check_there(folder / kOfficialTest, kOfficial);
  SarcosData data;
  data.origin = "official";
  const Matrix rows = read_official(folder / kOfficial);
  data.pool_x = rows.leftCols(kArmInputs);
  data.pool_all = rows.rightCols(kJoints);
  set_test(read_official(folder / kOfficialTest), data);
  std::unordered_set<std::string> test;
  for (Index r = 0; r < data.test_x.rows(); ++r) test.insert(row_key(data.test_x, r));
  for (Index r = 0; r < data.pool_x.rows(); ++r) {
    data.in_test.push_back(test.contains(row_key(data.pool_x, r)) ? 1 : 0);
  }
  return data;
}

}  // namespace

std::string row_key(const Matrix& x, Index row) {
  std::string key;
  for (Index c = 0; c < x.cols(); ++c) {
    const double value = x(row, c) + 0.0;  // no -0
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    key.append(bytes, sizeof value);
  }
  return key;
}

std::string checksum(const SarcosData& data) {
  if (data.origin == "simulated") return "";
  return checksum({bytes_of(data.pool_x), bytes_of(data.pool_task), bytes_of(data.pool_y),
                   bytes_of(data.pool_all), bytes_of(data.in_test), bytes_of(data.test_x),
                   bytes_of(data.test_y)});
}

SarcosData load_sarcos(const std::string& directory, const std::string& asked) {
  if (!fs::is_directory(directory)) {
    throw FileError(fmt::format("{} {}: no such directory; without data an arm is simulated", asked,
                                directory));
  }
  for (const fs::path& folder : {fs::path(directory) / "sarcos", fs::path(directory)}) {
    if (fs::exists(folder / kPool)) return load_pool(folder);
    if (fs::exists(folder / kOfficial)) return load_official(folder);
  }
  throw FileError(
      fmt::format("{} {}: neither {} nor {} is there or in its folder sarcos; give the directory "
                  "that holds one of them",
                  asked, directory, kPool, kOfficial));
}

}  // namespace mdgp::experiments
