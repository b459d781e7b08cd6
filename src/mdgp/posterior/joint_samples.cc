#include "mdgp/posterior/joint_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <numbers>

#include "mdgp/linalg/blas.h"
#include "mdgp/linalg/check.h"
#include "mdgp/linalg/parallel.h"
#include "mdgp/random/normal.h"

namespace mdgp {
namespace {

constexpr double kLargestJitter = 1.0001e-2;

// Streams of draws: two for each process (of v, and at its points) and two for each task's y.
constexpr std::uint64_t kTargets = std::uint64_t{1} << 63U;

// [rows, cols] standard normals; element (i, c) is number i * cols + c of its stream, so that it
// does not depend on the number of rows.
Matrix standard_normals(const DrawKey& key, std::uint64_t stream, Index rows, Index cols) {
  const Index count = rows * cols, pairs = (count + 1) / 2, padded = (pairs + 7) / 8 * 8;
  std::vector<DrawPoint> points(at(pairs));
  for (Index k = 0; k < pairs; ++k) points[at(k)] = {stream, static_cast<std::uint32_t>(k)};
  Vector even(padded), odd(padded);
  normal_pairs(key, points.data(), pairs, 0, even.data(), odd.data());
  Matrix e(rows, cols);
  for (Index k = 0; k < count; ++k) e(k / cols, k % cols) = (k % 2 == 0 ? even : odd)[k / 2];
  return e;
}

// What a sample's layer has as its inputs: of the rows while they do not depend on the task, else
// of each task in question.
struct LayerValues {
  bool by_row;
  std::vector<Matrix> of;  // [1 or tasks]: [rows, D]
};

// f | v = mean + A v + factor e at the points of one process.
struct Conditional {
  Matrix mean;    // [n, P]
  Matrix A;       // [n, M]
  Matrix factor;  // [n, n], lower triangle
};

class Sampler {
 public:
  Sampler(const Model& model, std::vector<int> tasks, std::uint64_t seed)
      : model_(model), tasks_(std::move(tasks)), seed_(seed) {
    for_processes(model.cascade, [&](const Process& process, std::size_t, std::size_t) {
      prepared_.emplace_back().prepare(process, model.parameters, model.cascade.jitter, nullptr);
    });
  }

  // use(s, f) for the samples first, first + stride, … below `samples`; f [rows, width] of each
  // task; in any order.
  template <class Use>
  void run(const ConstView& x, Index first_sample, Index stride, Index samples, Use use) const {
    const std::vector<Layer>& layers = model_.cascade.layers;
    const LayerValues rows{true, {Matrix(x)}};
    // The first layer's inputs are those of every sample.
    std::vector<Conditional> first(layers[0].processes.size());
    parallel_for(static_cast<Index>(first.size()), [&](Index p, int) {
      Tape tape;
      if (!serves_any(layers[0], at(p))) return;
      first[at(p)] = condition(tape, layers[0], at(p), at(p), rows);
    });
    std::vector<Tape> tapes(at(num_threads()));
    parallel_for((samples - first_sample + stride - 1) / stride, [&](Index i, int worker) {
      const Index s = first_sample + i * stride;
      const DrawKey key{seed_, Purpose::prediction, static_cast<std::uint32_t>(s)};
      LayerValues h = rows;
      std::size_t index = 0;
      for (std::size_t l = 0; l < layers.size(); ++l) {
        const bool top = l + 1 == layers.size();
        LayerValues out = room(layers[l], x, top);
        for (std::size_t p = 0; p < layers[l].processes.size(); ++p, ++index) {
          if (!serves_any(layers[l], p)) continue;
          const Process& process = layers[l].processes[p];
          Conditional given_h;
          if (l > 0) given_h = condition(tapes[at(worker)], layers[l], p, index, h);
          const Matrix f = draw(key, process, index, l > 0 ? given_h : first[p]);
          place(layers[l], p, at_rows(process, h), f, out);
        }
        h = std::move(out);
      }
      use(s, h.of);
    });
  }

 private:
  static bool serves(const Layer& layer, std::size_t p, int task) {
    return layer.offset[p][at(task)] >= 0;
  }
  bool serves_any(const Layer& layer, std::size_t p) const {
    return std::any_of(tasks_.begin(), tasks_.end(), [&](int t) { return serves(layer, p, t); });
  }
  // Whether a process's points are the rows, else a point per row and task.
  static bool at_rows(const Process& process, const LayerValues& h) {
    return h.by_row && !is_coregionalised(process.kernel);
  }

  // The layer's outputs, with x beside them where the cascade wants it.
  LayerValues room(const Layer& layer, const ConstView& x, bool top) const {
    LayerValues out{layer.by_row && !top, {}};
    const Index extra = model_.cascade.propagate_inputs && !top ? x.cols() : 0;
    for (std::size_t t = 0; t < (out.by_row ? 1 : tasks_.size()); ++t) {
      out.of.emplace_back(x.rows(), layer.width[at(tasks_[t])] + extra);
      out.of.back().rightCols(extra) = x.rightCols(extra);
    }
    return out;
  }

