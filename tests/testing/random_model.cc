#include "testing/random_model.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "testing/dense.h"

namespace mdgp::fixture {
namespace {

bool serves(const Process& process, int task) {
  return process.tasks.empty() ||
         std::find(process.tasks.begin(), process.tasks.end(), task) != process.tasks.end();
}

double random_target(const Likelihood& likelihood, Random& random) {
  const std::string_view name = likelihood.type->name;
  if (likelihood.classes > 0) return static_cast<double>(random.below(likelihood.classes));
  if (name == "bernoulli") return static_cast<double>(random.below(2));
  if (name == "poisson") return static_cast<double>(random.below(4));
  return random.normal();
}

// The leaf kernels as a textbook writes them.
double leaf_kernel(std::string_view type, const Vector& variance, const Vector& lengthscales,
                   const Vector& x, const Vector& z) {
  double r2 = 0.0, dot = 0.0;
  for (Index d = 0; d < x.size(); ++d) {
    if (lengthscales.size() > 0) {
      r2 += std::pow((x[d] - z[d]) / lengthscales[lengthscales.size() > 1 ? d : 0], 2);
    }
    dot += variance[variance.size() > 1 ? d : 0] * x[d] * z[d];
  }
  const double r = std::sqrt(r2);
  if (type == "linear") return dot;
  if (type == "rbf") return variance[0] * std::exp(-0.5 * r2);
  if (type == "matern12") return variance[0] * std::exp(-r);
  if (type == "matern32")
    return variance[0] * (1 + std::sqrt(3.0) * r) * std::exp(-std::sqrt(3.0) * r);
  if (type == "matern52") {
    return variance[0] * (1 + std::sqrt(5.0) * r + 5.0 / 3.0 * r2) * std::exp(-std::sqrt(5.0) * r);
  }
  throw std::logic_error("the textbook has no kernel " + std::string(type));
}

double tree_kernel(const Kernel& kernel, const Parameters& parameters, const Vector& x, int s,
                   const Vector& z, int t, bool same) {
  const std::string_view type = kernel.type->name;
  const auto value = [&](std::size_t i) { return Matrix(parameters.view(kernel.parameters[i])); };
  if (type == "sum" || type == "product") {
    double result = type == "sum" ? 0.0 : 1.0;
    for (const Kernel& child : kernel.children) {
      const double k = tree_kernel(child, parameters, x, s, z, t, same);
      result = type == "sum" ? result + k : result * k;
    }
    return result;
  }
  if (type == "white") return same ? value(0)(0, 0) : 0.0;
  if (type == "coregion") {
    const Matrix W = value(0), kappa = value(1);
    return W.row(s).dot(W.row(t)) + (s == t ? kappa(s, 0) : 0.0);
  }
  return leaf_kernel(type, value(0), kernel.parameters.size() > 1 ? Vector(value(1)) : Vector(), x,
                     z);
}

}  // namespace

bool is_deep(std::string_view model) { return model.ends_with("dgp"); }
bool is_coregional(std::string_view model) { return model.starts_with("c"); }

std::vector<TaskSpec> gaussian_tasks() { return {{}, {}, {}}; }

ModelSpec small_spec(std::string_view model, Index depth, std::vector<TaskSpec> tasks) {
  ModelSpec spec;
  spec.model = model;
  spec.inputs = 3;
  spec.tasks = std::move(tasks);
  LayerSpec inner;
  inner.shared = model == "idgp" ? std::vector<Index>{} : std::vector<Index>{2, 1};
  inner.priv =
      model == "idgp" || model == "mmdgp" ? std::vector<Index>{1, 2} : std::vector<Index>{};
  inner.inducing = 3;
  spec.inner.assign(at(depth - 1), inner);
  spec.top.inducing = 4;
  return spec;
}

void randomise(Model& model, Random& random) {
  for (std::size_t i = 0; i < model.parameters.table.size(); ++i) {
    View v = model.parameters.view(static_cast<int>(i));
    const Parameter& p = model.parameters.table[i];
    const bool positive = p.constraint == Constraint::positive;
    const bool white = p.name.ends_with("white.variance");
    for (Index k = 0; k < v.size(); ++k) {
      v.data()[k] = white      ? random.uniform(0.03, 0.08)
                    : positive ? random.uniform(0.5, 1.5)
                               : random.normal();
    }
    if (p.name.ends_with("degrees_of_freedom")) v.array() += 3.0;
  }
  for_processes(model.cascade, [&](const Process& process, std::size_t, std::size_t) {
    for (Index p = 0; p < process.width; ++p) {
      Matrix L = 0.3 * random.normals(process.inducing, process.inducing);
      for (Index i = 0; i < L.rows(); ++i) L(i, i) = random.uniform(0.4, 1.0);
      set_q_sqrt_triangle(process, model.parameters, p, L);
    }
  });
}

Model random_model(const ModelSpec& spec, unsigned seed) {
  Random random(seed);
  ModelSpec with_rows = spec;
  if (with_rows.pca_rows.size() == 0) with_rows.pca_rows = random.normals(20, spec.inputs);
  Model model = make_model(with_rows);
  randomise(model, random);
  return model;
}

Data random_data(const Model& model, Index rows, Observed observed, Random& random) {
  const Index tasks = model.cascade.tasks;
  Data data;
  data.x = random.normals(rows, model.cascade.inputs);
  for (Index r = 0; r < rows; ++r) {
    const Index first = r % tasks;
    Index count = observed == Observed::one ? 1 : tasks;
    if (observed == Observed::mixed) count = 1 + (r / 2) % tasks;
    for (Index k = 0; k < count; ++k) {
      const Index t = (first + k) % tasks;
      data.observations.push_back(
          {r, static_cast<int>(t), random_target(model.likelihoods[at(t)], random)});
    }
    data.row_id.push_back(static_cast<std::uint64_t>(1000 + 7 * r));
  }
  return data;
}

GivenNoise random_noise(const Model& model, Index rows, Index samples, Random& random) {
  GivenNoise noise(model.cascade.layers.size() - 1);
  for (std::size_t l = 0; l < noise.size(); ++l) {
    const auto& width = model.cascade.layers[l].width;
    for (Index s = 0; s < samples; ++s) {
      noise[l].push_back(random.normals(rows, *std::max_element(width.begin(), width.end())));
    }
  }
  return noise;
}

std::vector<bool> free_elements(const Model& model) {
  std::vector<bool> free(at(model.parameters.size()), true);
  for_processes(model.cascade, [&](const Process& process, std::size_t, std::size_t) {
    const Parameter& q_sqrt = model.parameters[process.q_sqrt];
    for (Index c = 0; c < q_sqrt.cols; ++c) {
      for (Index i = 0; i < c / process.width; ++i)
        free[at(q_sqrt.offset + c * q_sqrt.rows + i)] = false;
    }
  });
  return free;
}

ProcessAdjoints no_adjoints(const Parameters& parameters) {
  return {
      .leaves = {&parameters, nullptr, 0}, .q_sqrt = no_view(), .S = no_view(), .started = nullptr};
}

double textbook_kernel(const Process& process, const Parameters& parameters, const Vector& x, int s,
                       const Vector& z, int t, bool same) {
  return tree_kernel(process.kernel, parameters, x, s, z, t, same);
}

Matrix textbook_Kzz(const Process& process, const Parameters& parameters, double jitter) {
  const Matrix Z = parameters.view(process.Z);
  const auto task = [&](Index m) { return process.Z_task.empty() ? 0 : process.Z_task[at(m)]; };
  Matrix K(process.inducing, process.inducing);
  for (Index i = 0; i < K.rows(); ++i) {
    for (Index j = 0; j < K.cols(); ++j) {
      K(i, j) = textbook_kernel(process, parameters, Z.row(i), task(i), Z.row(j), task(j), i == j);
    }
    K(i, i) += jitter;
  }
  return K;
}

InducingPosterior textbook_q(const Process& process, const Parameters& parameters, double jitter) {
  const Matrix L = cholesky(textbook_Kzz(process, parameters, jitter));
  InducingPosterior q{L * Matrix(parameters.view(process.q_mu)), {}};
  for (Index p = 0; p < process.width; ++p) {
    const Matrix root = L * q_sqrt_triangle(process, parameters, p);
    q.covariance.push_back(root * root.transpose());
  }
  return q;
}

Marginal textbook_conditional(const Process& process, const Parameters& parameters, double jitter,
                              const Vector& x, int task) {
  const Matrix Kzz_inverse = inverse(textbook_Kzz(process, parameters, jitter));
  const InducingPosterior q = textbook_q(process, parameters, jitter);
  const Matrix Z = parameters.view(process.Z);
  Vector kx(process.inducing);
  for (Index m = 0; m < kx.size(); ++m) {
    const int z_task = process.Z_task.empty() ? 0 : process.Z_task[at(m)];
    kx[m] = textbook_kernel(process, parameters, x, task, Z.row(m), z_task, false);
  }
  const double kxx = textbook_kernel(process, parameters, x, task, x, task, true);
  const Vector a = Kzz_inverse * kx;
  Marginal f{Vector(process.width), Vector(process.width)};
  for (Index p = 0; p < process.width; ++p) {
    f.mean[p] = a.dot(q.mean.col(p));
    if (process.mean_weights.size() > 0) f.mean[p] += x.dot(process.mean_weights.col(p));
    f.variance[p] = kxx - kx.dot(a) + a.dot(q.covariance[at(p)] * a);
  }
  return f;
}

Marginal textbook_cascade(const Model& model, const Vector& x, int task,
                          const std::vector<Vector>& eps) {
  Vector input = x;
  Marginal f;
  for (std::size_t l = 0; l < model.cascade.layers.size(); ++l) {
    std::vector<double> mean, variance;
    for (const Process& process : model.cascade.layers[l].processes) {
      if (!serves(process, task)) continue;
      const Marginal part =
          textbook_conditional(process, model.parameters, model.cascade.jitter, input, task);
      mean.insert(mean.end(), part.mean.begin(), part.mean.end());
      variance.insert(variance.end(), part.variance.begin(), part.variance.end());
    }
    const auto width = static_cast<Index>(mean.size());
    f = {Eigen::Map<Vector>(mean.data(), width), Eigen::Map<Vector>(variance.data(), width)};
    if (l + 1 == model.cascade.layers.size()) break;
    const Vector h = f.mean.array() + f.variance.array().sqrt() * eps[l].head(width).array();
    input.resize(width + (model.cascade.propagate_inputs ? x.size() : 0));
    input.head(width) = h;
    if (model.cascade.propagate_inputs) input.tail(x.size()) = x;
  }
  return f;
}

}  // namespace mdgp::fixture
