// A process: P independent GPs with one kernel and one set of inducing inputs, and their whitened
// variational posterior. With L Lᵀ = K(Z, Z) + jitter I and u = L v the values at Z (less the
// mean),
//   q(v_p) = N(q_mu(:, p), L_p L_pᵀ),   p(v_p) = N(0, I).
// Whitening makes the prior free of the kernel's parameters, so the KL is that to a standard
// normal.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "mdgp/autodiff/parameters.h"
#include "mdgp/autodiff/tape.h"
#include "mdgp/kernels/kernel.h"

namespace mdgp {

struct Process {
  std::string name;
  Index layer = 0;         // from the bottom, for messages
  std::vector<int> tasks;  // the tasks it serves, ascending; empty: all of them (shared)
  Kernel kernel;
  Matrix mean_weights;      // [D, P]: the mean function x · mean_weights, not learned; 0 x 0: zero
  std::vector<int> Z_task;  // [M] where the kernel is coregionalised, else empty
  Index inputs = 0;         // D
  Index inducing = 0;       // M
  Index width = 0;          // P

  // Parameters: Z [M, D], q_mu [M, P], and q_sqrt [M, M * P] with column j of the lower triangle
  // L_p in column j * P + p, zero above row j (linalg/blas.h says why). All, with those of the
  // kernel, in [begin, end) of the parameter vector.
  int Z = -1, q_mu = -1, q_sqrt = -1;
  Index begin = 0, end = 0;

  bool shared() const { return tasks.empty(); }
  bool serves(int task) const {
    return shared() || std::binary_search(tasks.begin(), tasks.end(), task);
  }
};

struct ProcessSpec {
  std::string name;
  Index layer = 0;
  std::vector<int> tasks;
  std::string kernel = "matern52";
  bool ard = true;
  Index inputs = 0, inducing = 0, width = 1;
  Matrix mean_weights;
  std::vector<int> Z_task;
  Index all_tasks = 1, rank = 1;  // for coregionalisation
};

// Adds the parameters: Z = 0, q at the prior. Throws where sizes do not fit.
Process make_process(const ProcessSpec& spec, Parameters& parameters);

// L_p as a matrix and back.
Matrix q_sqrt_triangle(const Process& process, const Parameters& parameters, Index p);
void set_q_sqrt_triangle(const Process& process, Parameters& parameters, Index p, const Matrix& L);

// sum_p KL[q(v_p) || p(v_p)]. Where gradient is not null, adds weight times the derivative at its
// places in the gradient of all parameters.
double kl_divergence(const Process& process, const Parameters& parameters, double weight,
                     double* gradient);
// Its parts: of q_mu, and of columns [begin, end) of q_sqrt.
double kl_of_means(const Process& process, const Parameters& parameters, double weight,
                   double* gradient);
double kl_of_columns(const Process& process, const Parameters& parameters, Index begin, Index end,
                     double weight, double* gradient);

// Throws where a value is out of its range: kernel parameters, a zero on the diagonal of q_sqrt,
// anything not finite.
void check_process(std::string_view function, const Process& process, const Parameters& parameters);

// What every row needs of a process, made once a step: L⁻¹.
class Prepared {
 public:
  // Factorises K(Z, Z). Escalates the jitter tenfold up to 1e-2, then throws NumericalError naming
  // the process and its kernel's parameters. Where gradient is not null, finish() will add to it.
  void prepare(const Process& process, const Parameters& parameters, double jitter,
               double* gradient);

  // Given S = Āᵀ A over all rows (see conditional()), carries it through the Cholesky factor back
  // to Z and the kernel's parameters. S [M, M], zero above the diagonal; overwritten.
  void finish(View S);

  // For predictions at many rows: makes predictor(), which halves what a row costs. Leaves it empty
  // where the process is wider than 1, or q's variance is above the prior's somewhere, as it never
  // is after natural gradients with a log-concave likelihood.
  void prepare_prediction(const Process& process, const Parameters& parameters);

  // With U Uᵀ = I - L_1 L_1ᵀ, U upper triangular, and k = K(Z, x):
  //   mean = kᵀ weights,   variance = k(x, x) - |T k|²
  struct Predictor {
    Matrix T;        // Uᵀ L⁻¹, [M, M] lower triangular
    Matrix weights;  // L⁻ᵀ q_mu, [M, 1]
  };
  const std::optional<Predictor>& predictor() const { return predictor_; }

  ConstView inverse_factor() const { return as_const(*inverse_); }  // L⁻¹
  double jitter() const { return jitter_; }

 private:
  Tape tape_;
  std::optional<Var> Kzz_;
  std::optional<View> inverse_;
  std::optional<Predictor> predictor_;
  double jitter_ = 0.0;
};

// Where the rows of one lane add what they send back to one process.
struct ProcessAdjoints {
  Leaves leaves;  // of the process's own parameters but q_sqrt
  View q_sqrt;    // its adjoint, [M, M * P]
  View S;         // [M, M], see conditional()
  // Whether rows have added before: until then q_sqrt and S, the large ones, hold nothing (the
  // others are zero). Above the diagonals they never hold anything.
  char* started;
};

struct Moments {
  Var mean;      // [n, P]
  Var variance;  // [n, P]
};

// q(f(x)) at every row of x: mean and marginal variances.
Moments conditional(Tape& tape, const Process& process, const Prepared& prepared,
                    const ProcessAdjoints& adjoints, Points x);

}  // namespace mdgp
