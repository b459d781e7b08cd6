// Prediction from a fitted model. What it needs of the training data is in the model: the factors
// of K(Z, Z) are made once, then a row costs O(M²) per process.
//
// A deep model's prediction is a mixture: S samples of the inner layers, each with a Gaussian on
// top; so is that of a model with members, where each member makes its share of the samples. Means
// and variances follow by the law of total variance, densities by log-sum-exp, quantiles from the
// mixture's distribution function; never from one sample and never from an average of variances.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mdgp/layers/cascade.h"
#include "mdgp/models/model.h"

namespace mdgp {

struct PredictOptions {
  // Of the inner layers, over all members, of which each has one at least. A shallow model needs
  // one for each member.
  Index samples = 50;
  std::uint64_t seed = 1;
  // The number of each row in draws: a row has the same prediction by itself, in a piece of a table
  // and among all of it. Empty: 0, 1, …
  std::vector<std::uint64_t> rows = {};

  std::uint64_t row(Index i) const {
    return rows.empty() ? static_cast<std::uint64_t>(i) : rows[at(i)];
  }
};

// q(f) of one task: row i * samples + s is sample s of row i. Members have equally many samples,
// one member after the other.
struct Mixture {
  Index samples = 1;
  Matrix mean, variance;  // [rows * samples, width of f]
};

// Where q(f) does not come from a cascade: the rows x of one task to q(f) there. Must be safe to
// call from several threads at once and give the same bits for the same options.
using LatentFunction =
    std::function<Mixture(const ConstView& x, int task, const PredictOptions& options)>;

// Mean and variance of y; for a multi-class task the probability of each class and its variance.
struct Prediction {
  Matrix mean, variance;  // [rows, 1 or classes]
};

class Posterior {
 public:
  explicit Posterior(Model model);
  // q(f) from elsewhere (baselines/), with the model's likelihoods on top of it; its cascade has no
  // layers.
  Posterior(Model model, LatentFunction latent);
  Posterior(const Posterior&) = delete;
  Posterior& operator=(const Posterior&) = delete;

  const Model& model() const { return model_; }
  // The models that predictions average over: the members, or the model itself.
  Index members() const { return members_.empty() ? 1 : static_cast<Index>(members_.size()); }
  const Model& member(Index m) const {
    return members_.empty() ? model_ : members_[static_cast<std::size_t>(m)];
  }

  Mixture latent(const ConstView& x, int task, const PredictOptions& options = {}) const;

  // From q(f), which serves them all.
  Prediction predict(const Mixture& f, int task) const;
  Vector log_density(const Mixture& f, int task, const Vector& y) const;
  Matrix quantiles(const Mixture& f, int task, const std::vector<double>& levels) const;
  // P(Y <= y_i) of each row.
  Vector distribution(const Mixture& f, int task, const Vector& y) const;

  // From rows.
  Prediction predict(const ConstView& x, int task, const PredictOptions& options = {}) const;
  // log p(y_i | x_i) of each row.
  Vector log_density(const ConstView& x, int task, const Vector& y,
                     const PredictOptions& options = {}) const;
  // [rows, levels]: where the distribution function of y reaches each level. Not for multi-class
  // tasks, whose targets have no order.
  Matrix quantiles(const ConstView& x, int task, const std::vector<double>& levels,
                   const PredictOptions& options = {}) const;

 private:
  const Likelihood& likelihood(int task) const;
  const Likelihood& ordered(int task) const;  // throws where it is a multi-class one
  Mixture member_latent(Index member, const ConstView& x, int task,
                        const PredictOptions& options) const;
  // use(leaves of a member, mean, variance, rows): what the member made of f, and where it stands.
  template <class Use>
  void for_members(const Mixture& f, const Use& use) const;

  Model model_;
  LatentFunction latent_;  // empty: the cascade
  std::vector<Model> members_;
  std::vector<Leaves> leaves_;  // [members]
  std::vector<std::vector<Prepared>> prepared_;
  std::vector<std::vector<ProcessAdjoints>> no_adjoints_;
};

}  // namespace mdgp
