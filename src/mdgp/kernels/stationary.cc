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
    scale_column(x.rows(), centre[d], inverse[d], column(x, d), column(s.x, d), s.norms);
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
void squared_distances(const Scaled& x, const Scaled& z, View r2) {
  gemm(Op::none, Op::transpose, -2.0, as_const(x.x), as_const(z.x), 0.0, r2);
  for (Index j = 0; j < r2.cols(); ++j) {
    std::fill(column(r2, j) + r2.rows(), column(r2, j) + r2.outerStride(), 0.0);
    finish_distances(x, z, j, 0, r2.rows(), r2);
  }
}

// The same for the points of z among themselves, half the work.
void squared_distances(const Scaled& z, View r2) {
  lower_gram(-2.0, as_const(z.x), r2);
  for (Index j = 0; j < r2.cols(); ++j) {
    std::fill(column(r2, j) + r2.rows(), column(r2, j) + r2.outerStride(), 0.0);
    r2(j, j) = 0.0;
    finish_distances(z, z, j, j + 1, r2.rows(), r2);
  }
  mirror(r2);
}

// w = K̄ dk takes the place of dk; its sums over rows and over columns. Adds to the variance's
// adjoint.
struct WeightSums {
  double* of_rows;     // [n]: sum_j w_ij
  double* of_columns;  // [m]: sum_i w_ij
};

void weigh(const Leaves& leaves, int variance, const Var& K, View dk, WeightSums sums) {
  std::fill_n(sums.of_rows, dk.rows(), 0.0);
  double adjoint = 0.0;
  for (Index j = 0; j < dk.cols(); ++j) {
    const ProfileSums of_column = multiply_profile(dk.rows(), column(K.adjoint, j),
                                                   column(K.value, j), column(dk, j), sums.of_rows);
    sums.of_columns[j] = of_column.w;
    adjoint += of_column.k;
  }
  leaves.adjoint(variance)(0, 0) += adjoint / leaves.value(variance)(0, 0);
}

// With X' and Z' the scaled points, w_ij = K̄_ij dk_ij (the adjoint of r²_ij), and
// d r²_ij / d X'_i = 2 (X'_i - Z'_j):
//   X̄'_i = 2 (X'_i sum_j w_ij - V_i),                  V = w Z'
//   Z̄'_j = 2 (Z'_j sum_i w_ij - U_j),                  U = wᵀ X'
//   lengthscale̅_d = -1/lengthscale_d sum_ij 2 w_ij (X'_id - Z'_jd)²
//                 = -2/lengthscale_d (sum_i X'_id² sum_j w_ij
//                                     + sum_j Z'_jd (Z'_jd sum_i w_ij - 2 U_jd))
// so that the lengthscales cost no product beyond U, which Z needs anyway.
void reverse_cross(Tape& tape, const Leaves& leaves, const Kernel& kernel, const Var& K, View dk,
                   const Scaled& xs, const Scaled& zs, const double* inverse, Points x, Points z) {
  const Index n = dk.rows(), m = dk.cols(), inputs = xs.x.cols();
  View U = tape.matrix(m, inputs), V = tape.matrix(x.x.differentiable() ? n : 0, inputs);
  const WeightSums sums{tape.array<double>(n), tape.array<double>(m)};
  const int variance_id = kernel.parameters[kVariance];
  const int lengthscales_id = kernel.parameters[kLengthscales];
  tape.on_reverse([=]() mutable {
    weigh(leaves, variance_id, K, dk, sums);
    gemm(Op::transpose, Op::none, 1.0, as_const(dk), as_const(xs.x), 0.0, U);
    if (x.x.differentiable()) {
      gemm(Op::none, Op::none, 1.0, as_const(dk), as_const(zs.x), 0.0, V);
    }
    View lengthscales = leaves.adjoint(lengthscales_id);
    for (Index d = 0; d < inputs; ++d) {
      const double* x_d = column(xs.x, d);
      const double* z_d = column(zs.x, d);
      const double* U_d = column(U, d);
      const double sum = weighted_squares(n, sums.of_rows, x_d) +
                         weighted_squares(m, sums.of_columns, z_d) - 2.0 * dot(m, z_d, U_d);
      lengthscales(lengthscales.rows() > 1 ? d : 0, 0) -= 2.0 * inverse[d] * sum;
      const double scale = 2.0 * inverse[d];
      if (z.x.differentiable()) {
        add_pull(m, scale, z_d, sums.of_columns, U_d, column(z.x.adjoint, d));
      }
      if (x.x.differentiable()) {
        add_pull(n, scale, x_d, sums.of_rows, column(V, d), column(x.x.adjoint, d));
      }
    }
  });
}

