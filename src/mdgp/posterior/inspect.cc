#include "mdgp/posterior/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>

#include "mdgp/linalg/check.h"
#include "mdgp/linalg/parallel.h"
#include "mdgp/random/normal.h"

namespace mdgp {
namespace {

constexpr Index kChunkRows = 256;
// Apart from the streams of joint_samples.
constexpr std::uint64_t kFirstStream = std::uint64_t{1} << 62U;

void add_columns(const std::string& name, Index width, std::vector<std::string>& columns) {
  for (Index c = 0; c < width; ++c) columns.push_back(fmt::format("{}[{}]", name, c));
}

// How much each input of a process matters to a task, of sum 1 (inspect.h).
Vector input_weights(const Process& process, const Parameters& parameters, int task) {
  const Leaves leaves{&parameters, nullptr, 0};
  const int tasks[] = {task, task};
  Matrix ends = Matrix::Zero(2, process.inputs);
  Vector change(process.inputs);
  Tape tape;
  tape.set_recording(false);
  for (Index d = 0; d < process.inputs; ++d) {
    ends(1, d) = 1.0;
    const Points points{constant(view_of(std::as_const(ends))), tasks};
    const View k = cross(tape, leaves, process.kernel, points, points).value;  // [2, 2]
    change[d] = std::max(0.0, k(0, 0) - k(0, 1) - k(1, 0) + k(1, 1));
    ends(1, d) = 0.0;
    tape.clear();
  }
  const double sum = change.sum();
  return sum > 0.0 ? Vector(change / sum) : change;
}

// The mean over the models that predictions average over.
Vector mean_weights(const Model& model, const std::vector<Model>& members, const Process& process,
                    int task) {
  if (members.empty()) return input_weights(process, model.parameters, task);
  Vector sum = Vector::Zero(process.inputs);
  for (const Model& member : members) sum += input_weights(process, member.parameters, task);
  return sum / static_cast<double>(members.size());
}

// Running mean and variance of a mixture of Gaussians with equal weights (Welford).
struct MixtureMoments {
  Matrix mean, between, within;

  void add(const View& component_mean, const View& component_variance, Index count) {
    if (count == 1) {
      mean = component_mean;
      within = component_variance;
      between = Matrix::Zero(mean.rows(), mean.cols());
      return;
    }
    const double weight = 1.0 / static_cast<double>(count);
    const Matrix delta = component_mean - mean;
    mean += weight * delta;
    between.array() += delta.array() * (component_mean - mean).array();
    within += weight * (component_variance - within);
  }
};

// Rows [begin, begin + n) through the inner layers, `samples` times.
class InnerPass {
 public:
  InnerPass(const Model& model, int task, std::uint64_t seed)
      : model_(model), task_(task), seed_(seed) {
    for_processes(model.cascade, [&](const Process& process, std::size_t l, std::size_t) {
      prepared_.emplace_back();
      if (l + 1 == model.cascade.layers.size()) return;
      prepared_.back().prepare(process, model.parameters, model.cascade.jitter, nullptr);
    });
  }

  void run(Tape& tape, const ConstView& x, Index begin, Index n, Index samples,
           std::vector<LayerFunctions>& out) const {
    const std::vector<Layer>& layers = model_.cascade.layers;
    std::vector<MixtureMoments> moments(out.size());
    const Index extra = model_.cascade.propagate_inputs ? x.cols() : 0;
    for (Index s = 0; s < samples; ++s) {
      Matrix h = x.middleRows(begin, n);
      std::size_t index = 0;
      Index first_output = 0;  // of the process, over the whole cascade
      for (std::size_t l = 0; l < out.size(); ++l) {
        tape.clear();
        tape.set_recording(false);
        const Index width = layers[l].width[at(task_)];
        View mean = tape.matrix(n, width), variance = tape.matrix(n, width);
        Matrix next(n, width + extra);
        next.rightCols(extra) = x.middleRows(begin, n).rightCols(extra);
        for (std::size_t p = 0; p < layers[l].processes.size(); ++p, ++index) {
          const Process& process = layers[l].processes[p];
          const Index offset = layers[l].offset[p][at(task_)];
          if (offset >= 0) {
            evaluate(tape, process, prepared_[index], h, block(mean, 0, offset, n, process.width),
                     block(variance, 0, offset, n, process.width));
            const DrawKey key{seed_, Purpose::prediction, static_cast<std::uint32_t>(s)};
            for (Index c = 0; c < process.width; ++c) {
              for (Index i = 0; i < n; ++i) {
                const double e = normal(key, kFirstStream | static_cast<std::uint64_t>(begin + i),
                                        static_cast<std::uint32_t>(first_output + c));
                next(i, offset + c) = mean(i, offset + c) + std::sqrt(variance(i, offset + c)) * e;
              }
            }
          }
          first_output += process.width;
        }
        moments[l].add(mean, variance, s + 1);
        h = std::move(next);
      }
    }
    for (std::size_t l = 0; l < out.size(); ++l) {
      out[l].mean.middleRows(begin, n) = moments[l].mean;
      out[l].variance.middleRows(begin, n) =
          moments[l].within + moments[l].between / static_cast<double>(samples);
    }
  }

