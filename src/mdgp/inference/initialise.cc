#include "mdgp/inference/initialise.h"

#include <algorithm>
#include <cmath>

#include "mdgp/inference/kmeans.h"
#include "mdgp/layers/cascade.h"
#include "mdgp/linalg/check.h"
#include "mdgp/random/normal.h"

namespace mdgp {
namespace {

constexpr Index kMostRows = 5000;  // that k-means looks at
// A mean of counts above which f is about its logarithm: from 0, natural gradients overshoot where
// it is thousands. Below, starting there drew training to functions that say nothing
// (examples/counts).
constexpr double kLargeCounts = 30.0;

// What each task's rows look like to the layer that is being initialised: [rows of the task,
// inputs].
using Views = std::vector<Matrix>;

Views task_rows(const Model& model, const DataSet& data) {
  std::vector<std::vector<Index>> rows(at(model.cascade.tasks));
  for (const Observation& o : data.observations) rows[at(o.task)].push_back(o.row);
  Views views;
  for (const auto& list : rows) {
    const Index step = (static_cast<Index>(list.size()) + kMostRows - 1) / kMostRows;
    const Index count = step > 0 ? static_cast<Index>(list.size()) / step : 0;
    Matrix x(count, data.x.cols());
    for (Index i = 0; i < count; ++i) x.row(i) = data.x.row(list[at(i * step)]);
    views.push_back(std::move(x));
  }
  return views;
}

Matrix stack(const Process& process, const Views& views) {
  Index count = 0;
  for (std::size_t t = 0; t < views.size(); ++t) {
    if (process.serves(static_cast<int>(t))) count += views[t].rows();
  }
  Matrix all(count, process.inputs);
  Index next = 0;
  for (std::size_t t = 0; t < views.size(); ++t) {
    if (!process.serves(static_cast<int>(t))) continue;
    all.middleRows(next, views[t].rows()) = views[t];
    next += views[t].rows();
  }
  return all;
}

Matrix choose(const Matrix& rows, Index k, const InitialiseOptions& options, std::uint64_t salt) {
  const std::uint64_t seed = options.seed * 1000003 + salt;
  return options.inducing == InducingInputs::kmeans ? kmeans(rows, k, seed)
                                                    : random_rows(rows, k, seed);
}

void place_inducing_inputs(const Process& process, const Views& views, const Matrix& all,
                           const InitialiseOptions& options, std::uint64_t salt,
                           Parameters& parameters) {
  View Z = parameters.view(process.Z);
  if (process.Z_task.empty()) {
    Z = choose(all, process.inducing, options, salt);
    return;
  }
  // Coregionalised: each inducing input has a task; it comes from that task's rows where there are
  // any.
  for (std::size_t t = 0; t < views.size(); ++t) {
    const auto mine = std::count(process.Z_task.begin(), process.Z_task.end(), static_cast<int>(t));
    if (mine == 0) continue;
    const Matrix chosen =
        choose(views[t].rows() > 0 ? views[t] : all, static_cast<Index>(mine), options, salt + t);
    Index next = 0;
    for (Index m = 0; m < process.inducing; ++m) {
      if (process.Z_task[at(m)] == static_cast<int>(t)) Z.row(m) = chosen.row(next++);
    }
  }
}

// The standard deviation of each column. One that hardly varies yet (a latent function whose mean
// is zero) is taken to vary like the one that varies most: a lengthscale as short as its noise
// would make noise of the layer above.
Eigen::RowVectorXd spread(const Matrix& all) {
  const Eigen::RowVectorXd mean = all.colwise().mean();
  Eigen::RowVectorXd deviation = (all.rowwise() - mean).array().square().colwise().mean().sqrt();
  const double largest = deviation.maxCoeff();
  for (double& d : deviation) {
    if (!(d > 1e-2 * largest)) d = largest > 0.0 ? largest : 1.0;
  }
  return deviation;
}

// paper.tex, "GP models initialisation": what acts on the data starts alike in every model, but for
// what is private beside something shared; the top of deep models has a start of its own.
const std::optional<KernelStart>& start_of(const Process& process, const Layer& layer,
                                           bool above_others, const InitialiseOptions& options) {
  if (above_others) return options.top;
  const bool shares = std::any_of(layer.processes.begin(), layer.processes.end(),
                                  [](const Process& p) { return p.shared(); });
  return shares && !process.shared() ? options.priv : options.shared;
}

void set_leaf(const Kernel& leaf, const Matrix& all, const std::optional<KernelStart>& start,
              const InitialiseOptions& options, Parameters& parameters) {
  for (const int id : leaf.parameters) {
    const std::string& name = parameters[id].name;
    View view = parameters.view(id);
    if (name.ends_with("lengthscales") && start) {
      view.setConstant(start->lengthscale);
    } else if (name.ends_with("lengthscales")) {
      const Eigen::RowVectorXd deviation = spread(all);
      const double scale = options.lengthscale * std::sqrt(static_cast<double>(all.cols()));
      for (Index d = 0; d < view.rows(); ++d) {
        view(d, 0) = scale * (view.rows() > 1 ? deviation[d] : deviation.mean());
      }
    } else if (name.ends_with("variance") && name.find("white") == std::string::npos) {
      view.setConstant(start ? start->variance : options.variance);
    }
  }
}

void set_posterior(const Process& process, bool top, const InitialiseOptions& options,
                   std::uint32_t salt, Parameters& parameters) {
  View q_mu = parameters.view(process.q_mu);
  const DrawKey key{options.seed, Purpose::initialisation, 2 + salt};
  for (Index i = 0; i < q_mu.size(); ++i) {
    q_mu.data()[i] = top ? 0.0 : options.inner_q_mu * normal(key, static_cast<std::uint64_t>(i), 0);
  }
  const Matrix L =
      Matrix::Identity(process.inducing, process.inducing) * (top ? 1.0 : options.inner_q_sqrt);
  for (Index p = 0; p < process.width; ++p) set_q_sqrt_triangle(process, parameters, p, L);
}

// The mean of q at the rows of a task.
Matrix push(const Process& process, const Parameters& parameters, double jitter, const Matrix& rows,
            int task) {
  Prepared prepared;
  prepared.prepare(process, parameters, jitter, nullptr);
  Tape tape;
  tape.set_recording(false);
  const std::vector<int> tasks(at(rows.rows()), task);
  const ProcessAdjoints none{{&parameters, nullptr, 0}, no_view(), no_view(), nullptr};
  return conditional(tape, process, prepared, none, {constant(view_of(rows)), tasks.data()})
      .mean.value;
}

Matrix push_layer(const Model& model, const Layer& layer, const Matrix& rows, const Matrix& x,
                  int task) {
  const auto t = static_cast<std::size_t>(task);
  const Index extra = model.cascade.propagate_inputs ? model.cascade.inputs : 0;
  Matrix out(rows.rows(), layer.width[t] + extra);
  for (std::size_t p = 0; p < layer.processes.size() && rows.rows() > 0; ++p) {
    if (layer.offset[p][t] < 0) continue;
    out.middleCols(layer.offset[p][t], layer.processes[p].width) =
        push(layer.processes[p], model.parameters, model.cascade.jitter, rows, task);
  }
  if (extra > 0) out.rightCols(extra) = x;
  return out;
}

Views push_layer(const Model& model, const Layer& layer, const Views& views, const Views& inputs) {
  Views next;
  for (std::size_t t = 0; t < views.size(); ++t) {
    next.push_back(push_layer(model, layer, views[t], inputs[t], static_cast<int>(t)));
  }
  return next;
}

void set_noise(Model& model, const DataSet& data, const InitialiseOptions& options) {
  for (std::size_t t = 0; t < model.likelihoods.size(); ++t) {
    const Likelihood& likelihood = model.likelihoods[t];
    if (!has_gaussian_noise(likelihood.type->name)) continue;
    double n = 0.0, sum = 0.0, squares = 0.0;
    for (const Observation& o : data.observations) {
      if (o.task != static_cast<int>(t)) continue;
      n += 1.0;
      sum += o.y;
      squares += o.y * o.y;
    }
    const double variance = n > 1.0 ? squares / n - (sum / n) * (sum / n) : 1.0;
    model.parameters.view(likelihood.parameters[0])
        .setConstant(options.noise_variance.value_or(options.noise * std::max(variance, 1e-6)));
  }
}

}  // namespace

Matrix layer_inputs(const Model& model, std::size_t layer, const Matrix& x, int task) {
  Matrix rows = x;
  for (std::size_t l = 0; l < layer; ++l) {
    rows = push_layer(model, model.cascade.layers[l], rows, x, task);
  }
  return rows;
}

Matrix process_inputs(const Model& model, const Process& process, const DataSet& data,
                      const std::vector<const Observation*>& observations) {
  const std::size_t n = observations.size();
  Matrix inputs(static_cast<Index>(n), process.inputs);
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    const int task = observations[begin]->task;
    std::vector<Index> rows;
    for (; end < n && observations[end]->task == task; ++end)
      rows.push_back(observations[end]->row);
    inputs.middleRows(static_cast<Index>(begin), static_cast<Index>(rows.size())) = layer_inputs(
        model, static_cast<std::size_t>(process.layer), data.x(rows, Eigen::all), task);
  }
  return inputs;
}

