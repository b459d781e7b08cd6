// A simulated arm with seven joints, for machines without the SARCOS data: rigid-body inverse
// dynamics, friction and sensor noise along smooth movements.
#pragma once

#include <Eigen/Core>
#include <array>

#include "sarcos_data.h"

namespace mdgp::experiments {

// One link in the frame of its own joint, whose z axis the joint turns about. The frame is reached
// from the one before (Craig's convention, "Introduction to Robotics", ch. 3) by a turn of `alpha`
// about x, a way `a` along it, a turn of q about the new z and a way `d` along that.
struct Link {
  double alpha, a, d;       // rad, m, m
  double mass;              // kg
  Eigen::Vector3d centre;   // of mass, m
  Eigen::Matrix3d inertia;  // about the centre of mass, kg m²
  double viscous, coulomb;  // friction: N m s / rad, N m
  double noise;             // standard deviation of the torque sensor, N m
};
const std::array<Link, kJoints>& arm_links();

using Joints = Eigen::Matrix<double, kJoints, 1>;

inline constexpr double kGravity = 9.81;  // m/s², along -z of the base

// The torques that move the arm so, without friction: recursive Newton-Euler.
Joints rigid_torques(const Joints& q, const Joints& qd, const Joints& qdd,
                     double gravity = kGravity);
// What friction adds: viscous, and Coulomb's with a smooth change of sign.
Joints friction_torques(const Joints& qd);

// Data of the same shape as SARCOS: 15,000 points with one torque each and 4,449 test rows with
// all, from other movements. Always the same.
SarcosData simulate_sarcos();

}  // namespace mdgp::experiments
