#include "mdgp/inference/sample_hyperparameters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>
#include <numeric>

#include "mdgp/inference/exact.h"
#include "mdgp/inference/natural_gradient.h"
#include "mdgp/linalg/blas.h"
#include "mdgp/linalg/check.h"
#include "mdgp/linalg/parallel.h"
#include "mdgp/models/hyperparameters.h"
#include "mdgp/random/normal.h"

namespace mdgp {
namespace {

// What is known of a hyperparameter for standardised inputs and targets: its median, and the
// spreads of its logarithm that tasks have in common and of their own; of a mixing weight, which
// may be negative, those of itself. Other priors than those of the search for the best ones
// (models/hyperparameters.cc): an average can bear wider ones, which say less, and does better with
// them (docs/accuracy.md).
struct Belief {
  double median, spread, own;
  bool logarithm = true;
};
constexpr double kLengthscale = 2.5;  // times the square root of the number of inputs
constexpr Belief kVariance{0.5, 0.7, 0.7}, kConstant{2.0, 0.7, 0.7}, kNoise{0.03, 0.7, 0.7};
constexpr Belief kKappa{0.3, 0.0, 0.7}, kMixing{0.0, 0.0, 0.4, false};

constexpr Index kChains = 2;
constexpr int kShrinkings = 60;  // of a slice, which then leaves the state where it was

Belief belief(const Kernel& leaf, std::string_view name, Index inputs) {
  const auto count = static_cast<double>(inputs);
  if (name.ends_with("lengthscales")) return {kLengthscale * std::sqrt(count), 0.5, 0.2};
  // Far apart: of many inputs few matter to a linear function.
  if (is_linear(leaf)) return {1.0 / count, 3.0, 2.0};
  if (leaf.type->name == "coregion") return name.ends_with("kappa") ? kKappa : kMixing;
  return leaf.type->name == "constant" ? kConstant : kVariance;
}

// The symmetric square root, [D, D], of the correlations of the inputs without their signs; what is
// negative of their eigenvalues, which these may have, is left out. Rows have length 1.
Matrix together(const Matrix& x) {
  Matrix c = x.rowwise() - x.colwise().mean();
  for (Index d = 0; d < c.cols(); ++d) {
    const double length = c.col(d).norm();
    if (length > 0.0) c.col(d) /= length;
  }
  Matrix correlations = Matrix::Zero(c.cols(), c.cols());
  add_gram(as_const(view_of(c)), view_of(correlations));
  correlations = correlations.cwiseAbs();
  correlations.diagonal().setOnes();
  Matrix vectors(c.cols(), c.cols()), root(c.cols(), c.cols());
  Vector values(c.cols());
  largest_eigenpairs(view_of(correlations), values, view_of(vectors));
  vectors *= values.cwiseMax(0.0).array().pow(0.25).matrix().asDiagonal();
  lower_gram(1.0, as_const(view_of(vectors)), view_of(root));
  mirror(view_of(root));
  root.rowwise().normalize();
  return root;
}

// Elements of a parameter: first, first + step, …; and whether they are one task's alone.
struct Slice {
  Index first, step, count;
  bool own;
};

// What task t looks at of parameter i of a leaf.
Slice slice_of(const Kernel& leaf, std::size_t i, const Parameter& p, Index t) {
  const std::string_view type = leaf.type->name;
  if (type == "coregion") return {t, p.rows, p.cols, true};        // row t of W and of kappa
  if (type == "tasklinear") return {t * p.rows, 1, p.rows, true};  // column t
  if (type == "private") return {0, 1, i / 2 == at(t) ? p.size() : 0, true};
  return {0, 1, p.size(), false};
}

// The hyperparameters of one task, in the order that all tasks have: what it shares with others
// stands in the list of each.
struct Task {
  Index process;              // of those below
  std::vector<Index> places;  // of each element, in Parameters::values; the noise is last
};

struct Rows {
  const Process* process;
  Regression rows;
};

struct Elements {
  Vector location, spread, own;
  std::vector<bool> logarithm;
  Index size() const { return location.size(); }
};

// The exact GPs, of each task or of all, and how their hyperparameters follow from s and z.
class Problem {
 public:
  Problem(const Model& model, const DataSet& data, bool alike)
      : model_(model), together_(together(data.x)) {
    std::vector<Belief> beliefs;
    for (const Process& process : model.cascade.layers.back().processes) {
      rows_.push_back({&process, top_regression(model, process, data)});
    }
    for (Index t = 0; t < model.cascade.tasks; ++t) {
      beliefs.clear();  // the same for all tasks, as is where the linear variances stand
      linear_.clear();
      Task task{correlated() ? 0 : t, {}};
      add(rows_[at(task.process)].process->kernel, t, task, beliefs);
      task.places.push_back(model.parameters[model.likelihoods[at(t)].parameters[0]].offset);
      beliefs.push_back(kNoise);
      tasks_.push_back(std::move(task));
    }
    set_elements(beliefs, alike || correlated());
  }