void place_top_inducing_inputs(Model& model, const DataSet& data,
                               const InitialiseOptions& options) {
  const Views inputs = task_rows(model, data);
  Views views = inputs;
  for (std::size_t l = 0; l + 1 < model.cascade.layers.size(); ++l) {
    views = push_layer(model, model.cascade.layers[l], views, inputs);
  }
  std::uint32_t salt = 1;
  for (const Process& process : model.cascade.layers.back().processes) {
    Matrix all = stack(process, views);
    if (all.rows() == 0) all = Matrix::Zero(1, process.inputs);  // a task without rows
    salt += 100;
    place_inducing_inputs(process, views, all, options, salt, model.parameters);
  }
}

void initialise(Model& model, const DataSet& data, const InitialiseOptions& options) {
  check_size("initialise", "columns of x", data.x.cols(), model.cascade.inputs);
  check_finite("initialise", "x", view_of(data.x));
  if (data.observations.empty()) refuse("initialise", "observations", "empty", "at least one");
  for (const Observation& o : data.observations) {
    check_index("initialise", "observation's row", o.row, data.x.rows());
    check_index("initialise", "observation's task", o.task, model.cascade.tasks);
  }
  const Views inputs = task_rows(model, data);
  Views views = inputs;
  std::uint32_t salt = 0;
  for (std::size_t l = 0; l < model.cascade.layers.size(); ++l) {
    const Layer& layer = model.cascade.layers[l];
    const bool top = l + 1 == model.cascade.layers.size();
    for (const Process& process : layer.processes) {
      Matrix all = stack(process, views);
      if (all.rows() == 0) all = Matrix::Zero(1, process.inputs);  // a task without rows
      salt += 100;
      place_inducing_inputs(process, views, all, options, salt, model.parameters);
      for_leaves(process.kernel, [&](const Kernel& leaf) {
        set_leaf(leaf, all, start_of(process, layer, top && l > 0, options), options,
                 model.parameters);
      });
      set_posterior(process, top, options, salt, model.parameters);
    }
    if (!top) views = push_layer(model, layer, views, inputs);
  }
  set_noise(model, data, options);
  set_count_rates(model, data);
}

void set_count_rates(Model& model, const DataSet& data) {
  for (std::size_t t = 0; t < model.likelihoods.size(); ++t) {
    const Likelihood& likelihood = model.likelihoods[t];
    if (likelihood.type->name != "poisson") continue;
    double n = 0.0, sum = 0.0;
    for (const Observation& o : data.observations) {
      if (o.task != static_cast<int>(t)) continue;
      n += 1.0;
      sum += o.y;
    }
    const double mean = n > 0.0 ? sum / n : 0.0;
    model.parameters.view(likelihood.parameters[0]).setConstant(mean > kLargeCounts ? mean : 1.0);
  }
}

}  // namespace mdgp
