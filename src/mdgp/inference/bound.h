// The evidence lower bound (paper.tex eq. 7),
//
//   L = sum_t sum_n E_q[log p(y_n^t | f_n^t)] - sum over processes KL[q(u) || p(u)],
//
// estimated from a batch of rows with S samples of the inner layers, and its exact gradient for the
// draws made. The same seed gives the same bits with any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "mdgp/layers/cascade.h"
#include "mdgp/models/model.h"

namespace mdgp {

struct Observation {
  Index row = 0;  // of Batch::x
  int task = 0;
  double y = 0.0;
};

// Rows and what was observed on them: one task, several or all.
struct Batch {
  ConstView x = make_view(static_cast<const double*>(nullptr), 0, 0);  // [n, D]
  const std::vector<Observation>* observations = nullptr;
  // Names of the rows in random draws, so that a row has the same draws in whatever batch it comes;
  // null: their number in x.
  const std::uint64_t* row_id = nullptr;
};

struct BoundOptions {
  Index samples = 1;       // S
  double kl_weight = 1.0;  // on the KL
  // What the likelihood term is scaled to, num_data / (observations in the batch); 0: no scaling.
  double num_data = 0.0;
  // In place of num_data: a scale for each task, for batches that do not draw tasks in proportion.
  std::vector<double> task_scale;
  Noise noise;
};

struct BoundValue {
  double bound = 0.0;                    // expected_log_likelihood - kl_weight * kl
  double expected_log_likelihood = 0.0;  // scaled, mean over samples
  double kl = 0.0;
};

// Throws where a batch does not fit the model, or an option is out of its range.
void check_batch(std::string_view function, const Model& model, const Batch& batch,
                 const BoundOptions& options);
// What the log-likelihood of a task's observations in the batch is multiplied by.
double likelihood_scale(const Batch& batch, const BoundOptions& options, int task);

// q(f) at the observations, in the batch's order: row i * samples + s (see TopMoments).
struct TopValues {
  Matrix mean, variance;  // [observations * samples, widest f]
  Index samples = 1;
};

// Evaluates the bound of one model again and again; after the first time for a size of batch,
// without allocating. Not to be shared between threads; it uses set_num_threads() threads itself.
class Bound {
 public:
  explicit Bound(const Model& model);
  ~Bound();
  Bound(Bound&&) noexcept;
  Bound& operator=(Bound&&) noexcept;

  // Where gradient is not null it is resized and set to that of the bound with respect to every
  // parameter, the trainable and the others. Where top is not null it is set. Throws
  // std::invalid_argument for a batch that does not fit the model and for parameters out of range,
  // NumericalError where the mathematics fails. The model is the one given to the constructor, as
  // its parameters are now.
  BoundValue operator()(const Batch& batch, const BoundOptions& options, Vector* gradient = nullptr,
                        TopValues* top = nullptr);

 private:
  struct Workspace;
  const Model* model_;
  std::unique_ptr<Workspace> work_;
};

}  // namespace mdgp
