#include "mdgp/inference/bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mdgp/inference/chunks.h"
#include "mdgp/inference/lanes.h"
#include "mdgp/linalg/check.h"
#include "mdgp/linalg/parallel.h"

namespace mdgp {

void check_batch(std::string_view function, const Model& model, const Batch& batch,
                 const BoundOptions& options) {
  if (batch.observations == nullptr || batch.observations->empty()) {
    refuse(function, "batch.observations", "empty", "at least one observation");
  }
  check_size(function, "batch.x's columns", batch.x.cols(), model.cascade.inputs);
  check_finite(function, "batch.x", batch.x);
  for (const Observation& o : *batch.observations) {
    check_index(function, "observation's row", o.row, batch.x.rows());
    check_index(function, "observation's task", o.task, model.cascade.tasks);
    check_target(function, model.likelihoods[at(o.task)], o.y);
  }
  if (options.samples < 1 || options.samples > kMaxSamples) {
    refuse(function, "samples", fmt::format("{}", options.samples),
           fmt::format("from 1 to {}", kMaxSamples));
  }
  if (!(options.kl_weight >= 0.0) || !std::isfinite(options.kl_weight)) {
    refuse(function, "kl_weight", fmt::format("{}", options.kl_weight), "finite and not negative");
  }
  if (!(options.num_data >= 0.0) || !std::isfinite(options.num_data)) {
    refuse(function, "num_data", fmt::format("{}", options.num_data), "finite and not negative");
  }
  if (!options.task_scale.empty()) {
    check_size(function, "task_scale", static_cast<Index>(options.task_scale.size()),
               model.cascade.tasks);
    for (const double scale : options.task_scale) {
      if (!(scale >= 0.0) || !std::isfinite(scale)) {
        refuse(function, "task_scale", fmt::format("{}", scale), "finite and not negative");
      }
    }
  }
}

double likelihood_scale(const Batch& batch, const BoundOptions& options, int task) {
  if (!options.task_scale.empty()) return options.task_scale[at(task)];
  if (options.num_data == 0.0) return 1.0;
  return options.num_data / static_cast<double>(batch.observations->size());
}

namespace {

// The noise given for a test must have a matrix for each inner layer and sample.
void check_noise(const Model& model, const Batch& batch, const BoundOptions& options) {
  if (options.noise.given == nullptr) return;
  const auto& given = *options.noise.given;
  const std::size_t inner = model.cascade.layers.size() - 1;
  check_size("Bound", "noise.given", static_cast<Index>(given.size()), static_cast<Index>(inner));
  for (std::size_t l = 0; l < inner; ++l) {
    check_size("Bound", fmt::format("noise.given[{}]", l), static_cast<Index>(given[l].size()),
               options.samples);
    const auto& width = model.cascade.layers[l].width;
    for (const Matrix& eps : given[l]) {
      check_shape("Bound", fmt::format("noise.given[{}]", l), view_of(eps), batch.x.rows(),
                  *std::max_element(width.begin(), width.end()));
      check_finite("Bound", fmt::format("noise.given[{}]", l), view_of(eps));
    }
  }
}

}  // namespace

struct Bound::Workspace {
  const Model& model;
  std::vector<const Process*> processes;
  std::vector<Prepared> prepared;  // [process]
  std::vector<double> kl;          // its parts: [segment], then [process]
  std::vector<ProcessAdjoints> no_adjoints;
  Chunks chunks;
  Lanes lanes;
  std::vector<Tape> tapes;  // [worker]

  explicit Workspace(const Model& m);
  void prepare(double* gradient);
  void rows(const Batch& batch, const BoundOptions& options, bool recording, TopValues* top);
  void finish(double kl_weight, double* gradient);

