#include "mdgp/layers/process.h"

#include <fmt/format.h>

#include <cmath>

#include "mdgp/linalg/blas.h"
#include "mdgp/linalg/check.h"
#include "mdgp/linalg/elementwise.h"

namespace mdgp {
namespace {

constexpr double kLargestJitter = 1.0001e-2;
// Of the prior's variance, which rounding may leave I - L_1 L_1ᵀ below zero by: where there are no
// observations, q is the prior.
constexpr double kPredictionRidge = 1e-12;

// f(p, j, column of q_sqrt that is column j of L_p).
template <class F>
void for_triangle_columns(const Process& process, F f) {
  for (Index j = 0; j < process.inducing; ++j) {
    for (Index p = 0; p < process.width; ++p) f(p, j, j * process.width + p);
  }
}

}  // namespace

Process make_process(const ProcessSpec& spec, Parameters& parameters) {
  const std::string where = fmt::format("make_process({})", spec.name);
  check_positive(where, "inputs", static_cast<double>(spec.inputs));
  check_positive(where, "inducing", static_cast<double>(spec.inducing));
  check_positive(where, "width", static_cast<double>(spec.width));

  Process process;
  process.name = spec.name;
  process.layer = spec.layer;
  process.tasks = spec.tasks;
  process.inputs = spec.inputs;
  process.inducing = spec.inducing;
  process.width = spec.width;
  process.begin = parameters.size();
  process.kernel = make_kernel(spec.kernel, {spec.inputs, spec.ard, spec.all_tasks, spec.rank},
                               spec.name + ".kernel.", parameters);
  if (spec.mean_weights.size() > 0) {
    check_shape(where, "mean_weights", view_of(spec.mean_weights), spec.inputs, spec.width);
    check_finite(where, "mean_weights", view_of(spec.mean_weights));
    process.mean_weights = spec.mean_weights;
  }
  if (is_coregionalised(process.kernel)) {
    check_size(where, "Z_task", static_cast<Index>(spec.Z_task.size()), spec.inducing);
    for (const int t : spec.Z_task) check_index(where, "Z_task", t, spec.all_tasks);
    process.Z_task = spec.Z_task;
  }
  const auto add = [&](const char* name, Index cols, Constraint constraint) {
    return parameters.add(spec.name + name, spec.inducing, cols, constraint, 0.0);
  };
  process.Z = add(".Z", spec.inputs, Constraint::none);
  process.q_mu = add(".q_mu", spec.width, Constraint::none);
  process.q_sqrt = add(".q_sqrt", spec.inducing * spec.width, Constraint::lower_triangular);
  process.end = parameters.size();
  for (Index p = 0; p < spec.width; ++p) {
    set_q_sqrt_triangle(process, parameters, p, Matrix::Identity(spec.inducing, spec.inducing));
  }
  return process;
}

Matrix q_sqrt_triangle(const Process& process, const Parameters& parameters, Index p) {
  const ConstView panels = parameters.view(process.q_sqrt);
  Matrix L(process.inducing, process.inducing);
  for (Index j = 0; j < process.inducing; ++j) L.col(j) = panels.col(j * process.width + p);
  return L;
}

void set_q_sqrt_triangle(const Process& process, Parameters& parameters, Index p, const Matrix& L) {
  check_shape("set_q_sqrt_triangle", "L", view_of(L), process.inducing, process.inducing);
  check_index("set_q_sqrt_triangle", "p", p, process.width);
  View panels = parameters.view(process.q_sqrt);
  for (Index j = 0; j < process.inducing; ++j) {
    for (Index i = 0; i < process.inducing; ++i) {
      panels(i, j * process.width + p) = i >= j ? L(i, j) : 0.0;
    }
  }
}

// KL = 1/2 sum_p (|L_p|² + |q_mu(:, p)|² - M - log |L_p L_pᵀ|).
double kl_of_means(const Process& process, const Parameters& parameters, double weight,
                   double* gradient) {
  const ConstView mu = parameters.view(process.q_mu);
  if (gradient != nullptr) {
    add_scaled(mu.size(), weight, mu.data(), gradient + parameters[process.q_mu].offset);
  }
  return 0.5 * sum_of_squares(mu.size(), mu.data());
}

double kl_of_columns(const Process& process, const Parameters& parameters, Index begin, Index end,
                     double weight, double* gradient) {
  const ConstView panels = parameters.view(process.q_sqrt);
  double twice = 0.0;
  for (Index c = begin; c < end; ++c) {
    const Index j = c / process.width, below = process.inducing - j;
    const double* L = column(panels, c) + j;
    twice += sum_of_squares(below, L) - std::log(L[0] * L[0]) - 1.0;
    if (gradient == nullptr) continue;
    double* g = gradient + parameters[process.q_sqrt].offset + c * process.inducing + j;
    add_scaled(below, weight, L, g);
    g[0] -= weight / L[0];
  }
  return 0.5 * twice;
}

double kl_divergence(const Process& process, const Parameters& parameters, double weight,
                     double* gradient) {
  return kl_of_means(process, parameters, weight, gradient) +
         kl_of_columns(process, parameters, 0, process.inducing * process.width, weight, gradient);
}

void check_process(std::string_view function, const Process& process,
                   const Parameters& parameters) {
  check_kernel(function, process.kernel, parameters);
  check_finite(function, process.name + ".Z", parameters.view(process.Z));
  check_finite(function, process.name + ".q_mu", parameters.view(process.q_mu));
  const ConstView panels = parameters.view(process.q_sqrt);
  check_finite(function, process.name + ".q_sqrt", panels);
  for_triangle_columns(process, [&](Index p, Index j, Index c) {
    const auto entry = [&](Index i) {
      return fmt::format("{}.q_sqrt[{}, {}, {}]", process.name, p, i, j);
    };
    if (panels(j, c) == 0.0) refuse(function, entry(j), "0", "non-zero, as it is on the diagonal");
    for (Index i = 0; i < j; ++i) {
      if (panels(i, c) != 0.0) {
        refuse(function, entry(i), fmt::format("{}", panels(i, c)),
               "0, as it is above the diagonal");
      }
    }
  });
}

void Prepared::prepare(const Process& process, const Parameters& parameters, double jitter,
                       double* gradient) {
  const Index m = process.inducing;
  predictor_.reset();  // of what was prepared before
  tape_.clear();
  tape_.set_recording(gradient != nullptr);
  const Leaves leaves{&parameters, gradient, 0};
  const Points Z{{constant(leaves.value(process.Z)).value,
                  gradient != nullptr ? leaves.adjoint(process.Z) : no_view()},
                 process.Z_task.empty() ? nullptr : process.Z_task.data()};
  Kzz_.emplace(gram(tape_, leaves, process.kernel, Z));
  inverse_.emplace(tape_.matrix(m, m));
  const View scratch = tape_.matrix(m, m);
  for (jitter_ = jitter; jitter_ == jitter || jitter_ < kLargestJitter; jitter_ *= 10.0) {
    *inverse_ = Kzz_->value;
    inverse_->diagonal().array() += jitter_;
    if (inverse_cholesky_in_place(*inverse_, scratch)) return;
  }
  throw NumericalError(fmt::format(
      "prepare: K(Z, Z) of layer {}, process {}, is not positive definite even with jitter {:g} "
      "({}). The "
      "usual causes are values that are not finite, or a variance that is far too large.",
      process.layer, process.name, jitter_ / 10.0,
      describe_parameters(process.kernel, parameters)));
}

// U comes from the lower Cholesky factor C of I - L_1 L_1ᵀ with rows and columns in reverse order.
void Prepared::prepare_prediction(const Process& process, const Parameters& parameters) {
  if (process.width != 1) return;
  const Index m = process.inducing;
  const Matrix reversed = parameters.view(process.q_sqrt).colwise().reverse();
  Matrix C(m, m);
  const auto factorise = [&](double ridge) {
    lower_gram(-1.0, view_of(reversed), view_of(C));
    C.diagonal().array() += 1.0 + ridge;
    return cholesky_in_place(view_of(C));
  };
  if (!factorise(0.0) && !factorise(kPredictionRidge)) return;
  Matrix U_transposed = Matrix::Zero(m, m);
  for (Index j = 0; j < m; ++j) {
    for (Index i = j; i < m; ++i) U_transposed(i, j) = C(m - 1 - j, m - 1 - i);
  }
  Predictor& made = predictor_.emplace(Predictor{Matrix(m, m), Matrix(m, 1)});
  multiply_lower_by_lower(as_const(view_of(U_transposed)), inverse_factor(), view_of(made.T));
  gemm(Op::transpose, Op::none, 1.0, inverse_factor(), parameters.view(process.q_mu), 0.0,
       view_of(made.weights));
}

// For A = K L⁻ᵀ with K = K(X, Z) and L Lᵀ = K(Z, Z): the adjoint of L is L̄ = -tril(L⁻ᵀ Āᵀ A), and
// that of a Cholesky factorisation (Murray 2016, "Differentiation of the Cholesky decomposition",
// eq. 10)
//   K̄zz = L⁻ᵀ Φ(Lᵀ L̄) L⁻¹, made symmetric,  Φ = lower triangle with half the diagonal.
// The two meet: Φ(Lᵀ L̄) = -Φ(Āᵀ A), so neither L̄ nor L is needed, only S = Āᵀ A summed over rows:
//   K̄zz = -L⁻ᵀ T with T = Φ(S) L⁻¹.
// It need not be made symmetric: K(Z, Z) takes the same derivatives from both of its triangles.
void Prepared::finish(View S) {
  for (Index j = 0; j < S.cols(); ++j) {  // -Φ(S)
    for (Index i = j; i < S.rows(); ++i) S(i, j) *= i == j ? -0.5 : -1.0;
  }
  View T = tape_.matrix(S.rows(), S.rows());
  multiply_lower_by_lower(as_const(S), as_const(*inverse_), T);
  transpose(as_const(T), S);
  multiply_lower(as_const(S), as_const(*inverse_), Kzz_->adjoint);  // its transpose
  tape_.reverse();
}

}  // namespace mdgp
