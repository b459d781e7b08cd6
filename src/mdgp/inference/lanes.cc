#include "mdgp/inference/lanes.h"

#include <algorithm>

#include "mdgp/linalg/elementwise.h"
#include "mdgp/linalg/parallel.h"

namespace mdgp {
namespace {

constexpr Index kSegment = 16384;  // elements that one index of the parallel sum takes, about

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

Lanes::Lanes(const Model& model) : model_(model), parameters_(model.parameters.size()) {
  Index next = parameters_;
  for_processes(model.cascade, [&](const Process& process, std::size_t, std::size_t i) {
    const Index m = process.inducing;
    const Index q_sqrt = model.parameters[process.q_sqrt].offset;
    processes_.push_back(&process);
    S_begin_.push_back(next);
    add_segments(i, process.begin, q_sqrt - process.begin, 1, 0);
    add_segments(i, q_sqrt, m * process.width, m, process.width);
    add_segments(i, next, m, m, 1);
    next += m * m;
  });
  S_.resize(next - parameters_);
}

void Lanes::add_segments(std::size_t process, Index offset, Index columns, Index column_size,
                         Index triangles) {
  const Index step = std::max<Index>(kSegment / column_size, 1);
  for (Index c = 0; c < columns; c += step) {
    segments_.push_back({process, offset, c, std::min(c + step, columns), triangles});
  }
}

void Lanes::add_lane() {
  Lane& lane = lanes_.emplace_back();
  lane.sums.resize(parameters_ + S_.size());
  lane.started.resize(processes_.size());
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const Process& process = *processes_[i];
    lane.adjoints.push_back(
        {{&model_.parameters, lane.sums.data() + process.begin, process.begin},
         make_view(lane.sums.data() + S_begin_[i], process.inducing, process.inducing),
         &lane.started[i]});
  }
}

void Lanes::start(Index count) {
  count_ = count;
  while (static_cast<Index>(lanes_.size()) < count) add_lane();
  for (Index l = 0; l < count; ++l) {
    Lane& lane = lanes_[at(l)];
    lane.expected_log_likelihood = 0.0;
    std::fill(lane.started.begin(), lane.started.end(), char{0});
    for (const Process* process : processes_) {
      const Index q_sqrt = model_.parameters[process->q_sqrt].offset;
      lane.sums.segment(process->begin, q_sqrt - process->begin).setZero();
    }
    lane.sums.segment(model_.likelihoods_begin, parameters_ - model_.likelihoods_begin).setZero();
  }
}

void Lanes::sum_segment(const Segment& segment, double* gradient) {
  double* out = segment.offset < parameters_ ? gradient + segment.offset
                                             : S_.data() + (segment.offset - parameters_);
  const auto add_lanes = [&](Index begin, Index size) {
    std::fill_n(out + begin, size, 0.0);
    for (Index l = 0; l < count_; ++l) {
      const Lane& lane = lanes_[at(l)];
      if (lane.started[segment.process] == 0) continue;
      add_scaled(size, 1.0, lane.sums.data() + segment.offset + begin, out + begin);
    }
  };
  if (segment.triangles == 0) return add_lanes(segment.begin, segment.end - segment.begin);
  const Index m = processes_[segment.process]->inducing;
  for (Index c = segment.begin; c < segment.end; ++c) {
    const Index diagonal = c / segment.triangles;
    std::fill_n(out + c * m, diagonal, 0.0);
    add_lanes(c * m + diagonal, m - diagonal);
  }
}

void Lanes::sum(double* gradient) {
  parallel_for(static_cast<Index>(segments_.size()),
               [&](Index s, int) { sum_segment(segments_[at(s)], gradient); });
  for (Index i = model_.likelihoods_begin; i < parameters_; ++i) {
    gradient[i] = 0.0;
    for (Index l = 0; l < count_; ++l) gradient[i] += lanes_[at(l)].sums[i];
  }
}

View Lanes::S(std::size_t process) {
  const Index m = processes_[process]->inducing;
  return make_view(S_.data() + (S_begin_[process] - parameters_), m, m);
}

}  // namespace mdgp