  Conditional condition(Tape& tape, const Layer& layer, std::size_t p, std::size_t index,
                        const LayerValues& h) const {
    const Process& process = layer.processes[p];
    const Index rows = h.of[0].rows();
    Matrix H = h.of[0];
    std::vector<int> point_task;
    if (!at_rows(process, h)) {
      H.resize(rows * static_cast<Index>(tasks_.size()), process.inputs);
      for (std::size_t t = 0; t < tasks_.size(); ++t) {
        if (!serves(layer, p, tasks_[t])) continue;
        H.middleRows(static_cast<Index>(point_task.size()), rows) = h.of[h.by_row ? 0 : t];
        point_task.insert(point_task.end(), at(rows), tasks_[t]);
      }
      H.conservativeResize(static_cast<Index>(point_task.size()), process.inputs);
    }
    tape.clear();
    tape.set_recording(false);
    const Leaves leaves{&model_.parameters, nullptr, 0};
    const Points points{constant(view_of(std::as_const(H))),
                        is_coregionalised(process.kernel) ? point_task.data() : nullptr};
    const Points Z{constant(leaves.value(process.Z)),
                   process.Z_task.empty() ? nullptr : process.Z_task.data()};
    const Var Khz = cross(tape, leaves, process.kernel, points, Z);
    const Var Khh = gram(tape, leaves, process.kernel, points);
    Conditional c{Matrix::Zero(H.rows(), process.width), Matrix(H.rows(), process.inducing), {}};
    multiply_lower_transposed(as_const(Khz.value), prepared_[index].inverse_factor(), view_of(c.A));
    if (process.mean_weights.size() > 0) c.mean = H * process.mean_weights;
    const ConstView A = view_of(std::as_const(c.A));
    gemm(Op::none, Op::transpose, -1.0, A, A, 1.0, Khh.value);
    double jitter = model_.cascade.jitter;
    for (; jitter == model_.cascade.jitter || jitter < kLargestJitter; jitter *= 10.0) {
      c.factor = Khh.value;
      c.factor.diagonal().array() += jitter;
      if (cholesky_in_place(view_of(c.factor)) && c.factor.diagonal().allFinite()) return c;
    }
    throw NumericalError(fmt::format(
        "joint_samples: the covariance of process {} at {} points is not positive definite even "
        "with jitter {:g} ({}). The usual cause is a variance that is far too large.",
        process.name, H.rows(), jitter / 10.0,
        describe_parameters(process.kernel, model_.parameters)));
  }

  Matrix draw(const DrawKey& key, const Process& process, std::size_t index,
              const Conditional& c) const {
    const std::uint64_t stream = static_cast<std::uint64_t>(index) << 1U;
    Matrix v = standard_normals(key, stream, process.inducing, process.width);
    const ConstView q_mu = model_.parameters.view(process.q_mu);
    for (Index j = 0; j < process.width; ++j) {
      const Matrix L = q_sqrt_triangle(process, model_.parameters, j);
      v.col(j) = q_mu.col(j) + L * Vector(v.col(j));
    }
    const Matrix e = standard_normals(key, stream | 1U, c.mean.rows(), process.width);
    return c.mean + c.A * v + c.factor.triangularView<Eigen::Lower>() * e;
  }

  // A process's values to where each task finds them.
  void place(const Layer& layer, std::size_t p, bool f_at_rows, const Matrix& f,
             LayerValues& out) const {
    Index begin = 0;
    for (std::size_t t = 0; t < out.of.size(); ++t) {
      if (!serves(layer, p, tasks_[t])) continue;
      const Index rows = out.of[t].rows(), offset = layer.offset[p][at(tasks_[t])];
      out.of[t].middleCols(offset, f.cols()) = f.middleRows(begin, rows);
      if (!f_at_rows) begin += rows;
    }
  }

