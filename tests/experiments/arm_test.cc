// The arm's torques against energies, which come from poses alone: forward kinematics of the links,
// with velocities by finite differences.
#include "sarcos/arm.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "mdgp/random/normal.h"
#include "testing/dense.h"

namespace mdgp::experiments {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Joints some_joints(std::uint64_t row, double scale) {
  Joints q;
  for (Index j = 0; j < kJoints; ++j) {
    q[j] = scale * normal({17, Purpose::data, 0}, row, static_cast<std::uint32_t>(j));
  }
  return q;
}

// The centres of mass and the orientations in the base's frame.
struct Pose {
  Vector3d centre[kJoints];
  Matrix3d rotation[kJoints];
};

Pose pose_of(const Joints& q) {
  Pose pose;
  Eigen::Isometry3d frame = Eigen::Isometry3d::Identity();
  for (Index j = 0; j < kJoints; ++j) {
    const Link& link = arm_links()[static_cast<std::size_t>(j)];
    frame = frame * Eigen::AngleAxisd(link.alpha, Vector3d::UnitX()) *
            Eigen::Translation3d(link.a, 0, 0) * Eigen::AngleAxisd(q[j], Vector3d::UnitZ()) *
            Eigen::Translation3d(0, 0, link.d);
    pose.centre[j] = frame * link.centre;
    pose.rotation[j] = frame.rotation();
  }
  return pose;
}

double potential_energy(const Joints& q) {
  const Pose pose = pose_of(q);
  double energy = 0.0;
  for (Index j = 0; j < kJoints; ++j) {
    energy += arm_links()[static_cast<std::size_t>(j)].mass * kGravity * pose.centre[j].z();
  }
  return energy;
}

// dR/dt Rᵀ is the cross product with the angular velocity.
double kinetic_energy(const Joints& q, const Joints& qd) {
  constexpr double kStep = 1e-5;
  const Pose before = pose_of(q - kStep * qd), now = pose_of(q), after = pose_of(q + kStep * qd);
  double energy = 0.0;
  for (Index j = 0; j < kJoints; ++j) {
    const Link& link = arm_links()[static_cast<std::size_t>(j)];
    const Vector3d v = (after.centre[j] - before.centre[j]) / (2.0 * kStep);
    const Matrix3d cross =
        (after.rotation[j] - before.rotation[j]) / (2.0 * kStep) * now.rotation[j].transpose();
    const Vector3d w =
        now.rotation[j].transpose() * Vector3d(cross(2, 1), cross(0, 2), cross(1, 0));
    energy += 0.5 * link.mass * v.squaredNorm() + 0.5 * w.dot(link.inertia * w);
  }
  return energy;
}

// Column j: the torques of a unit acceleration of joint j at rest, without gravity.
Eigen::Matrix<double, kJoints, kJoints> mass_matrix(const Joints& q) {
  Eigen::Matrix<double, kJoints, kJoints> mass;
  for (Index j = 0; j < kJoints; ++j) {
    mass.col(j) = rigid_torques(q, Joints::Zero(), Joints::Unit(j), 0.0);
  }
  return mass;
}

TEST(Arm, TorquesAtRestAreTheGradientOfThePotentialEnergy) {
  constexpr double kStep = 1e-5;
  for (std::uint64_t row = 0; row < 5; ++row) {
    const Joints q = some_joints(row, 1.0);
    const Joints torque = rigid_torques(q, Joints::Zero(), Joints::Zero());
    for (Index j = 0; j < kJoints; ++j) {
      const Joints h = kStep * Joints::Unit(j);
      const double slope = (potential_energy(q + h) - potential_energy(q - h)) / (2.0 * kStep);
      EXPECT_NEAR(torque[j], slope, 1e-7) << "joint " << j;
    }
  }
}

TEST(Arm, PowerIsTheChangeOfEnergy) {
  constexpr double kStep = 1e-4;
  for (std::uint64_t row = 0; row < 5; ++row) {
    const Joints q = some_joints(row, 1.0), qd = some_joints(row + 100, 1.5),
                 qdd = some_joints(row + 200, 5.0);
    const auto energy = [&](double t) {
      const Joints at = q + t * qd + 0.5 * t * t * qdd, speed = qd + t * qdd;
      return kinetic_energy(at, speed) + potential_energy(at);
    };
    const double change = (energy(kStep) - energy(-kStep)) / (2.0 * kStep);
    const double power = rigid_torques(q, qd, qdd).dot(qd);
    EXPECT_NEAR(power, change, 1e-5 * (1.0 + std::abs(change)));
  }
}

TEST(Arm, MassMatrixIsSymmetricPositiveDefinite) {
  for (std::uint64_t row = 0; row < 5; ++row) {
    const auto mass = mass_matrix(some_joints(row, 1.0));
    EXPECT_LT((mass - mass.transpose()).norm(), 1e-12 * mass.norm());
    EXPECT_GT(fixture::eigenvalues(mass)[0], 0.0);
  }
}

TEST(Arm, MassMatrixGivesTheKineticEnergy) {
  for (std::uint64_t row = 0; row < 5; ++row) {
    const Joints q = some_joints(row, 1.0), qd = some_joints(row + 100, 1.5);
    EXPECT_NEAR(0.5 * qd.dot(mass_matrix(q) * qd), kinetic_energy(q, qd),
                1e-7 * kinetic_energy(q, qd));
  }
}

TEST(Arm, FrictionOpposesMotion) {
  const Joints qd = some_joints(3, 1.0), torque = friction_torques(qd);
  for (Index j = 0; j < kJoints; ++j) EXPECT_GT(torque[j] * qd[j], 0.0);
  EXPECT_EQ(friction_torques(Joints::Zero()), Joints::Zero());
}

TEST(Arm, LinksAreBodies) {  // an inertia's largest moment is at most the sum of the others
  for (const Link& link : arm_links()) {
    const Vector moments = fixture::eigenvalues(link.inertia);
    EXPECT_GT(moments[0], 0.0);
    EXPECT_LT(moments[2], moments[0] + moments[1]);
  }
}

// A smooth movement: the velocities are the slopes of the positions, and so on, up to sensor noise.
TEST(Arm, SimulatedMotionIsConsistent) {
  const SarcosData data = simulate_sarcos();
  constexpr Index kAway = 5;  // rows, 0.02 s each
  for (const Index offset : {Index{0}, kJoints}) {
    double slopes = 0.0, differences = 0.0;
    for (Index r = kAway; r < 300 - kAway; ++r) {
      for (Index j = offset; j < offset + kJoints; ++j) {
        const double slope =
            (data.test_x(r + kAway, j) - data.test_x(r - kAway, j)) / (2.0 * 0.02 * kAway);
        slopes += slope * slope;
        differences += std::pow(slope - data.test_x(r, kJoints + j), 2);
      }
    }
    EXPECT_LT(differences, 0.05 * slopes);
  }
}

TEST(Arm, SimulatedDataHaveTheShapeOfSarcos) {
  const SarcosData data = simulate_sarcos();
  EXPECT_EQ(data.pool_x.rows(), 15000);
  EXPECT_EQ(data.pool_x.cols(), kArmInputs);
  EXPECT_EQ(data.test_x.rows(), 4449);
  EXPECT_EQ(data.test_y.cols(), kJoints);
  Index count[kJoints] = {};
  for (const int task : data.pool_task) ++count[task];
  for (const Index each : count) EXPECT_NEAR(static_cast<double>(each), 15000.0 / 7.0, 200.0);
}

}  // namespace
}  // namespace mdgp::experiments