  bool correlated() const { return rows_.front().process->shared(); }
  Index tasks() const { return static_cast<Index>(tasks_.size()); }
  Index processes() const { return static_cast<Index>(rows_.size()); }
  Index process_of(Index t) const { return tasks_[at(t)].process; }
  Index size() const { return elements_.size(); }

  // Sets the values of task t that follow from s and z.
  void write(Index t, const Vector& s, const Vector& z, Parameters& parameters) const {
    Vector x = elements_.spread.cwiseProduct(s) + elements_.own.cwiseProduct(z);
    for (const Index first : linear_) {
      x.segment(first, together_.rows()) = (together_ * x.segment(first, together_.rows())).eval();
    }
    x += elements_.location;
    for (Index j = 0; j < size(); ++j) {
      parameters.values[tasks_[at(t)].places[at(j)]] =
          elements_.logarithm[at(j)] ? std::exp(x[j]) : x[j];
    }
  }

  // log p(y) of the observations of process p; -infinity where it cannot be had.
  double log_p(Index p, const Parameters& parameters, Tape& tape) const {
    const auto& [process, rows] = rows_[at(p)];
    Vector noise(rows.y.rows());
    for (Index i = 0; i < noise.size(); ++i) {
      noise[i] = parameters.values[tasks_[at(rows.task[at(i)])].places.back()];
    }
    if (noise.size() == 0) return 0.0;
    try {
      const double log_p = log_marginal(*process, parameters, model_.cascade.jitter, rows, noise,
                                        tape, nullptr, nullptr);
      return std::isfinite(log_p) ? log_p : -std::numeric_limits<double>::infinity();
    } catch (const NumericalError&) {  // not positive definite
      return -std::numeric_limits<double>::infinity();
    } catch (const std::invalid_argument&) {  // a value that left the range of doubles
      return -std::numeric_limits<double>::infinity();
    }
  }

 private:
  void add(const Kernel& kernel, Index t, Task& task, std::vector<Belief>& beliefs) {
    for (const Kernel& child : kernel.children) add(child, t, task, beliefs);
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
      const Parameter& p = model_.parameters[kernel.parameters[i]];
      if (kernel.type->name == "white") continue;
      const Slice slice = slice_of(kernel, i, p, t);
      if (is_linear(kernel) && slice.count == model_.cascade.inputs) {
        linear_.push_back(static_cast<Index>(beliefs.size()));
      }
      for (Index k = 0; k < slice.count; ++k) {
        task.places.push_back(p.offset + slice.first + k * slice.step);
        beliefs.push_back(belief(kernel, p.name, model_.cascade.inputs));
        if (correlated() && !slice.own) beliefs.back().own = 0.0;
      }
    }
  }

  void set_elements(const std::vector<Belief>& beliefs, bool alike) {
    const auto count = static_cast<Index>(beliefs.size());
    elements_ = {Vector(count), Vector(count), Vector(count), {}};
    for (Index j = 0; j < count; ++j) {
      const Belief& b = beliefs[at(j)];
      elements_.location[j] = b.logarithm ? std::log(b.median) : b.median;
      elements_.spread[j] = alike ? b.spread : 0.0;
      elements_.own[j] = alike ? b.own : std::hypot(b.spread, b.own);
      elements_.logarithm.push_back(b.logarithm);
    }
  }

  const Model& model_;
  const Matrix together_;
  std::vector<Index> linear_;  // first elements of variances of all inputs
  std::vector<Rows> rows_;     // of each process
  std::vector<Task> tasks_;
  Elements elements_;
};

class Chain {
 public:
  Chain(const Problem& problem, const Parameters& parameters, const DrawKey& key)
      : problem_(problem), parameters_(parameters), key_(key), s_(Vector::Zero(problem.size())) {
    z_.assign(at(problem.tasks()), s_);
    log_p_.resize(at(problem.processes()));
    write_all(s_);
    for (Index p = 0; p < problem.processes(); ++p) {
      log_p_[at(p)] = problem.log_p(p, parameters_, tape_);
      if (!std::isfinite(log_p_[at(p)])) {
        throw NumericalError("sample_hyperparameters: K + noise is not positive definite");
      }
    }
  }

  void sweep() {
    const int repeats = problem_.correlated() ? 1 : 2;  // each looks at one task, or at all
    for (Index t = 0; t < problem_.tasks(); ++t) {
      for (int repeat = 0; repeat < repeats; ++repeat) move_task(t);
    }
    move_all();
  }

  // The values of all hyperparameters where the chain stands.
  const Parameters& parameters() const { return parameters_; }

 private:
  void write_all(const Vector& s) {
    for (Index t = 0; t < problem_.tasks(); ++t) problem_.write(t, s, z_[at(t)], parameters_);
  }

