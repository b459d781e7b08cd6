#include "mdgp/inference/bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mdgp/inference/chunks.h"
#include "mdgp/linalg/check.h"
#include "mdgp/linalg/elementwise.h"
#include "mdgp/linalg/parallel.h"

namespace mdgp {
namespace {

constexpr Index kMaxSamples = Index{1} << 13;  // as draws are named, layers/propagate.cc
constexpr Index kSegment = 16384;              // of a sum over lanes

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

void check_batch(const Model& model, const Batch& batch, const BoundOptions& options) {
  constexpr const char* kHere = "Bound";
  if (batch.observations == nullptr || batch.observations->empty()) {
    refuse(kHere, "batch.observations", "empty", "at least one observation");
  }
  check_size(kHere, "batch.x's columns", batch.x.cols(), model.cascade.inputs);
  check_finite(kHere, "batch.x", batch.x);
  for (const Observation& o : *batch.observations) {
    check_index(kHere, "observation's row", o.row, batch.x.rows());
    check_index(kHere, "observation's task", o.task, model.cascade.tasks);
    check_target(kHere, model.likelihoods[at(o.task)], o.y);
  }
  if (options.samples < 1 || options.samples > kMaxSamples) {
    refuse(kHere, "samples", fmt::format("{}", options.samples), fmt::format("from 1 to {}", kMaxSamples));
  }
  if (!(options.kl_weight >= 0.0) || !std::isfinite(options.kl_weight)) {
    refuse(kHere, "kl_weight", fmt::format("{}", options.kl_weight), "finite and not negative");
  }
  if (!(options.num_data >= 0.0) || !std::isfinite(options.num_data)) {
    refuse(kHere, "num_data", fmt::format("{}", options.num_data), "finite and not negative");
  }
  if (!options.task_scale.empty()) {
    check_size(kHere, "task_scale", static_cast<Index>(options.task_scale.size()),
               model.cascade.tasks);
  }
}

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
    }
  }
}

// What the chunks of one lane have added so far. A process that no chunk of the lane has met is
// neither cleared nor summed.
struct Lane {
  Vector sums;                            // adjoints of the parameters, then every process's S
  std::vector<ProcessAdjoints> adjoints;  // [process] views of sums
  std::vector<char> met;                  // [process]
  double expected_log_likelihood = 0.0;
};

// A stretch of one process's sums: of its parameters, or of its S.
struct Segment {
  std::size_t process;
  Index begin, end;
};

}  // namespace

struct Bound::Workspace {
  const Model& model;
  Index parameters;
  std::vector<const Process*> processes;
  std::vector<Index> S_begin;      // [process] where its S stands in sums
  std::vector<Segment> segments;   // of all sums but the likelihoods'
  std::vector<Prepared> prepared;  // [process]
  std::vector<double> kl;          // [process]
  std::vector<ProcessAdjoints> no_adjoints;
  Chunks chunks;
  std::vector<Tape> tapes;  // [worker]
  std::vector<Lane> lanes;
  Vector S;  // the S of all processes, summed over lanes

  explicit Workspace(const Model& m);
  void prepare(double* gradient);
  void rows(const Batch& batch, const BoundOptions& options, bool recording, TopValues* top);
  void finish(double kl_weight, double* gradient);

 private:
  void add_lane();
  void start_chunk(Lane& lane, const RowBlock& rows);
  double chunk(Tape& tape, Lane* lane, const Chunks::Chunk& chunk, const Batch& batch,
               const BoundOptions& options, TopValues* top);
  void sum_lanes(double* gradient);
};

Bound::Workspace::Workspace(const Model& m) : model(m), parameters(m.parameters.size()) {
  Index next = parameters;
  const auto add_segments = [&](std::size_t process, Index begin, Index end) {
    for (Index b = begin; b < end; b += kSegment) {
      segments.push_back({process, b, std::min(b + kSegment, end)});
    }
  };
  for_processes(model.cascade, [&](const Process& process, std::size_t, std::size_t i) {
    processes.push_back(&process);
    S_begin.push_back(next);
    next += process.inducing * process.inducing;
    add_segments(i, process.begin, process.end);
    add_segments(i, S_begin[i], next);
    no_adjoints.push_back({{&model.parameters, nullptr, 0}, no_view()});
  });
  S.resize(next - parameters);
  prepared = std::vector<Prepared>(processes.size());
  kl.resize(processes.size());
}

void Bound::Workspace::add_lane() {
  Lane& lane = lanes.emplace_back();
  lane.sums.resize(parameters + S.size());
  lane.met.resize(processes.size());
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const Process& process = *processes[i];
    lane.adjoints.push_back(
        {{&model.parameters, lane.sums.data() + process.begin, process.begin},
         make_view(lane.sums.data() + S_begin[i], process.inducing, process.inducing)});
  }
}

