#include "mdgp/inference/lanes.h"

#include <algorithm>

#include "mdgp/linalg/elementwise.h"

namespace mdgp {
namespace {

constexpr Index kSegment = 16384;  // elements of a segment, about

// What stands before q_sqrt in a process's range: the kernel's parameters, Z and q_mu.
Index others(const Process& process, const Parameters& parameters) {
  return parameters[process.q_sqrt].offset - process.begin;
}

}  // namespace

Lanes::Lanes(const Model& model) : model_(model) {
  for_processes(model.cascade, [&](const Process& process, std::size_t, std::size_t i) {
    processes_.push_back(&process);
    S_.push_back(storage_.matrix(process.inducing, process.inducing));
    add_segments(i, false, process.inducing * process.width);
    add_segments(i, true, process.inducing);
  });
}

void Lanes::add_segments(std::size_t process, bool is_S, Index columns) {
  const Index step = std::max<Index>(kSegment / processes_[process]->inducing, 1);
  for (Index c = 0; c < columns; c += step) {
    segments_.push_back({process, is_S, c, std::min(c + step, columns)});
  }
}

void Lanes::add_lane() {
  Lane& lane = lanes_.emplace_back();
  lane.sums.resize(model_.parameters.size());
  lane.started.resize(processes_.size());
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const Process& process = *processes_[i];
    const Index m = process.inducing;
    lane.adjoints.push_back({{&model_.parameters, lane.sums.data() + process.begin, process.begin},
                             lane.triangles.matrix(m, m * process.width),
                             lane.triangles.matrix(m, m),
                             &lane.started[i]});
  }
}

void Lanes::start(Index count) {
  count_ = count;
  lanes_.reserve(at(count));
  while (static_cast<Index>(lanes_.size()) < count) add_lane();
  for (Index l = 0; l < count; ++l) {
    Lane& lane = lanes_[at(l)];
    lane.expected_log_likelihood = 0.0;
    std::fill(lane.started.begin(), lane.started.end(), char{0});
    for (const Process* process : processes_) {
      lane.sums.segment(process->begin, others(*process, model_.parameters)).setZero();
    }
    lane.sums.tail(lane.sums.size() - model_.likelihoods_begin).setZero();
  }
}

// Column c of q_sqrt is column c / P of a triangle.
void Lanes::sum_segment(const Segment& segment, double* gradient) {
  const Process& process = *processes_[segment.process];
  const Index m = process.inducing;
  View out = segment.is_S ? S_[segment.process]
                          : make_view(gradient + model_.parameters[process.q_sqrt].offset, m,
                                      m * process.width);
  for (Index c = segment.begin; c < segment.end; ++c) {
    const Index diagonal = segment.is_S ? c : c / process.width;
    double* to = column(out, c) + diagonal;
    std::fill_n(column(out, c), diagonal, 0.0);
    bool first = true;
    for (Index l = 0; l < count_; ++l) {
      const Lane& lane = lanes_[at(l)];
      if (lane.started[segment.process] == 0) continue;
      const ProcessAdjoints& adjoints = lane.adjoints[segment.process];
      const double* from = column(segment.is_S ? adjoints.S : adjoints.q_sqrt, c) + diagonal;
      if (first) {
        std::copy_n(from, m - diagonal, to);
      } else {
        add_scaled(m - diagonal, 1.0, from, to);
      }
      first = false;
    }
    if (first) std::fill_n(to, m - diagonal, 0.0);
  }
}

void Lanes::sum_others(double* gradient) {
  const auto sum_range = [&](Index begin, Index size) {
    std::copy_n(lanes_.front().sums.data() + begin, size, gradient + begin);
    for (Index l = 1; l < count_; ++l) {
      add_scaled(size, 1.0, lanes_[at(l)].sums.data() + begin, gradient + begin);
    }
  };
  for (const Process* process : processes_) {
    sum_range(process->begin, others(*process, model_.parameters));
  }
  sum_range(model_.likelihoods_begin, model_.parameters.size() - model_.likelihoods_begin);
}

}  // namespace mdgp
