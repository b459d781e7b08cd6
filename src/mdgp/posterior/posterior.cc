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

Posterior::Posterior(Model model) : Posterior(std::move(model), LatentFunction()) {
  for (Index m = 0; m < members(); ++m) {
    std::size_t count = 0;
    for_processes(model_.cascade, [&](const Process&, std::size_t, std::size_t) { ++count; });
    std::vector<Prepared>& prepared = prepared_.emplace_back(count);
    std::vector<ProcessAdjoints>& none = no_adjoints_.emplace_back();
    for_processes(model_.cascade, [&](const Process& process, std::size_t, std::size_t i) {
      prepared[i].prepare(process, member(m).parameters, model_.cascade.jitter, nullptr);
      prepared[i].prepare_prediction(process, member(m).parameters);
      none.push_back({leaves_[static_cast<std::size_t>(m)], no_view(), no_view(), nullptr});
    });
  }
}

Posterior::Posterior(Model model, LatentFunction latent)
    : model_(std::move(model)), latent_(std::move(latent)), members_(members_of(model_)) {
  check_members("Posterior", model_, static_cast<Index>(members_.size()));
  for (Index m = 0; m < members(); ++m) {
    check_model("Posterior", member(m));
    leaves_.push_back({&member(m).parameters, nullptr, 0});
  }
}

const Likelihood& Posterior::likelihood(int task) const {
  check_index("Posterior", "task", task, model_.cascade.tasks);
  return model_.likelihoods[static_cast<std::size_t>(task)];
}

template <class Use>
void Posterior::for_members(const Mixture& f, const Use& use) const {
  const Index each = f.samples / members(), rows = f.mean.rows() / f.samples;
  for (Index m = 0; m < members(); ++m) {
    std::vector<Index> mine;
    for (Index i = 0; i < rows; ++i) {
      for (Index s = 0; s < each; ++s) mine.push_back(i * f.samples + m * each + s);
    }
    const Matrix mean = f.mean(mine, Eigen::all), variance = f.variance(mine, Eigen::all);
    use(leaves_[static_cast<std::size_t>(m)], mean, variance, mine);
  }
}

Mixture Posterior::latent(const ConstView& x, int task, const PredictOptions& options) const {
  likelihood(task);  // whether there is such a task
  check_size("Posterior", "x's columns", x.cols(), model_.cascade.inputs);
  check_finite("Posterior", "x", x);
  if (options.samples < 1 || options.samples > kMaxSamples) {
    refuse("Posterior", "samples", std::to_string(options.samples),
           fmt::format("from 1 to {}", kMaxSamples));
  }
  if (!options.rows.empty()) {
    check_size("Posterior", "rows", static_cast<Index>(options.rows.size()), x.rows());
  }
  if (latent_) return latent_(x, task, options);
  if (members() == 1) return member_latent(0, x, task, options);
  const Index count = members();
  PredictOptions share = options;
  share.samples = (options.samples + count - 1) / count;
  Mixture f;
  for (Index m = 0; m < count; ++m) {
    const Mixture one = member_latent(m, x, task, share);
    if (m == 0) {
      f.samples = one.samples * count;
      f.mean.resize(x.rows() * f.samples, one.mean.cols());
      f.variance.resize(x.rows() * f.samples, one.mean.cols());
    }
    for (Index i = 0; i < x.rows(); ++i) {
      const Index to = i * f.samples + m * one.samples, from = i * one.samples;
      f.mean.middleRows(to, one.samples) = one.mean.middleRows(from, one.samples);
      f.variance.middleRows(to, one.samples) = one.variance.middleRows(from, one.samples);
    }
  }
  return f;
}

Mixture Posterior::member_latent(Index member, const ConstView& x, int task,
                                 const PredictOptions& options) const {
  const Index width = likelihood(task).latent_width(), tasks = model_.cascade.tasks;
  const auto own = static_cast<std::size_t>(member);
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
      id[i] = options.row(begin + i);
      batch_row[i] = begin + i;
      row[i] = static_cast<int>(i);
      row_task[i] = task;
    }
    auto* task_begin = tape.array<Index>(tasks + 1);
    for (Index t = 0; t <= tasks; ++t) task_begin[t] = t <= task ? 0 : n;
    const RowBlock block{as_const(rows), id,         batch_row, row_task, n, row,
                         row_task,       task_begin, true};
    const TopMoments top =
        propagate(tape, model_.cascade, prepared_[own], no_adjoints_[own], block,
                  {options.seed, static_cast<std::uint32_t>(member), nullptr}, samples);
    f.mean.middleRows(begin * samples, n * samples) = top.mean.value.leftCols(width);
    f.variance.middleRows(begin * samples, n * samples) = top.variance.value.leftCols(width);
  });
  return f;
}

Prediction Posterior::predict(const Mixture& f, int task) const {
  const Likelihood& lik = likelihood(task);
  Matrix mean(f.mean.rows(), lik.latent_width()), variance(f.mean.rows(), lik.latent_width());
  for_members(f, [&](const Leaves& leaves, const Matrix& f_mean, const Matrix& f_variance,
                     const std::vector<Index>& where) {
    Matrix m(f_mean.rows(), mean.cols()), v(f_mean.rows(), mean.cols());
    lik.type->predictive_moments(lik, leaves, view_of(f_mean), view_of(f_variance), view_of(m),
                                 view_of(v));
    mean(where, Eigen::all) = m;
    variance(where, Eigen::all) = v;
  });
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
  for_members(f, [&](const Leaves& leaves, const Matrix& mean, const Matrix& variance,
                     const std::vector<Index>& where) {
    const Vector targets = repeated(where);
    Vector each(targets.size());
    lik.type->predictive_log_density(lik, leaves, targets.data(), view_of(mean), view_of(variance),
                                     each.data());
    densities(where) = each;
  });
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
      out(i, l) = mixture_quantile(lik, leaves_, f.mean.data() + i * f.samples,
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
    out[i] = mixture_cdf(lik, leaves_, f.mean.data() + i * f.samples,
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
