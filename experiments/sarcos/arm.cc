#include "arm.h"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

namespace mdgp::experiments {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kSlow = 0.05;  // rad/s: Coulomb friction changes its sign within about this

Matrix3d inertia(double xx, double yy, double zz, double xy, double xz, double yz) {
  Matrix3d m;
  m << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  return m;
}

// A shoulder, an elbow and a wrist about the size of a tall person's, and as heavy as hydraulics
// make it.
std::array<Link, kJoints> make_links() {
  constexpr double kRight = std::numbers::pi / 2.0;
  return {{
      {0.0,
       0.0,
       0.35,
       6.0,
       {0.01, -0.02, -0.06},
       inertia(.050, .048, .022, .001, -.002, .003),
       1.2,
       2.0,
       0.40},
      {-kRight,
       0.02,
       0.0,
       5.0,
       {0.015, -0.07, 0.02},
       inertia(.040, .018, .038, -.002, .001, .002),
       1.2,
       2.0,
       0.40},
      {kRight,
       0.0,
       0.33,
       4.2,
       {-0.01, 0.02, -0.08},
       inertia(.034, .033, .012, .001, .001, -.002),
       0.6,
       1.0,
       0.20},
      {-kRight,
       0.03,
       0.0,
       3.4,
       {0.02, -0.05, 0.01},
       inertia(.022, .010, .021, .001, .001, .001),
       0.6,
       1.0,
       0.20},
      {kRight,
       -0.02,
       0.29,
       2.2,
       {0.005, 0.015, -0.07},
       inertia(.013, .013, .004, .0, .0, .001),
       0.15,
       0.25,
       0.05},
      {-kRight,
       0.0,
       0.0,
       1.3,
       {0.01, 0.02, 0.01},
       inertia(.004, .003, .004, .0003, .0, .0002),
       0.12,
       0.20,
       0.05},
      {kRight,
       0.01,
       0.06,
       1.0,
       {0.03, 0.01, 0.07},
       inertia(.005, .005, .002, .0002, .0005, .0003),
       0.10,
       0.15,
       0.04},
  }};
}

// From the frame of link i to that of the one before: v_before = rotation v + offset.
struct Step {
  Matrix3d rotation;
  Vector3d offset;
};

Step step_of(const Link& link, double q) {
  const Matrix3d tilt = Eigen::AngleAxisd(link.alpha, Vector3d::UnitX()).toRotationMatrix();
  const Matrix3d turn = Eigen::AngleAxisd(q, Vector3d::UnitZ()).toRotationMatrix();
  return {tilt * turn, Vector3d(link.a, 0.0, 0.0) + tilt * Vector3d(0.0, 0.0, link.d)};
}

}  // namespace

const std::array<Link, kJoints>& arm_links() {
  static const std::array<Link, kJoints> links = make_links();
  return links;
}

// Craig, "Introduction to Robotics", eqs. 6.45 to 6.53: velocities and accelerations outwards,
// forces and moments inwards, each in the frame of its link. Gravity is the base accelerating
// upwards.
Joints rigid_torques(const Joints& q, const Joints& qd, const Joints& qdd, double gravity) {
  const auto& links = arm_links();
  std::array<Step, kJoints> steps;
  std::array<Vector3d, kJoints> force, moment;  // on the link, at its centre of mass
  Vector3d w = Vector3d::Zero(), dw = Vector3d::Zero(), dv(0.0, 0.0, gravity);
  for (std::size_t i = 0; i < kJoints; ++i) {
    const auto j = static_cast<Index>(i);
    const Link& link = links[i];
    const Step& step = steps[i] = step_of(link, q[j]);
    const Matrix3d inward = step.rotation.transpose();
    dv = inward * (dw.cross(step.offset) + w.cross(w.cross(step.offset)) + dv);
    const Vector3d turned = inward * w, spin = qd[j] * Vector3d::UnitZ();
    dw = inward * dw + turned.cross(spin) + qdd[j] * Vector3d::UnitZ();
    w = turned + spin;
    force[i] = link.mass * (dw.cross(link.centre) + w.cross(w.cross(link.centre)) + dv);
    moment[i] = link.inertia * dw + w.cross(link.inertia * w);
  }
  Joints torque;
  Vector3d f = Vector3d::Zero(), n = Vector3d::Zero();  // that the link before must give
  for (std::size_t i = kJoints; i-- > 0;) {
    Vector3d outer_f = f, outer_n = n;  // that this link gives to the next, in its own frame
    if (i + 1 < kJoints) {
      outer_f = steps[i + 1].rotation * f;
      outer_n = steps[i + 1].rotation * n + steps[i + 1].offset.cross(outer_f);
    }
    f = outer_f + force[i];
    n = outer_n + moment[i] + links[i].centre.cross(force[i]);
    torque[static_cast<Index>(i)] = n.z();
  }
  return torque;
}

Joints friction_torques(const Joints& qd) {
  Joints torque;
  for (Index j = 0; j < kJoints; ++j) {
    const Link& link = arm_links()[static_cast<std::size_t>(j)];
    torque[j] = link.viscous * qd[j] + link.coulomb * std::tanh(qd[j] / kSlow);
  }
  return torque;
}

}  // namespace mdgp::experiments
