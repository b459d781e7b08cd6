// The SARCOS arm: 21 inputs (position, velocity and acceleration of seven joints), seven tasks
// (their torques), and the paper's protocol: N training points with one of the torques each, tested
// on all seven torques of 4,449 rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mdgp/data/schema.h"
#include "mdgp/inference/minibatch.h"

namespace mdgp::experiments {

constexpr Index kJoints = 7, kArmInputs = 3 * kJoints;

// Raw units. Every row of the pool offers one torque or, where pool_all is not empty, all seven.
struct SarcosData {
  Matrix pool_x;               // [n, 21]
  std::vector<int> pool_task;  // [n], from 0; empty with pool_all
  Vector pool_y;               // [n]; empty with pool_all
  Matrix pool_all;             // [n, 7] or empty
  std::vector<char> in_test;   // [n] 1: the inputs also stand in the test rows
  Matrix test_x;               // [m, 21]
  Matrix test_y;               // [m, 7]; NaN: the row does not have this torque
  std::string origin;          // "pool", "official" or "simulated"
};

// The official test rows are among the official training rows; `clean` leaves those out of the
// draws, `paper` does not (nor did the paper). `held_out` is for choosing settings, for which test
// rows are not to be looked at: it draws from, and tests on, what hold_out() makes of the data.
enum class Protocol { clean, paper, held_out };

// From sarcos_train_pool.csv.gz and sarcos_test.csv.gz or, where there is no pool, from
// sarcos_inv.mat and sarcos_inv_test.mat; in the directory or its folder `sarcos`. `asked` begins
// messages: "--data". Throws FileError or TableError: one line with the path and the remedy.
SarcosData load_sarcos(const std::string& directory, const std::string& asked);

// Tells data of other files apart; empty where they are simulated.
std::string checksum(const SarcosData& data);

// In place of the test rows a fifth of those rows of the pool that are not among them; the others
// are the pool. Rows with the same inputs stay together. Which, does not depend on any seed.
SarcosData hold_out(const SarcosData& data);

// The bytes of a row: equal where all its numbers are.
std::string row_key(const Matrix& x, Index row);

// How many points a draw can have.
Index drawable(const SarcosData& data, Protocol protocol);

// A training draw, standardised: features and each task's targets have mean 0 and (population)
// standard deviation 1 over the draw; test rows are in the same units.
struct SarcosDraw {
  Schema schema;  // with the means and deviations
  DataSet train;
  Matrix test_x;  // [m, 21]
  Matrix test_y;  // [m, 7], NaN as above
};

// The smallest draw: two points of each task, so that each has a deviation.
constexpr Index kLeastDraw = 2 * kJoints;

// Without replacement; a function of data, protocol, size, run and seed only. Every task has at
// least two points, of any size that is not tiny by chance alone.
SarcosDraw draw(const SarcosData& data, Protocol protocol, Index size, int run, std::uint64_t seed);

}  // namespace mdgp::experiments