// The same for K(Z, Z), where both sides move: with W = w + wᵀ, one product for all,
//   Z̄'_j = 2 (Z'_j sum_i W_ij - U_j),   U = W Z'
//   lengthscale̅_d = -2/lengthscale_d sum_j Z'_jd (Z'_jd sum_i W_ij - U_jd).
void reverse_gram(Tape& tape, const Leaves& leaves, const Kernel& kernel, const Var& K, View dk,
                  const Scaled& zs, const double* inverse, Points z) {
  const Index m = dk.rows(), inputs = zs.x.cols();
  View U = tape.matrix(m, inputs), W = tape.matrix(m, m);
  const WeightSums sums{tape.array<double>(m), tape.array<double>(m)};
  const int variance_id = kernel.parameters[kVariance];
  const int lengthscales_id = kernel.parameters[kLengthscales];
  tape.on_reverse([=]() mutable {
    weigh(leaves, variance_id, K, dk, sums);
    transpose(as_const(dk), W);
    for (Index j = 0; j < m; ++j) add_scaled(m, 1.0, column(dk, j), column(W, j));
    add_scaled(m, 1.0, sums.of_rows, sums.of_columns);
    gemm(Op::none, Op::none, 1.0, as_const(W), as_const(zs.x), 0.0, U);
    View lengthscales = leaves.adjoint(lengthscales_id);
    for (Index d = 0; d < inputs; ++d) {
      const double* z_d = column(zs.x, d);
      const double sum = weighted_squares(m, sums.of_columns, z_d) - dot(m, z_d, column(U, d));
      lengthscales(lengthscales.rows() > 1 ? d : 0, 0) -= 2.0 * inverse[d] * sum;
      if (z.x.differentiable()) {
        add_pull(m, 2.0 * inverse[d], z_d, sums.of_columns, column(U, d), column(z.x.adjoint, d));
      }
    }
  });
}

}  // namespace

std::vector<int> declare_stationary(const KernelContext& context, const std::string& prefix,
                                    Parameters& parameters) {
  return {parameters.add(prefix + "variance", 1, 1, Constraint::positive, 1.0),
          parameters.add(prefix + "lengthscales", context.ard ? context.inputs : 1, 1,
                         Constraint::positive, 1.0)};
}

Var stationary_cross(Tape& tape, const Leaves& leaves, const Kernel& kernel, Points x, Points z,
                     Profile profile) {
  const Index n = x.x.rows(), m = z.x.rows(), inputs = x.x.cols();
  const double variance = leaves.value(kernel.parameters[kVariance])(0, 0);
  const ConstView lengthscales = leaves.value(kernel.parameters[kLengthscales]);

  double* inverse = tape.array<double>(inputs);
  double* centre = tape.array<double>(inputs);
  for (Index d = 0; d < inputs; ++d) {
    inverse[d] = 1.0 / lengthscales(lengthscales.rows() > 1 ? d : 0, 0);
    centre[d] = z.x.value.col(d).sum() / static_cast<double>(m);
  }
  const bool same = x.x.value.data() == z.x.value.data() && n == m &&
                    x.x.adjoint.data() == z.x.adjoint.data();  // K(Z, Z)
  const Scaled zs = scale_points(tape, z.x.value, centre, inverse);
  const Scaled xs = same ? zs : scale_points(tape, x.x.value, centre, inverse);

  Var K = tape.used_once(n, m);
  View dk = tape.matrix(n, m);  // first r², then dK/dr², in the reverse w
  same ? squared_distances(zs, dk) : squared_distances(xs, zs, dk);
  profile(dk.outerStride() * m, variance, dk.data(), K.value.data(), dk.data());
  if (same) dk.diagonal().setZero();  // a point's distance to itself does not depend on anything
  if (!tape.recording()) return K;

  same ? reverse_gram(tape, leaves, kernel, K, dk, zs, inverse, z)
       : reverse_cross(tape, leaves, kernel, K, dk, xs, zs, inverse, x, z);
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