 private:
  void evaluate(Tape& tape, const Process& process, const Prepared& prepared, const Matrix& h,
                View mean, View variance) const {
    int* point_task = tape.array<int>(h.rows());
    std::fill_n(point_task, h.rows(), task_);
    const ProcessAdjoints none{{&model_.parameters, nullptr, 0}, no_view(), no_view(), nullptr};
    const Moments f = conditional(
        tape, process, prepared, none,
        {constant(view_of(h)), is_coregionalised(process.kernel) ? point_task : nullptr});
    mean = f.mean.value;
    variance = f.variance.value;
  }

  const Model& model_;
  int task_;
  std::uint64_t seed_;
  std::deque<Prepared> prepared_;  // which does not move
};

}  // namespace

ArdWeights ard_weights(const Model& model) {
  check_has_layers("ard_weights", model);
  const Cascade& cascade = model.cascade;
  const Layer& top = cascade.layers.back();
  const Layer* below = cascade.deep() ? &cascade.layers[cascade.layers.size() - 2] : nullptr;
  ArdWeights result;
  std::vector<Index> first_column;  // of each process
  if (below != nullptr) {
    for (const Process& process : below->processes) {
      result.processes.push_back(process.name);
      result.shared.push_back(process.shared());
      first_column.push_back(std::ssize(result.columns));
      add_columns(process.name, process.width, result.columns);
    }
  }
  const Index latent = std::ssize(result.columns);
  const Index inputs = below == nullptr || cascade.propagate_inputs ? cascade.inputs : 0;
  add_columns("x", inputs, result.columns);
  result.weights.setConstant(cascade.tasks, latent + inputs,
                             std::numeric_limits<double>::quiet_NaN());
  const std::vector<Model> members = members_of(model);
  for (Index t = 0; t < cascade.tasks; ++t) {
    std::size_t p = 0;
    while (top.offset[p][at(t)] < 0) ++p;  // finish_cascade() has made sure that there is one
    const Vector weights = mean_weights(model, members, top.processes[p], static_cast<int>(t));
    for (std::size_t q = 0; q < first_column.size(); ++q) {
      const Index offset = below->offset[q][at(t)], width = below->processes[q].width;
      if (offset < 0) continue;
      result.weights.row(t).segment(first_column[q], width) = weights.segment(offset, width);
    }
    result.weights.row(t).tail(inputs) = weights.tail(inputs);
  }
  return result;
}

std::vector<LayerFunctions> inner_functions(const Posterior& posterior, const ConstView& x,
                                            int task, Index samples, std::uint64_t seed) {
  constexpr const char* kHere = "inner_functions";
  const Model& model = posterior.model();
  check_has_layers(kHere, model);
  check_index(kHere, "task", task, model.cascade.tasks);
  check_size(kHere, "x's columns", x.cols(), model.cascade.inputs);
  check_finite(kHere, "x", x);
  check_positive(kHere, "samples", static_cast<double>(samples));
  std::vector<LayerFunctions> out(model.cascade.layers.size() - 1);
  for (std::size_t l = 0; l < out.size(); ++l) {
    const Layer& layer = model.cascade.layers[l];
    for (std::size_t p = 0; p < layer.processes.size(); ++p) {
      if (layer.offset[p][at(task)] < 0) continue;
      add_columns(layer.processes[p].name, layer.processes[p].width, out[l].columns);
    }
    out[l].mean.resize(x.rows(), layer.width[at(task)]);
    out[l].variance.resize(x.rows(), layer.width[at(task)]);
  }
  if (out.empty()) return out;
  const InnerPass pass(model, task, seed);
  std::vector<Tape> tapes(at(num_threads()));
  parallel_for((x.rows() + kChunkRows - 1) / kChunkRows, [&](Index c, int worker) {
    const Index begin = c * kChunkRows;
    pass.run(tapes[at(worker)], x, begin, std::min(kChunkRows, x.rows() - begin), samples, out);
  });
  return out;
}

}  // namespace mdgp
