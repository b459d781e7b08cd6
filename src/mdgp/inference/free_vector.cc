#include "mdgp/inference/free_vector.h"

#include <algorithm>
#include <cmath>

namespace mdgp {

FreeVector::FreeVector(const Parameters& parameters, const std::vector<int>& left_out) {
  for (int id = 0; id < static_cast<int>(parameters.table.size()); ++id) {
    const bool skip = std::find(left_out.begin(), left_out.end(), id) != left_out.end();
    if (parameters[id].trainable && !skip) add_runs(parameters, id);
  }
}

void FreeVector::add_runs(const Parameters& parameters, int id) {
  const Parameter& p = parameters[id];
  const auto add = [&](Index begin, Index count) {
    runs_.push_back({p.offset + begin, size_, count, p.constraint == Constraint::positive});
    size_ += count;
  };
  if (p.constraint != Constraint::lower_triangular) return add(0, p.size());
  const Index triangles = p.cols / p.rows;
  for (Index c = 0; c < p.cols; ++c) {
    const Index diagonal = c / triangles;
    add(c * p.rows + diagonal, p.rows - diagonal);
  }
}

void FreeVector::read(const Parameters& parameters, Vector& free) const {
  free.resize(size_);
  for (const Run& run : runs_) {
    const auto values = parameters.values.segment(run.offset, run.size).array();
    auto out = free.segment(run.free, run.size).array();
    if (run.positive) {
      out = values.log();
    } else {
      out = values;
    }
  }
}

void FreeVector::write(const Vector& free, Parameters& parameters) const {
  for (const Run& run : runs_) {
    const auto from = free.segment(run.free, run.size).array();
    auto values = parameters.values.segment(run.offset, run.size).array();
    if (run.positive) {
      values = from.exp();
    } else {
      values = from;
    }
  }
}

void FreeVector::pull_back(const Parameters& parameters, const Vector& gradient,
                           Vector& free_gradient) const {
  free_gradient.resize(size_);
  for (const Run& run : runs_) {
    auto out = free_gradient.segment(run.free, run.size).array();
    out = gradient.segment(run.offset, run.size).array();
    if (run.positive) out *= parameters.values.segment(run.offset, run.size).array();
  }
}

Vector FreeVector::prior_scales(const Parameters& parameters) const {
  Vector of_parameters = Vector::Ones(parameters.size());
  for (const Parameter& p : parameters.table) {
    if (p.prior.kind != Prior::none)
      of_parameters.segment(p.offset, p.size()).setConstant(p.prior.scale);
  }
  Vector scales(size_);
  for (const Run& run : runs_) {
    scales.segment(run.free, run.size) = of_parameters.segment(run.offset, run.size);
  }
  return scales;
}

double log_prior(const Parameters& parameters, Vector* gradient) {
  double sum = 0.0;
  for (const Parameter& p : parameters.table) {
    const bool moves = p.trainable || (p.prior.around >= 0 && parameters[p.prior.around].trainable);
    if (p.prior.kind == Prior::none || !moves) continue;
    const bool logarithm = p.prior.kind == Prior::log_normal;
    const Index centre = p.prior.around >= 0 ? parameters[p.prior.around].offset : -1;
    for (Index k = 0; k < p.size(); ++k) {
      const double value = parameters.values[p.offset + k];
      const double location =
          centre >= 0 ? std::log(parameters.values[centre + k]) : p.prior.location;
      const double z = ((logarithm ? std::log(value) : value) - location) / p.prior.scale;
      sum -= 0.5 * z * z;
      if (gradient == nullptr) continue;
      (*gradient)[p.offset + k] -= z / p.prior.scale / (logarithm ? value : 1.0);
      if (centre >= 0) {
        (*gradient)[centre + k] += z / p.prior.scale / parameters.values[centre + k];
      }
    }
  }
  return sum;
}

}  // namespace mdgp