  const Model& model_;
  std::vector<int> tasks_;  // in question, ascending, each once
  std::uint64_t seed_;
  std::deque<Prepared> prepared_;  // which does not move
};

// The smallest k whose probability up to and including it reaches u; for rates beyond 10⁴ the
// normal approximation, which `normal` draws.
double poisson_draw(double rate, double u, double normal) {
  if (rate > 1e4) return std::max(0.0, std::round(rate + std::sqrt(rate) * normal));
  double k = 0.0, log_p = -rate, below = std::exp(log_p);
  const double last = rate + 20.0 * std::sqrt(rate) + 40.0;  // where rounding keeps it below u
  while (below < u && k < last) {
    k += 1.0;
    log_p += std::log(rate / k);
    below += std::exp(log_p);
  }
  return k;
}

// Student's t from two uniforms: Bailey (1994), "Polar generation of random variates …".
double t_draw(double nu, double u, double w) {
  return std::sqrt(nu * std::expm1(-2.0 / nu * std::log(u))) * std::cos(2.0 * std::numbers::pi * w);
}

// y of one sample of a task, given what the likelihood says of y where f [rows, width] is known.
Vector draw_targets(const Model& model, int task, const DrawKey& key, const Matrix& f) {
  const Likelihood& likelihood = model.likelihoods[at(task)];
  const std::string_view type = likelihood.type->name;
  const Matrix known = Matrix::Constant(f.rows(), f.cols(), 1e-12);
  Matrix mean(f.rows(), f.cols()), variance(f.rows(), f.cols());
  likelihood.type->predictive_moments(likelihood, {&model.parameters, nullptr, 0}, view_of(f),
                                      view_of(known), view_of(mean), view_of(variance));
  // The stream of uniforms and that of normals are different ones (random/normal.h).
  const std::uint64_t stream = kTargets | static_cast<std::uint64_t>(task) << 1U;
  const Matrix e = standard_normals(key, stream | 1U, f.rows(), 1);
  Vector y(f.rows());
  for (Index i = 0; i < f.rows(); ++i) {
    const auto number = static_cast<std::uint32_t>(2 * i);
    const double u = uniform(key, stream, number), w = uniform(key, stream, number + 1);
    if (likelihood.classes > 0) {
      Index c = 0;
      for (double below = mean(i, 0); below < u && c + 1 < f.cols();) below += mean(i, ++c);
      y[i] = static_cast<double>(c);
    } else if (type == "gaussian") {
      y[i] = mean(i, 0) + std::sqrt(variance(i, 0)) * e(i, 0);
    } else if (type == "bernoulli") {
      y[i] = u < mean(i, 0) ? 1.0 : 0.0;
    } else if (type == "poisson") {
      y[i] = poisson_draw(mean(i, 0), u, e(i, 0));
    } else if (type == "student_t") {
      y[i] = f(i, 0) + model.parameters.view(likelihood.parameters[0])(0, 0) *
                           t_draw(model.parameters.view(likelihood.parameters[1])(0, 0), u, w);
    } else if (type == "heavy_tailed") {  // f is known here: the tails are the noise's
      const double nu = tail_degrees(likelihood, {&model.parameters, nullptr, 0});
      y[i] = f(i, 0) + std::sqrt(variance(i, 0) * (nu - 2.0) / nu) * t_draw(nu, u, w);
    } else {
      refuse("joint_targets", "likelihood", type, "one whose y it can draw");
    }
  }
  return y;
}

// take(member, task, key of the sample, f [rows, width]) gives the column of each task and sample.
template <class Take>
std::vector<Matrix> sample_tasks(const Posterior& posterior, const ConstView& x,
                                 const std::vector<int>& tasks, Index samples, std::uint64_t seed,
                                 bool classes, Take take) {
  constexpr const char* kHere = "joint_samples";
  const Model& model = posterior.model();
  check_has_layers(kHere, model);
  for (const int t : tasks) check_index(kHere, "task", t, model.cascade.tasks);
  check_size(kHere, "x's columns", x.cols(), model.cascade.inputs);
  check_finite(kHere, "x", x);
  check_positive(kHere, "samples", static_cast<double>(samples));
  std::vector<int> distinct = tasks;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<Matrix> of;
  for (const int t : distinct) {
    const Likelihood& likelihood = model.likelihoods[at(t)];
    of.emplace_back(x.rows() * (classes ? likelihood.latent_width() : 1), samples);
  }
  if (x.rows() > 0 && !tasks.empty()) {
    const Index count = posterior.members();
    for (Index m = 0; m < std::min(count, samples); ++m) {  // sample s is of member s mod count
      const Model& member = posterior.member(m);
      const Sampler sampler(member, distinct, seed);
      sampler.run(x, m, count, samples, [&](Index s, const std::vector<Matrix>& f) {
        const DrawKey key{seed, Purpose::prediction, static_cast<std::uint32_t>(s)};
        for (std::size_t t = 0; t < f.size(); ++t) {
          of[t].col(s) = take(member, distinct[t], key, f[t]);
        }
      });
    }
  }
  std::vector<Matrix> result;
  for (const int t : tasks) {
    result.push_back(
        of[at(std::lower_bound(distinct.begin(), distinct.end(), t) - distinct.begin())]);
  }
  return result;
}

}  // namespace

std::vector<Matrix> joint_samples(const Posterior& posterior, const ConstView& x,
                                  const std::vector<int>& tasks, Index samples,
                                  std::uint64_t seed) {
  return sample_tasks(posterior, x, tasks, samples, seed, true,
                      [](const Model&, int, const DrawKey&, const Matrix& f) -> Vector {
                        return f.transpose().reshaped();  // a row's classes next to each other
                      });
}

std::vector<Matrix> joint_targets(const Posterior& posterior, const ConstView& x,
                                  const std::vector<int>& tasks, Index samples,
                                  std::uint64_t seed) {
  return sample_tasks(posterior, x, tasks, samples, seed, false, draw_targets);
}

}  // namespace mdgp