 private:
  double chunk(Tape& tape, Lane* lane, const Chunks::Chunk& chunk, const Batch& batch,
               const BoundOptions& options, TopValues* top);
};

Bound::Workspace::Workspace(const Model& m) : model(m), lanes(m) {
  for_processes(model.cascade, [&](const Process& process, std::size_t, std::size_t) {
    processes.push_back(&process);
    no_adjoints.push_back({{&model.parameters, nullptr, 0}, no_view(), no_view(), nullptr});
  });
  prepared = std::vector<Prepared>(processes.size());
}

// K(Z, Z) of every process and its factor.
void Bound::Workspace::prepare(double* gradient) {
  parallel_for(static_cast<Index>(processes.size()), [&](Index i, int) {
    const Process& process = *processes[at(i)];
    check_kernel("Bound", process.kernel, model.parameters);
    check_finite("Bound", model.parameters[process.Z].name, model.parameters.view(process.Z));
    prepared[at(i)].prepare(process, model.parameters, model.cascade.jitter, gradient);
  });
}

// Scaled expected log-likelihood of a chunk's observations; through the cascade and back.
double Bound::Workspace::chunk(Tape& tape, Lane* lane, const Chunks::Chunk& chunk,
                               const Batch& batch, const BoundOptions& options, TopValues* top) {
  const RowBlock& rows = chunk.rows;
  const TopMoments f =
      propagate(tape, model.cascade, prepared, lane != nullptr ? lane->adjoints : no_adjoints, rows,
                options.noise, options.samples);
  const Leaves leaves{&model.parameters,
                      lane != nullptr ? lane->sums.data() + model.likelihoods_begin : nullptr,
                      model.likelihoods_begin};
  double sum = 0.0;
  for (std::size_t t = 0; t < model.likelihoods.size(); ++t) {
    const Index begin = rows.task_begin[t] * f.samples, end = rows.task_begin[t + 1] * f.samples;
    if (begin == end) continue;
    double* y = tape.array<double>(end - begin);
    for (Index i = begin; i < end; ++i) {
      y[i - begin] = (*batch.observations)[at(chunk.observation_index[i / f.samples])].y;
    }
    const double scale = likelihood_scale(batch, options, static_cast<int>(t));
    const Likelihood& likelihood = model.likelihoods[t];
    const Index width = likelihood.latent_width();
    const Var mean = block(f.mean, begin, 0, end - begin, width);
    const Var variance = block(f.variance, begin, 0, end - begin, width);
    sum += likelihood.type->expected_log_density(
        likelihood, leaves, y, as_const(mean.value), as_const(variance.value),
        scale / static_cast<double>(f.samples), mean.adjoint, variance.adjoint);
  }
  if (top != nullptr) {
    for (Index i = 0; i < rows.observations * f.samples; ++i) {
      const Index to = chunk.observation_index[i / f.samples] * f.samples + i % f.samples;
      top->mean.row(to) = f.mean.value.row(i);
      top->variance.row(to) = f.variance.value.row(i);
    }
  }
  tape.reverse();
  return sum;
}

void Bound::Workspace::rows(const Batch& batch, const BoundOptions& options, bool recording,
                            TopValues* top) {
  const Index tasks = model.cascade.tasks;
  chunks.plan(batch, tasks, model.cascade.deep() ? options.samples : 1);
  lanes.start(chunks.lanes());
  if (static_cast<int>(tapes.size()) < num_threads()) {
    tapes = std::vector<Tape>(at(num_threads()));
  }
  parallel_for(lanes.count(), [&](Index l, int worker) {
    Lane& lane = lanes[l];
    Tape& tape = tapes[at(worker)];
    for (Index c = l; c < chunks.count(); c += lanes.count()) {
      tape.clear();
      tape.set_recording(recording);
      lane.expected_log_likelihood +=
          chunk(tape, recording ? &lane : nullptr, chunks.chunk(tape, batch, tasks, c), batch,
                options, top);
    }
  });
  // Which worker met which chunks is chance; next time it may be others.
  for (Tape& tape : tapes) {
    for (const Tape& other : tapes) tape.match(other);
  }
}

// The KL and, where there is a gradient, what the rows sent back: summed, and taken on to Z and the
// kernel's parameters. The KL of q_sqrt goes with its sums, while they are in the cache.
void Bound::Workspace::finish(double kl_weight, double* gradient) {
  const std::vector<Lanes::Segment>& segments = lanes.segments();
  kl.assign(segments.size() + processes.size(), 0.0);
  parallel_for(static_cast<Index>(segments.size()), [&](Index s, int) {
    const Lanes::Segment& segment = segments[at(s)];
    if (gradient != nullptr) lanes.sum_segment(segment, gradient);
    if (segment.is_S) return;
    kl[at(s)] = kl_of_columns(*processes[segment.process], model.parameters, segment.begin,
                              segment.end, -kl_weight, gradient);
  });
  if (gradient != nullptr) lanes.sum_others(gradient);
  parallel_for(static_cast<Index>(processes.size()), [&](Index i, int) {
    if (gradient != nullptr) prepared[at(i)].finish(lanes.S(at(i)));
    kl[segments.size() + at(i)] =
        kl_of_means(*processes[at(i)], model.parameters, -kl_weight, gradient);
  });
}

Bound::Bound(const Model& model) : model_(&model), work_(std::make_unique<Workspace>(model)) {
  check_model("Bound", model);
}
Bound::~Bound() = default;
Bound::Bound(Bound&&) noexcept = default;
Bound& Bound::operator=(Bound&&) noexcept = default;

BoundValue Bound::operator()(const Batch& batch, const BoundOptions& options, Vector* gradient,
                             TopValues* top) {
  check_batch("Bound", *model_, batch, options);
  check_noise(*model_, batch, options);
  if (gradient != nullptr) gradient->resize(model_->parameters.size());
  double* g = gradient != nullptr ? gradient->data() : nullptr;
  if (top != nullptr) {
    const auto& width = model_->cascade.layers.back().width;
    top->samples = model_->cascade.deep() ? options.samples : 1;
    const Index n = static_cast<Index>(batch.observations->size()) * top->samples;
    top->mean.setZero(n, *std::max_element(width.begin(), width.end()));
    top->variance.setZero(n, top->mean.cols());
  }

  work_->prepare(g);
  work_->rows(batch, options, g != nullptr, top);
  work_->finish(options.kl_weight, g);

  BoundValue value;
  for (Index l = 0; l < work_->lanes.count(); ++l) {
    value.expected_log_likelihood += work_->lanes[l].expected_log_likelihood;
  }
  for (const double kl : work_->kl) value.kl += kl;
  value.bound = value.expected_log_likelihood - options.kl_weight * value.kl;
  if (!std::isfinite(value.bound)) {
    check_model("Bound", *model_);  // names the parameter, where it is one
    throw NumericalError(
        fmt::format("Bound: the bound is {} (expected log-likelihood {}, KL {}), although data and "
                    "parameters are finite; some parameter is far out of the usual range",
                    value.bound, value.expected_log_likelihood, value.kl));
  }
  return value;
}

}  // namespace mdgp
