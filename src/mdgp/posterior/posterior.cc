#include "mdgp/posterior/posterior.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mdgp/linalg/check.h"
#include "mdgp/linalg/parallel.h"
#include "mdgp/posterior/distribution.h"

namespace mdgp {
namespace {

constexpr Index kChunkPoints = 256;

}  // namespace

Posterior::Posterior(Model model) : model_(std::move(model)) {
  check_model("Posterior", model_);
  std::size_t count = 0;
  for_processes(model_.cascade, [&](const Process&, std::size_t, std::size_t) { ++count; });
  prepared_ = std::vector<Prepared>(count);
  for_processes(model_.cascade, [&](const Process& process, std::size_t, std::size_t i) {
    prepared_[i].prepare(process, model_.parameters, model_.cascade.jitter, nullptr);
    no_adjoints_.push_back({leaves(), no_view(), no_view(), nullptr});
  });
}

Posterior::Posterior(Model model, LatentFunction latent)
    : model_(std::move(model)), latent_(std::move(latent)) {
  check_model("Posterior", model_);
}

const Likelihood& Posterior::likelihood(int task) const {
  check_index("Posterior", "task", task, model_.cascade.tasks);
  return model_.likelihoods[static_cast<std::size_t>(task)];
}

Mixture Posterior::latent(const ConstView& x, int task, const PredictOptions& options) const {
  const Index width = likelihood(task).latent_width(), tasks = model_.cascade.tasks;
  check_size("Posterior", "x's columns", x.cols(), model_.cascade.inputs);
  check_finite("Posterior", "x", x);
  check_positive("Posterior", "samples", static_cast<double>(options.samples));
  if (latent_) return latent_(x, task, options);
  const Index samples = model_.cascade.deep() ? options.samples : 1;
  const Index chunk_rows = std::max<Index>(kChunkPoints / samples, 1);
  const Index chunks = (x.rows() + chunk_rows - 1) / chunk_rows;
  Mixture f{samples, Matrix(x.rows() * samples, width), Matrix(x.rows() * samples, width)};
  std::vector<Tape> tapes(static_cast<std::size_t>(num_threads()));
  parallel_for(chunks, [&](Index c, int worker) {
    Tape& tape = tapes[static_cast<std::size_t>(worker)];
    tape.clear();
    tape.set_recording(false);
    const Index begin = c * chunk_rows, n = std::min(chunk_rows, x.rows() - begin);
    View rows = tape.matrix(n, x.cols());
    rows = x.middleRows(begin, n);
    auto* id = tape.array<std::uint64_t>(n);
    auto* batch_row = tape.array<Index>(n);
    auto* row = tape.array<int>(n);
    auto* row_task = tape.array<int>(n);
    for (Index i = 0; i < n; ++i) {
      id[i] = options.first_row + static_cast<std::uint64_t>(begin + i);
      batch_row[i] = begin + i;
      row[i] = static_cast<int>(i);
      row_task[i] = task;
    }
    auto* task_begin = tape.array<Index>(tasks + 1);
    for (Index t = 0; t <= tasks; ++t) task_begin[t] = t <= task ? 0 : n;
    const RowBlock block{as_const(rows), id,         batch_row, row_task, n, row,
                         row_task,       task_begin, true};
    const TopMoments top = propagate(tape, model_.cascade, prepared_, no_adjoints_, block,
                                     {options.seed, 0, nullptr}, samples);
    f.mean.middleRows(begin * samples, n * samples) = top.mean.value.leftCols(width);
    f.variance.middleRows(begin * samples, n * samples) = top.variance.value.leftCols(width);
  });
  return f;
}

Prediction Posterior::predict(const Mixture& f, int task) const {
  const Likelihood& lik = likelihood(task);
  Matrix mean(f.mean.rows(), lik.latent_width()), variance(f.mean.rows(), lik.latent_width());
  lik.type->predictive_moments(lik, leaves(), view_of(f.mean), view_of(f.variance), view_of(mean),
                               view_of(variance));
  const Index rows = f.mean.rows() / f.samples;
  Prediction y{Matrix::Zero(rows, mean.cols()), Matrix::Zero(rows, mean.cols())};
  const double weight = 1.0 / static_cast<double>(f.samples);
  for (Index i = 0; i < rows; ++i) {
    const auto means = mean.middleRows(i * f.samples, f.samples);
    y.mean.row(i) = weight * means.colwise().sum();
    if (lik.classes > 0) {
      y.variance.row(i) = y.mean.row(i).array() * (1.0 - y.mean.row(i).array());
      continue;
    }
    const auto spread = (means.rowwise() - y.mean.row(i)).array().square();
    y.variance.row(i) =
        weight * (variance.middleRows(i * f.samples, f.samples).array() + spread).colwise().sum();
  }
  return y;
}

Vector Posterior::log_density(const Mixture& f, int task, const Vector& y) const {
  const Likelihood& lik = likelihood(task);
  check_size("Posterior", "y", y.size(), f.mean.rows() / f.samples);
  for (const double target : y) check_target("Posterior", lik, target);
  Vector repeated(f.mean.rows()), densities(f.mean.rows());
  for (Index i = 0; i < repeated.size(); ++i) repeated[i] = y[i / f.samples];
  lik.type->predictive_log_density(lik, leaves(), repeated.data(), view_of(f.mean),
                                   view_of(f.variance), densities.data());
  Vector out(y.size());
  for (Index i = 0; i < y.size(); ++i) {
    const auto each = densities.segment(i * f.samples, f.samples).array();
    const double largest = each.maxCoeff();
    out[i] = std::isfinite(largest) ? largest + std::log((each - largest).exp().mean()) : largest;
  }
  return out;
}

const Likelihood& Posterior::ordered(int task) const {
  const Likelihood& lik = likelihood(task);
  if (lik.classes > 0) {
    refuse("Posterior", "likelihood", lik.type->name, "one whose targets have an order");
  }
  return lik;
}

Matrix Posterior::quantiles(const Mixture& f, int task, const std::vector<double>& levels) const {
  const Likelihood& lik = ordered(task);
  for (const double level : levels) {
    if (!(level > 0.0 && level < 1.0)) {
      refuse("Posterior::quantiles", "level", fmt::format("{}", level), "between 0 and 1");
    }
  }
  Matrix out(f.mean.rows() / f.samples, static_cast<Index>(levels.size()));
  parallel_for(out.rows(), [&](Index i, int) {
    for (Index l = 0; l < out.cols(); ++l) {
      out(i, l) = mixture_quantile(lik, leaves(), f.mean.data() + i * f.samples,
                                   f.variance.data() + i * f.samples, f.samples,
                                   levels[static_cast<std::size_t>(l)]);
    }
  });
  return out;
}

Vector Posterior::distribution(const Mixture& f, int task, const Vector& y) const {
  const Likelihood& lik = ordered(task);
  check_size("Posterior", "y", y.size(), f.mean.rows() / f.samples);
  Vector out(y.size());
  parallel_for(out.size(), [&](Index i, int) {
    out[i] = mixture_cdf(lik, leaves(), f.mean.data() + i * f.samples,
                         f.variance.data() + i * f.samples, f.samples, y[i]);
  });
  return out;
}

Prediction Posterior::predict(const ConstView& x, int task, const PredictOptions& options) const {
  return predict(latent(x, task, options), task);
}

Vector Posterior::log_density(const ConstView& x, int task, const Vector& y,
                              const PredictOptions& options) const {
  check_size("Posterior", "y", y.size(), x.rows());
  return log_density(latent(x, task, options), task, y);
}

Matrix Posterior::quantiles(const ConstView& x, int task, const std::vector<double>& levels,
                            const PredictOptions& options) const {
  return quantiles(latent(x, task, options), task, levels);
}

}  // namespace mdgp
