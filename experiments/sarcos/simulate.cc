#include <cmath>
#include <numbers>

#include "arm.h"
#include "mdgp/random/normal.h"

namespace mdgp::experiments {
namespace {

constexpr Index kPoolRows = 15'000, kTestRows = 4'449;
constexpr Index kRowsPerMovement = 300;
constexpr double kTimeStep = 0.02;  // s between rows
constexpr std::uint64_t kSeed = 0x5A'2C05'0000'0007;
constexpr int kWaves = 3;

// The sensors of motion, and how far the joints go.
constexpr double kPositionNoise = 0.001, kVelocityNoise = 0.01, kAccelerationNoise = 0.1;
constexpr double kMiddle[kJoints] = {0.0, 0.4, 0.1, 1.3, 0.1, 0.1, 0.0};
constexpr double kReach[kJoints] = {0.6, 0.5, 0.4, 0.6, 0.8, 0.3, 0.5};

// What a draw of a movement or a row is for.
enum Column : std::uint32_t { kCentre = 0, kWave = 100, kSensor = 0, kTorque = 100, kTask = 200 };

// q_j(t) = centre + sum of waves, of each joint; slow ones are larger, as arms move.
class Movement {
 public:
  explicit Movement(std::uint64_t number) {
    const DrawKey key{kSeed, Purpose::data, 0};
    for (std::uint32_t j = 0; j < kJoints; ++j) {
      centre_[j] = kMiddle[j] + 0.3 * kReach[j] * (2.0 * uniform(key, number, kCentre + j) - 1.0);
      for (std::uint32_t k = 0; k < kWaves; ++k) {
        const std::uint32_t column = kWave + 3 * (kWaves * j + k);
        const double hertz = 0.15 + 0.55 * (k + uniform(key, number, column)) / kWaves;
        frequency_[j][k] = 2.0 * std::numbers::pi * hertz;
        phase_[j][k] = 2.0 * std::numbers::pi * uniform(key, number, column + 1);
        amplitude_[j][k] =
            kReach[j] * (0.3 + 0.7 * uniform(key, number, column + 2)) * 0.2 / (0.15 + hertz);
      }
    }
  }

  void at(double t, Joints& q, Joints& qd, Joints& qdd) const {
    for (std::size_t j = 0; j < kJoints; ++j) {
      const auto i = static_cast<Index>(j);
      q[i] = centre_[j], qd[i] = qdd[i] = 0.0;
      for (std::size_t k = 0; k < kWaves; ++k) {
        const double w = frequency_[j][k], angle = w * t + phase_[j][k], a = amplitude_[j][k];
        q[i] += a * std::sin(angle);
        qd[i] += a * w * std::cos(angle);
        qdd[i] -= a * w * w * std::sin(angle);
      }
    }
  }

 private:
  double centre_[kJoints];
  double frequency_[kJoints][kWaves], phase_[kJoints][kWaves], amplitude_[kJoints][kWaves];
};

// Sets rows of x and y, one after the other along movements from number `first` on.
void record(std::uint64_t first, Matrix& x, Matrix& y) {
  const DrawKey key{kSeed, Purpose::data, 1};
  Joints q, qd, qdd;
  Movement movement(first);
  for (Index r = 0; r < x.rows(); ++r) {
    if (r % kRowsPerMovement == 0) {
      movement = Movement(first + static_cast<std::uint64_t>(r / kRowsPerMovement));
    }
    const std::uint64_t row = first * kRowsPerMovement + static_cast<std::uint64_t>(r);
    movement.at(kTimeStep * static_cast<double>(r % kRowsPerMovement), q, qd, qdd);
    const Joints torque = rigid_torques(q, qd, qdd) + friction_torques(qd);
    for (Index j = 0; j < kJoints; ++j) {
      const auto c = static_cast<std::uint32_t>(j);
      x(r, j) = q[j] + kPositionNoise * normal(key, row, kSensor + c);
      x(r, kJoints + j) = qd[j] + kVelocityNoise * normal(key, row, kSensor + kJoints + c);
      x(r, 2 * kJoints + j) =
          qdd[j] + kAccelerationNoise * normal(key, row, kSensor + 2 * kJoints + c);
      y(r, j) = torque[j] + arm_links()[c].noise * normal(key, row, kTorque + c);
    }
  }
}

}  // namespace

SarcosData simulate_sarcos() {
  SarcosData data;
  data.origin = "simulated";
  data.pool_x.resize(kPoolRows, kArmInputs);
  data.test_x.resize(kTestRows, kArmInputs);
  data.test_y.resize(kTestRows, kJoints);
  Matrix torques(kPoolRows, kJoints);
  record(0, data.pool_x, torques);
  record(kPoolRows / kRowsPerMovement, data.test_x, data.test_y);
  const DrawKey key{kSeed, Purpose::data, 2};
  data.pool_y.resize(kPoolRows);
  for (Index r = 0; r < kPoolRows; ++r) {
    const int task = static_cast<int>(kJoints * uniform(key, static_cast<std::uint64_t>(r), kTask));
    data.pool_task.push_back(task);
    data.pool_y[r] = torques(r, task);
  }
  data.in_test.assign(static_cast<std::size_t>(kPoolRows), 0);
  return data;
}

}  // namespace mdgp::experiments