// K(Z, Z) of every process and its factor.
void Bound::Workspace::prepare(double* gradient) {
  parallel_for(static_cast<Index>(processes.size()), [&](Index i, int) {
    const Process& process = *processes[at(i)];
    check_kernel("Bound", process.kernel, model.parameters);
    prepared[at(i)].prepare(process, model.parameters, model.cascade.jitter, gradient);
  });
}

void Bound::Workspace::start_chunk(Lane& lane, const RowBlock& rows) {
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const Process& process = *processes[i];
    const bool meets = process.shared() ||
                       std::any_of(process.tasks.begin(), process.tasks.end(), [&](int t) {
                         return rows.task_begin[t] < rows.task_begin[t + 1];
                       });
    if (!meets || lane.met[i] != 0) continue;
    lane.met[i] = 1;
    lane.sums.segment(process.begin, process.end - process.begin).setZero();
    lane.sums.segment(S_begin[i], process.inducing * process.inducing).setZero();
  }
}

// Scaled expected log-likelihood of a chunk's observations; through the cascade and back.
double Bound::Workspace::chunk(Tape& tape, Lane* lane, const Chunks::Chunk& chunk,
                               const Batch& batch, const BoundOptions& options, TopValues* top) {
  const RowBlock& rows = chunk.rows;
  const TopMoments f = propagate(tape, model.cascade, prepared,
                                 lane != nullptr ? lane->adjoints : no_adjoints, rows,
                                 options.noise, options.samples);
  const Leaves leaves{&model.parameters,
                      lane != nullptr ? lane->sums.data() + model.likelihoods_begin : nullptr,
                      model.likelihoods_begin};
  const auto total = static_cast<double>(batch.observations->size());
  double sum = 0.0;
  for (std::size_t t = 0; t < model.likelihoods.size(); ++t) {
    const Index begin = rows.task_begin[t] * f.samples, end = rows.task_begin[t + 1] * f.samples;
    if (begin == end) continue;
    double* y = tape.array<double>(end - begin);
    for (Index i = begin; i < end; ++i) {
      y[i - begin] = (*batch.observations)[at(chunk.observation_index[i / f.samples])].y;
    }
    double scale = options.num_data > 0.0 ? options.num_data / total : 1.0;
    if (!options.task_scale.empty()) scale = options.task_scale[t];
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
  while (static_cast<Index>(lanes.size()) < chunks.lanes()) add_lane();
  if (static_cast<int>(tapes.size()) < num_threads()) tapes.resize(at(num_threads()));

  parallel_for(chunks.lanes(), [&](Index l, int worker) {
    Lane& lane = lanes[at(l)];
    Tape& tape = tapes[at(worker)];
    std::fill(lane.met.begin(), lane.met.end(), char{0});
    lane.sums.segment(model.likelihoods_begin, parameters - model.likelihoods_begin).setZero();
    lane.expected_log_likelihood = 0.0;
    for (Index c = l; c < chunks.count(); c += chunks.lanes()) {
      tape.clear();
      tape.set_recording(recording);
      const Chunks::Chunk rows_of = chunks.chunk(tape, batch, tasks, c);
      if (recording) start_chunk(lane, rows_of.rows);
      lane.expected_log_likelihood +=
          chunk(tape, recording ? &lane : nullptr, rows_of, batch, options, top);
    }
  });
}

void Bound::Workspace::sum_lanes(double* gradient) {
  const Index used = chunks.lanes();
  parallel_for(static_cast<Index>(segments.size()), [&](Index s, int) {
    const Segment& segment = segments[at(s)];
    const Index n = segment.end - segment.begin;
    double* out = segment.begin < parameters ? gradient + segment.begin
                                             : S.data() + (segment.begin - parameters);
    std::fill_n(out, n, 0.0);
    for (Index l = 0; l < used; ++l) {
      const Lane& lane = lanes[at(l)];
      if (lane.met[segment.process] != 0) {
        add_scaled(n, 1.0, lane.sums.data() + segment.begin, out);
      }
    }
  });
  for (Index i = model.likelihoods_begin; i < parameters; ++i) {
    gradient[i] = 0.0;
    for (Index l = 0; l < used; ++l) gradient[i] += lanes[at(l)].sums[i];
  }
}

// The KL of every process and, where there is a gradient, what the rows sent back taken on to Z and
// the kernel's parameters.
void Bound::Workspace::finish(double kl_weight, double* gradient) {
  if (gradient != nullptr) sum_lanes(gradient);
  parallel_for(static_cast<Index>(processes.size()), [&](Index i, int) {
    const Process& process = *processes[at(i)];
    if (gradient != nullptr) {
      prepared[at(i)].finish(
          make_view(S.data() + (S_begin[at(i)] - parameters), process.inducing, process.inducing));
      clear_above_diagonal(process, gradient + model.parameters[process.q_sqrt].offset);
    }
    kl[at(i)] = kl_divergence(process, model.parameters, -kl_weight, gradient);
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
  check_batch(*model_, batch, options);
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
  for (Index l = 0; l < work_->chunks.lanes(); ++l) {
    value.expected_log_likelihood += work_->lanes[at(l)].expected_log_likelihood;
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
