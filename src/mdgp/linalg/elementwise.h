// The loops over whole matrices that BLAS does not have and that are worth the vector units.
#pragma once

#include "mdgp/linalg/matrix.h"

// Compiles a function for the vector units of new machines and of old ones; the best is chosen when
// the program starts, so one binary runs anywhere. (The choice runs before the sanitizers' set-up.)
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define MDGP_VECTORISED \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define MDGP_VECTORISED
#endif

namespace mdgp {

// Beyond this squared distance every stationary kernel is 0 in double.
inline constexpr double kFarSquared = 1e7;

// r2_i = r2_i + x_norms_i + z_norm, kept within [0, kFarSquared]. True where some r2_i is so much
// smaller than the norms that its digits are gone.
bool add_norms(Index n, const double* x_norms, double z_norm, double* r2);
inline bool distance_is_doubtful(double r2, double x_norm, double z_norm) {
  return r2 < 1e-6 * (x_norm + z_norm);
}

// w_i = adjoint_i dk_i takes the place of dk_i and is added to row_sums_i; returns the sums of w_i
// and of adjoint_i k_i.
struct ProfileSums {
  double w;
  double k;
};
ProfileSums multiply_profile(Index n, const double* adjoint, const double* k, double* dk,
                             double* row_sums);

// For b [n, m * P], panels of P columns: out(i, p) += weight * sum_j b(i, j P + p)².
void add_squares(const ConstView& b, double weight, View out);
// b(i, j P + p) *= factor(i, p), with P the columns of factor.
void scale_columns(const ConstView& factor, View b);

// out(i, j) -= factor_i b(i, j).
void subtract_scaled_rows(const ConstView& b, const double* factor, View out);

// out [m, n] = aᵀ.
void transpose(const ConstView& a, View out);

// y += a x, and the sum of x².
void add_scaled(Index n, double a, const double* x, double* y);
double sum_of_squares(Index n, const double* x);
// sum_i x_i y_i and sum_i w_i x_i².
double dot(Index n, const double* x, const double* y);
double weighted_squares(Index n, const double* w, const double* x);

// to_i = (from_i - centre) scale, and norms_i += to_i².
void scale_column(Index n, double centre, double scale, const double* from, double* to,
                  double* norms);

// out_i += a (x_i w_i - u_i).
void add_pull(Index n, double a, const double* x, const double* w, const double* u, double* out);

}  // namespace mdgp
