#include "mdgp/inference/sample_hyperparameters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>
#include <numeric>

#include "mdgp/inference/exact.h"
#include "mdgp/inference/natural_gradient.h"
#include "mdgp/linalg/check.h"
#include "mdgp/linalg/parallel.h"
#include "mdgp/models/hyperparameters.h"
#include "mdgp/random/normal.h"

namespace mdgp {
namespace {

// What is known of a hyperparameter for standardised inputs and targets: its median, and the
// spreads of its logarithm that tasks have in common and of their own. Other priors than those of
// the search for the best ones (models/hyperparameters.cc): an average can bear wider ones, which
// say less, and does better with them (docs/accuracy.md).
struct Belief {
  double median, spread, own;
};
constexpr double kLengthscale = 2.5;  // times the square root of the number of inputs
constexpr Belief kVariance{0.5, 0.7, 0.7}, kConstant{2.0, 0.7, 0.7}, kNoise{0.03, 0.7, 0.7};

constexpr Index kChains = 2;
constexpr int kShrinkings = 60;  // of a slice, which then leaves the state where it was

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Belief belief(std::string_view kernel, std::string_view name, Index inputs) {
  const auto count = static_cast<double>(inputs);
  if (name.ends_with("lengthscales")) return {kLengthscale * std::sqrt(count), 0.5, 0.2};
  // Far apart: of many inputs few matter to a linear function.
  if (kernel == "linear") return {1.0 / count, 3.0, 2.0};
  return kernel == "constant" ? kConstant : kVariance;
}

// The hyperparameters of one task, in the order that all tasks have.
struct Task {
  const Process* process;
  Regression rows;
  std::vector<Index> places;  // of each element, in Parameters::values
};

struct Elements {
  Vector location, spread, own;
  Index size() const { return location.size(); }
};

// The exact GP of each task, and how its hyperparameters follow from s and z.
class Problem {
 public:
  Problem(const Model& model, const DataSet& data, bool alike) : model_(model) {
    std::vector<Belief> beliefs;
    for (const Process& process : model.cascade.layers.back().processes) {
      const Regression rows = top_regression(model, process, data);
      beliefs.clear();  // the same for all tasks
      Task task{&process, rows, {}};
      add(process.kernel, process.inputs, task, beliefs);
      const int id = process.tasks.front();
      task.places.push_back(model.parameters[model.likelihoods[at(id)].parameters[0]].offset);
      beliefs.push_back(kNoise);
      tasks_.push_back(std::move(task));
    }
    set_elements(beliefs, alike);
  }

  Index tasks() const { return static_cast<Index>(tasks_.size()); }
  Index size() const { return elements_.size(); }

  // Values of task t from s and z; then log p(y) of its observations, -infinity where it cannot be
  // had.
  double operator()(Index t, const Vector& s, const Vector& z, Parameters& parameters,
                    Tape& tape) const {
    const Task& task = tasks_[at(t)];
    const Vector value =
        (elements_.location + elements_.spread.cwiseProduct(s) + elements_.own.cwiseProduct(z))
            .array()
            .exp();
    for (Index j = 0; j < size(); ++j) parameters.values[task.places[at(j)]] = value[j];
    const Vector noise = Vector::Constant(task.rows.y.rows(), value[size() - 1]);
    if (noise.size() == 0) return 0.0;
    try {
      const double log_p = log_marginal(*task.process, parameters, model_.cascade.jitter, task.rows,
                                        noise, tape, nullptr, nullptr);
      return std::isfinite(log_p) ? log_p : -std::numeric_limits<double>::infinity();
    } catch (const NumericalError&) {  // not positive definite
      return -std::numeric_limits<double>::infinity();
    } catch (const std::invalid_argument&) {  // a value that left the range of doubles
      return -std::numeric_limits<double>::infinity();
    }
  }

 private:
  void add(const Kernel& kernel, Index inputs, Task& task, std::vector<Belief>& beliefs) const {
    for (const Kernel& child : kernel.children) add(child, inputs, task, beliefs);
    for (const int id : kernel.parameters) {
      const Parameter& p = model_.parameters[id];
      if (p.tied_to >= 0 || kernel.type->name == "white") continue;
      for (Index k = 0; k < p.size(); ++k) {
        task.places.push_back(p.offset + k);
        beliefs.push_back(belief(kernel.type->name, p.name, inputs));
      }
    }
  }

  void set_elements(const std::vector<Belief>& beliefs, bool alike) {
    const auto count = static_cast<Index>(beliefs.size());
    elements_ = {Vector(count), Vector(count), Vector(count)};
    for (Index j = 0; j < count; ++j) {
      const Belief& b = beliefs[at(j)];
      elements_.location[j] = std::log(b.median);
      elements_.spread[j] = alike ? b.spread : 0.0;
      elements_.own[j] = alike ? b.own : std::hypot(b.spread, b.own);
    }
  }

  const Model& model_;
  std::vector<Task> tasks_;
  Elements elements_;
};

class Chain {
 public:
  Chain(const Problem& problem, const Parameters& parameters, const DrawKey& key)
      : problem_(problem), parameters_(parameters), key_(key), s_(Vector::Zero(problem.size())) {
    z_.assign(at(problem.tasks()), s_);
    log_p_.resize(at(problem.tasks()));
    for (Index t = 0; t < problem.tasks(); ++t) {
      log_p_[at(t)] = problem(t, s_, z_[at(t)], parameters_, tape_);
      if (!std::isfinite(log_p_[at(t)])) {
        throw NumericalError("sample_hyperparameters: K + noise is not positive definite");
      }
    }
  }

  void sweep() {
    for (Index t = 0; t < problem_.tasks(); ++t) {
      for (int repeat = 0; repeat < 2; ++repeat) {
        slice(z_[at(t)], log_p_[at(t)],
              [&](const Vector& z) { return problem_(t, s_, z, parameters_, tape_); });
      }
    }
    std::vector<double> each(log_p_.size());
    double sum = std::accumulate(log_p_.begin(), log_p_.end(), 0.0);
    const bool moved = slice(s_, sum, [&](const Vector& s) {
      for (Index t = 0; t < problem_.tasks(); ++t)
        each[at(t)] = problem_(t, s, z_[at(t)], parameters_, tape_);
      return std::accumulate(each.begin(), each.end(), 0.0);
    });
    if (moved) log_p_ = each;
  }

  // The values of all hyperparameters where the chain stands.
  const Parameters& parameters() {
    for (Index t = 0; t < problem_.tasks(); ++t) problem_(t, s_, z_[at(t)], parameters_, tape_);
    return parameters_;
  }

 private:
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
  std::vector<double> log_p_;  // [tasks]
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
  ModelSpec shallow = spec;
  shallow.model = "exact-gp";
  shallow.top_inducing = observation_counts(data, model.cascade.tasks);
  for (Index& count : shallow.top_inducing) count = std::max<Index>(count, 1);
  Model small = make_model(shallow);
  copy_hyperparameters(model, small);
  return small;
}

}  // namespace

void sample_hyperparameters(Model& model, const ModelSpec& spec, const DataSet& data,
                            const SampleOptions& options) {
  if (is_coregionalised(spec.model)) {
    refuse("sample_hyperparameters", "model", spec.model, "one with a process for each task");
  }
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
