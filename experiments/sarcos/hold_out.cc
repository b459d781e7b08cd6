#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <unordered_map>

#include "mdgp/data/table.h"
#include "mdgp/random/normal.h"
#include "sarcos_data.h"

namespace mdgp::experiments {
namespace {

constexpr double kShare = 0.2;
// A run that no experiment has, so that what is held out has nothing to do with any draw.
constexpr DrawKey kKey{0, Purpose::data, std::numeric_limits<std::uint32_t>::max()};

struct Split {
  std::vector<Index> pool, test;  // rows of the pool
};

Split split(const SarcosData& data) {
  Split result;
  std::unordered_map<std::string, Index> first;  // row with such inputs
  for (Index r = 0; r < data.pool_x.rows(); ++r) {
    if (data.in_test[static_cast<std::size_t>(r)] != 0) continue;
    const Index alike = first.try_emplace(row_key(data.pool_x, r), r).first->second;
    const bool held = uniform(kKey, static_cast<std::uint64_t>(alike), 0) < kShare;
    (held ? result.test : result.pool).push_back(r);
  }
  return result;
}

// All torques that rows offer, [rows, 7].
Matrix torques(const SarcosData& data, const std::vector<Index>& rows) {
  if (data.pool_all.size() > 0) return data.pool_all(rows, Eigen::all);
  Matrix all = Matrix::Constant(std::ssize(rows), kJoints, std::nan(""));
  for (Index i = 0; i < all.rows(); ++i) {
    const Index r = rows[static_cast<std::size_t>(i)];
    all(i, data.pool_task[static_cast<std::size_t>(r)]) = data.pool_y[r];
  }
  return all;
}

}  // namespace

SarcosData hold_out(const SarcosData& data) {
  const Split rows = split(data);
  SarcosData result;
  result.origin = data.origin;
  result.pool_x = data.pool_x(rows.pool, Eigen::all);
  result.in_test.assign(rows.pool.size(), 0);
  if (data.pool_all.size() > 0) {
    result.pool_all = data.pool_all(rows.pool, Eigen::all);
  } else {
    result.pool_y = data.pool_y(rows.pool);
    for (const Index r : rows.pool) {
      result.pool_task.push_back(data.pool_task[static_cast<std::size_t>(r)]);
    }
  }
  result.test_x = data.pool_x(rows.test, Eigen::all);
  result.test_y = torques(data, rows.test);
  for (Index joint = 0; joint < kJoints; ++joint) {
    if (result.test_y.col(joint).array().isNaN().all()) {
      throw TableError(fmt::format("too few rows of torque {} to hold some out", joint + 1));
    }
  }
  return result;
}

}  // namespace mdgp::experiments