  void move_task(Index t) {
    const Index p = problem_.process_of(t);
    slice(z_[at(t)], log_p_[at(p)], [&](const Vector& z) {
      problem_.write(t, s_, z, parameters_);
      return problem_.log_p(p, parameters_, tape_);
    });
    problem_.write(t, s_, z_[at(t)], parameters_);
  }

  void move_all() {
    std::vector<double> each(log_p_.size());
    double sum = std::accumulate(log_p_.begin(), log_p_.end(), 0.0);
    const bool moved = slice(s_, sum, [&](const Vector& s) {
      write_all(s);
      for (Index p = 0; p < problem_.processes(); ++p) {
        each[at(p)] = problem_.log_p(p, parameters_, tape_);
      }
      return std::accumulate(each.begin(), each.end(), 0.0);
    });
    if (moved) log_p_ = each;
    write_all(s_);
  }

  // One draw of x, whose prior is N(0, I), along an ellipse through it and a draw from the prior;
  // says whether one was found.
  template <class LogP>
  bool slice(Vector& x, double& log_p, const LogP& log_p_at) {
    Vector other(x.size());
    for (double& value : other) value = normal(key_, next_++, 0);
    const double level = log_p + std::log(uniform(key_, next_++, 0));
    double angle = 2.0 * std::numbers::pi * uniform(key_, next_++, 0);
    double low = angle - 2.0 * std::numbers::pi, high = angle;
    for (int i = 0; i < kShrinkings; ++i) {
      const Vector proposal = std::cos(angle) * x + std::sin(angle) * other;
      const double value = log_p_at(proposal);
      if (value > level) {
        x = proposal;
        log_p = value;
        return true;
      }
      (angle < 0.0 ? low : high) = angle;
      angle = low + (high - low) * uniform(key_, next_++, 0);
    }
    return false;
  }

  const Problem& problem_;
  Parameters parameters_;
  DrawKey key_;
  std::uint64_t next_ = 0;  // of the stream of draws
  Vector s_;
  std::vector<Vector> z_;      // [tasks]
  std::vector<double> log_p_;  // [processes]
  Tape tape_;
};

// Whether to go on. Chains may run one after the other, so that each has to ask.
class Watch {
 public:
  explicit Watch(const SampleOptions& options)
      : options_(options), all_(kChains * options.burn_in + options.samples * options.thin) {}

  // After a sweep of any chain.
  bool go_on() {
    const std::lock_guard lock(mutex_);
    ++sweeps_;
    if (options_.go_on && !stopped_) {
      stopped_ = !options_.go_on(static_cast<double>(sweeps_) / static_cast<double>(all_));
    }
    return !stopped_;
  }
  bool stopped() const { return stopped_; }  // once the chains have ended

 private:
  const SampleOptions& options_;
  const Index all_;
  std::mutex mutex_;
  Index sweeps_ = 0;
  bool stopped_ = false;
};

// The shallow model whose marginal likelihood is that of the top layer on x. What is not drawn
// (white noise, the tails of a likelihood) is as in the model.
Model exact_top(const Model& model, const ModelSpec& spec, const DataSet& data) {
  Model small = make_model(exact_spec(spec, data));
  copy_hyperparameters(model, small);
  return small;
}

}  // namespace

void sample_hyperparameters(Model& model, const ModelSpec& spec, const DataSet& data,
                            const SampleOptions& options) {
  if (model.cascade.deep() && !model.cascade.propagate_inputs) {
    refuse("sample_hyperparameters", "model", "one whose top does not see x", "one whose top does");
  }
  check_positive("sample_hyperparameters", "samples", static_cast<double>(options.samples));
  check_members("sample_hyperparameters", model, options.samples);
  const Model small = exact_top(model, spec, data);
  const Problem problem(small, data, options.alike);
  model.members.clear();
  std::vector<Model> members(at(options.samples), model);
  Watch watch(options);
  parallel_for(kChains, [&](Index c, int) {
    const DrawKey key{options.seed, Purpose::hyperparameters, static_cast<std::uint32_t>(c)};
    Chain chain(problem, small.parameters, key);
    Model at_chain = small;
    for (Index m = c; m < options.samples; m += kChains) {
      const Index sweeps = options.thin + (m == c ? options.burn_in : 0);
      for (Index i = 0; i < sweeps; ++i) {
        chain.sweep();
        if (!watch.go_on()) return;
      }
      at_chain.parameters.values = chain.parameters().values;
      copy_hyperparameters(at_chain, members[at(m)]);
    }
  });
  if (watch.stopped()) return;
  for (Model& member : members) {
    if (model.cascade.deep()) {
      settle_top(member, data, options.inner_samples, options.seed);
    } else {
      set_best_posterior(member, data);
    }
    model.members.push_back(std::move(member.parameters.values));
  }
}

}  // namespace mdgp
