#include "mdgp/kernels/stationary.h"

#include <algorithm>

#include "mdgp/linalg/blas.h"
#include "mdgp/linalg/elementwise.h"

namespace mdgp::kernels {
namespace {

enum { kVariance, kLengthscales };

// (x - centre) / lengthscales and its squared norms. Distances do not change when both sides move
// by the same centre, but the rounding of |x|² + |z|² - 2 x·z does.
struct Scaled {
  View x;         // [n, D]
  double* norms;  // [n]
};

Scaled scale_points(Tape& tape, const View& x, const double* centre, const double* inverse) {
  Scaled s{tape.matrix(x.rows(), x.cols()), tape.array<double>(x.rows())};
  std::fill_n(s.norms, x.rows(), 0.0);
  for (Index d = 0; d < x.cols(); ++d) {
    const double* from = column(x, d);
    double* to = column(s.x, d);
    for (Index i = 0; i < x.rows(); ++i) {
      to[i] = (from[i] - centre[d]) * inverse[d];
      s.norms[i] += to[i] * to[i];
    }
  }
  return s;
}

double direct_distance(const Scaled& x, Index i, const Scaled& z, Index j) {
  double sum = 0.0;
  for (Index d = 0; d < x.x.cols(); ++d) {
    const double difference = x.x(i, d) - z.x(j, d);
    sum += difference * difference;
  }
  return sum;
}

// r2(i, j) of rows [begin, end). Where points nearly coincide the expansion |x|² + |z|² - 2 x·z has
// lost its digits, so those few distances are computed from the differences: two equal points are
// at 0.
void finish_distances(const Scaled& x, const Scaled& z, Index j, Index begin, Index end, View r2) {
  double* r2_j = column(r2, j);
  if (!add_norms(end - begin, x.norms + begin, z.norms[j], r2_j + begin)) return;
  for (Index i = begin; i < end; ++i) {
    if (distance_is_doubtful(r2_j[i], x.norms[i], z.norms[j])) {
      r2_j[i] = std::min(direct_distance(x, i, z, j), kFarSquared);
    }
  }
}

// r2 [n, m] of all pairs, by one product; the rows that pad its columns are set to 0.
void squared_distances(const Scaled& x, const Scaled& z, bool same, View r2) {
  gemm(Op::none, Op::transpose, -2.0, as_const(x.x), as_const(z.x), 0.0, r2);
  for (Index j = 0; j < r2.cols(); ++j) {
    std::fill(column(r2, j) + r2.rows(), column(r2, j) + r2.outerStride(), 0.0);
    if (!same) {
      finish_distances(x, z, j, 0, r2.rows(), r2);
      continue;
    }
    finish_distances(x, z, j, 0, j, r2);
    r2(j, j) = 0.0;
    finish_distances(x, z, j, j + 1, r2.rows(), r2);
  }
}

}  // namespace

std::vector<int> declare_stationary(const KernelContext& context, const std::string& prefix,
                                    Parameters& parameters) {
  return {parameters.add(prefix + "variance", 1, 1, Constraint::positive, 1.0),
          parameters.add(prefix + "lengthscales", context.ard ? context.inputs : 1, 1,
                         Constraint::positive, 1.0)};
}

// With X' and Z' the scaled points, w_ij = K̄_ij dk_ij (the adjoint of r²_ij), and
// d r²_ij / d X'_i = 2 (X'_i - Z'_j):
//   X̄'_i = 2 (X'_i sum_j w_ij - V_i),                  V = w Z'
//   Z̄'_j = 2 (Z'_j sum_i w_ij - U_j),                  U = wᵀ X'
//   lengthscale̅_d = -1/lengthscale_d sum_ij 2 w_ij (X'_id - Z'_jd)²
//                 = -2/lengthscale_d (sum_i X'_id² sum_j w_ij
//                                     + sum_j Z'_jd (Z'_jd sum_i w_ij - 2 U_jd))
// so that the lengthscales cost no product beyond U, which Z needs anyway.
Var stationary_cross(Tape& tape, const Leaves& leaves, const Kernel& kernel, Points x, Points z,
                     Profile profile) {
  const Index n = x.x.rows(), m = z.x.rows(), inputs = x.x.cols();
  const int variance_id = kernel.parameters[kVariance];
  const int lengthscales_id = kernel.parameters[kLengthscales];
  const double variance = leaves.value(variance_id)(0, 0);
  const ConstView lengthscales = leaves.value(lengthscales_id);
  const bool ard = lengthscales.rows() > 1;

  double* inverse = tape.array<double>(inputs);
  double* centre = tape.array<double>(inputs);
  for (Index d = 0; d < inputs; ++d) {
    inverse[d] = 1.0 / lengthscales(ard ? d : 0, 0);
    double sum = 0.0;
    for (Index j = 0; j < m; ++j) sum += z.x.value(j, d);
    centre[d] = sum / static_cast<double>(m);
  }
  const Scaled xs = scale_points(tape, x.x.value, centre, inverse);
  const Scaled zs = scale_points(tape, z.x.value, centre, inverse);

  Var K = tape.used_once(n, m);
  View dk = tape.matrix(n, m);  // first r², then dK/dr², in the reverse w
  const bool same = x.x.value.data() == z.x.value.data() && n == m;  // K(Z, Z)
  squared_distances(xs, zs, same, dk);
  profile(dk.outerStride() * m, variance, dk.data(), K.value.data(), dk.data());
  if (same) dk.diagonal().setZero();  // a point's distance to itself does not depend on anything
  if (!tape.recording()) return K;

  View U = tape.matrix(m, inputs);
  View V = tape.matrix(x.x.differentiable() ? n : 0, inputs);
  double* row_sums = tape.array<double>(n);
  double* column_sums = tape.array<double>(m);
  tape.on_reverse([=]() mutable {
    std::fill_n(row_sums, n, 0.0);
    double variance_adjoint = 0.0;
    for (Index j = 0; j < m; ++j) {
      const ProfileSums sums =
          multiply_profile(n, column(K.adjoint, j), column(K.value, j), column(dk, j), row_sums);
      column_sums[j] = sums.w;
      variance_adjoint += sums.k;
    }
    leaves.adjoint(variance_id)(0, 0) += variance_adjoint / variance;

    gemm(Op::transpose, Op::none, 1.0, as_const(dk), as_const(xs.x), 0.0, U);
    if (x.x.differentiable()) {
      gemm(Op::none, Op::none, 1.0, as_const(dk), as_const(zs.x), 0.0, V);
    }
    View lengthscales_adjoint = leaves.adjoint(lengthscales_id);
    for (Index d = 0; d < inputs; ++d) {
      double sum = 0.0;
      for (Index i = 0; i < n; ++i) sum += row_sums[i] * xs.x(i, d) * xs.x(i, d);
      for (Index j = 0; j < m; ++j) {
        sum += zs.x(j, d) * (zs.x(j, d) * column_sums[j] - 2.0 * U(j, d));
      }
      lengthscales_adjoint(ard ? d : 0, 0) -= 2.0 * inverse[d] * sum;
      if (z.x.differentiable()) {
        for (Index j = 0; j < m; ++j) {
          z.x.adjoint(j, d) += 2.0 * inverse[d] * (zs.x(j, d) * column_sums[j] - U(j, d));
        }
      }
      if (x.x.differentiable()) {
        for (Index i = 0; i < n; ++i) {
          x.x.adjoint(i, d) += 2.0 * inverse[d] * (xs.x(i, d) * row_sums[i] - V(i, d));
        }
      }
    }
  });
  return K;
}

Var stationary_diagonal(Tape& tape, const Leaves& leaves, const Kernel& kernel, Points x) {
  const int variance_id = kernel.parameters[kVariance];
  Var k = tape.used_once(x.x.rows(), 1);
  k.value.setConstant(leaves.value(variance_id)(0, 0));
  tape.on_reverse([=]() mutable { leaves.adjoint(variance_id)(0, 0) += k.adjoint.sum(); });
  return k;
}

}  // namespace mdgp::kernels
