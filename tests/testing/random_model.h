// Small random models and batches of all six kinds, and the textbook's formulas for them: dense,
// not whitened, one point at a time, sharing no code with the library but the parameter table.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "mdgp/inference/bound.h"

namespace mdgp::fixture {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double normal() { return normal_(engine_); }
  double uniform(double low, double high) { return low + (high - low) * uniform_(engine_); }
  Index below(Index limit) {
    return static_cast<Index>(uniform_(engine_) * static_cast<double>(limit));
  }
  Matrix normals(Index rows, Index cols) {
    return Matrix::NullaryExpr(rows, cols, [this] { return normal(); });
  }

 private:
  std::mt19937 engine_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

inline const std::vector<std::string> kModels = {"smdgp", "mmdgp", "cmdgp", "idgp", "cgp", "igp"};

bool is_deep(std::string_view model);
bool is_coregional(std::string_view model);

// Several processes of different widths in every inner layer, three inputs, M = 3 and 4.
ModelSpec small_spec(std::string_view model, Index depth, std::vector<TaskSpec> tasks);

// Three Gaussian tasks.
std::vector<TaskSpec> gaussian_tasks();

// Every parameter at a random value well inside its range, lower triangles with a diagonal about
// 0.7.
void randomise(Model& model, Random& random);
Model random_model(const ModelSpec& spec, unsigned seed);

// A batch that owns its data.
struct Data {
  Matrix x;
  std::vector<Observation> observations;
  std::vector<std::uint64_t> row_id;

  Batch batch() const {
    return {view_of(x), &observations, row_id.empty() ? nullptr : row_id.data()};
  }
};

enum class Observed { one, mixed, all };  // tasks on a row: one; one, some or all; all

Data random_data(const Model& model, Index rows, Observed observed, Random& random);

using GivenNoise = std::vector<std::vector<Matrix>>;
GivenNoise random_noise(const Model& model, Index rows, Index samples, Random& random);

// Whether each element of the parameter vector may vary (not above the diagonal of a triangle).
std::vector<bool> free_elements(const Model& model);

// What conditional() takes where no derivatives are wanted.
ProcessAdjoints no_adjoints(const Parameters& parameters);

// k((x, s), (z, t)) of a process. `same` where both are the same point, which white noise asks.
double textbook_kernel(const Process& process, const Parameters& parameters, const Vector& x, int s,
                       const Vector& z, int t, bool same);
// K(Z, Z) + jitter I.
Matrix textbook_Kzz(const Process& process, const Parameters& parameters, double jitter);

// q(u) = N(mean(:, p), covariance[p]) of the values at Z, less the mean function.
struct InducingPosterior {
  Matrix mean;
  std::vector<Matrix> covariance;
};
InducingPosterior textbook_q(const Process& process, const Parameters& parameters, double jitter);

// q(f(x)) with the inverse of K(Z, Z): mean and variance [P].
struct Marginal {
  Vector mean, variance;
};
Marginal textbook_conditional(const Process& process, const Parameters& parameters, double jitter,
                              const Vector& x, int task);

// q(f) of one row for one task on top of the cascade, given the draws eps[l] [width] of its inner
// layers.
Marginal textbook_cascade(const Model& model, const Vector& x, int task,
                          const std::vector<Vector>& eps);

}  // namespace mdgp::fixture
