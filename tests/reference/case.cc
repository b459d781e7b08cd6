#include "case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace mdgp::reference {
namespace {

using nlohmann::json;

constexpr double kValueLimit = 1e-8, kGradientLimit = 1e-7;

// A number, a list or a list of lists as a matrix; a list is a column.
Matrix matrix(const json& j) {
  if (j.is_number()) return Matrix::Constant(1, 1, j.get<double>());
  const auto rows = static_cast<Index>(j.size());
  if (rows == 0) return {};
  if (j[0].is_number()) {
    Matrix m(rows, 1);
    for (Index i = 0; i < rows; ++i) m(i, 0) = j[static_cast<std::size_t>(i)].get<double>();
    return m;
  }
  Matrix m(rows, static_cast<Index>(j[0].size()));
  for (Index i = 0; i < rows; ++i) {
    const json& row = j[static_cast<std::size_t>(i)];
    if (static_cast<Index>(row.size()) != m.cols()) throw std::runtime_error("a matrix is ragged");
    for (Index k = 0; k < m.cols(); ++k) m(i, k) = row[static_cast<std::size_t>(k)].get<double>();
  }
  return m;
}

// [P, M, M] to the layout of the parameter q_sqrt, lower triangles only.
Matrix q_sqrt_panels(const json& j) {
  const auto width = static_cast<Index>(j.size());
  Matrix panels;
  for (Index p = 0; p < width; ++p) {
    const Matrix L = matrix(j[static_cast<std::size_t>(p)]);
    if (p == 0) panels.setZero(L.rows(), L.rows() * width);
    for (Index c = 0; c < L.cols(); ++c) {
      panels.col(c * width + p).tail(L.rows() - c) = L.col(c).tail(L.rows() - c);
    }
  }
  return panels;
}

void set(Parameters& parameters, const std::string& name, const Matrix& value) {
  View view = parameters.view(name);
  if (view.rows() != value.rows() || view.cols() != value.cols()) {
    throw std::runtime_error(fmt::format("{} is [{}, {}], expected [{}, {}]", name, value.rows(),
                                         value.cols(), view.rows(), view.cols()));
  }
  view = value;
}

Process read_process(const json& j, Index layer, Index tasks, Parameters& parameters) {
  const json& kernel = j.at("kernel");
  const double white = kernel.value("white", 0.0);
  const Matrix Z = matrix(j.at("Z"));

  ProcessSpec spec;
  spec.name = j.at("name").get<std::string>();
  spec.layer = layer;
  if (!j.at("tasks").is_string()) spec.tasks = j.at("tasks").get<std::vector<int>>();
  std::sort(spec.tasks.begin(), spec.tasks.end());
  spec.kernel = kernel.at("type").get<std::string>();
  const json& scales =
      kernel.contains("lengthscales") ? kernel["lengthscales"] : kernel.at("variance");
  spec.ard = matrix(scales).rows() > 1;
  if (kernel.contains("coregion")) {
    spec.kernel += " * coregion";
    spec.rank = matrix(kernel["coregion"].at("W")).cols();
    spec.Z_task = j.at("Z_task").get<std::vector<int>>();
  }
  if (white > 0.0) spec.kernel += " + white";
  spec.all_tasks = tasks;
  spec.inputs = Z.cols();
  spec.inducing = Z.rows();
  spec.width = matrix(j.at("q_mu")).cols();
  if (j.contains("mean_weights") && !j["mean_weights"].is_null()) {
    spec.mean_weights = matrix(j["mean_weights"]);
  }

  Process process = make_process(spec, parameters);
  const std::string prefix = spec.name + ".kernel.";
  set(parameters, prefix + "variance", matrix(kernel.at("variance")));
  if (kernel.contains("lengthscales")) {
    set(parameters, prefix + "lengthscales", matrix(kernel["lengthscales"]));
  }
  if (kernel.contains("coregion")) {
    set(parameters, prefix + "coregion.W", matrix(kernel["coregion"].at("W")));
    set(parameters, prefix + "coregion.kappa", matrix(kernel["coregion"].at("kappa")));
  }
  if (white > 0.0) set(parameters, prefix + "white.variance", Matrix::Constant(1, 1, white));
  set(parameters, spec.name + ".Z", Z);
  set(parameters, spec.name + ".q_mu", matrix(j.at("q_mu")));
  set(parameters, spec.name + ".q_sqrt", q_sqrt_panels(j.at("q_sqrt")));
  return process;
}

Model read_model(const json& j) {
  Model model;
  model.cascade.tasks = j.at("tasks").get<Index>();
  model.cascade.inputs = matrix(j.at("data").at("X")).cols();
  model.cascade.jitter = j.at("jitter").get<double>();
  for (const json& layer : j.at("layers")) {
    Layer& to = model.cascade.layers.emplace_back();
    const auto number = static_cast<Index>(model.cascade.layers.size()) - 1;
    for (const json& process : layer) {
      to.processes.push_back(read_process(process, number, model.cascade.tasks, model.parameters));
    }
  }
  finish_cascade(model.cascade);
  model.likelihoods_begin = model.parameters.size();
  for (const json& likelihood : j.at("likelihoods")) {
    const std::string prefix = fmt::format("likelihood{}", model.likelihoods.size());
    model.likelihoods.push_back(make_likelihood(likelihood.at("type").get<std::string>(), prefix,
                                                model.parameters, likelihood.value("classes", 0)));
    if (likelihood.contains("variance")) {
      set(model.parameters, prefix + ".variance", matrix(likelihood["variance"]));
    }
  }
  return model;
}

// [samples][rows][width] to row i * samples + s.
Matrix read_top(const json& j) {
  const auto samples = static_cast<Index>(j.size());
  Matrix all;
  for (Index s = 0; s < samples; ++s) {
    const Matrix m = matrix(j[static_cast<std::size_t>(s)]);
    if (s == 0) all.setZero(m.rows() * samples, m.cols());
    for (Index i = 0; i < m.rows(); ++i) all.row(i * samples + s) = m.row(i);
  }
  return all;
}

Case parse(const json& j) {
  Case c;
  c.name = j.at("name").get<std::string>();
  c.model = read_model(j);
  c.x = matrix(j.at("data").at("X"));
  const json& data = j.at("data");
  for (std::size_t i = 0; i < data.at("y").size(); ++i) {
    c.observations.push_back(
        {static_cast<Index>(i), data.at("task").at(i).get<int>(), matrix(data["y"][i])(0, 0)});
  }
  for (const json& layer : j.at("eps")) {
    auto& to = c.eps.emplace_back();
    for (const json& sample : layer) to.push_back(matrix(sample));
  }
  c.samples = c.eps.empty() ? 1 : static_cast<Index>(c.eps[0].size());
  c.num_data = j.at("num_data").get<double>();

  const json& expected = j.at("expected");
  c.expected = {expected.at("elbo").get<double>(),
                expected.at("expected_log_likelihood").get<double>(),
                expected.at("kl").get<double>()};
  c.expected_top = {read_top(expected.at("top_mean")), read_top(expected.at("top_variance")),
                    static_cast<Index>(expected.at("top_mean").size())};
  for (const auto& [name, value] : expected.at("gradients").items()) {
    c.expected_gradients.push_back(
        {name, name.ends_with(".q_sqrt") ? q_sqrt_panels(value) : matrix(value)});
  }
  return c;
}

double relative_error(const Matrix& value, const Matrix& expected) {
  if (value.rows() != expected.rows() || value.cols() != expected.cols()) {
    throw std::runtime_error(fmt::format("expected values are [{}, {}], mdgp's [{}, {}]",
                                         expected.rows(), expected.cols(), value.rows(),
                                         value.cols()));
  }
  if (!value.allFinite()) return INFINITY;
  const double scale = expected.cwiseAbs().maxCoeff();
  const double difference = (value - expected).cwiseAbs().maxCoeff();
  return scale > 0.0 ? difference / scale : difference;
}

double relative_error(double value, double expected) {
  return relative_error(Matrix::Constant(1, 1, value), Matrix::Constant(1, 1, expected));
}

}  // namespace

Case read_case(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be read", path));
  try {
    return parse(json::parse(file));
  } catch (const std::exception& e) {
    throw std::runtime_error(fmt::format("{}: {}", path, e.what()));
  }
}

std::vector<Error> compare(const Case& c) {
  Bound bound(c.model);
  BoundOptions options;
  options.samples = c.samples;
  options.num_data = c.num_data;
  options.noise.given = &c.eps;
  Vector gradient;
  TopValues top;
  const BoundValue value = bound({view_of(c.x), &c.observations}, options, &gradient, &top);

  std::vector<Error> errors = {
      {"elbo", relative_error(value.bound, c.expected.bound), kValueLimit},
      {"expected_log_likelihood",
       relative_error(value.expected_log_likelihood, c.expected.expected_log_likelihood),
       kValueLimit},
      {"kl", relative_error(value.kl, c.expected.kl), kValueLimit},
      {"top_mean", relative_error(top.mean, c.expected_top.mean), kValueLimit},
      {"top_variance", relative_error(top.variance, c.expected_top.variance), kValueLimit},
  };
  for (const Case::Gradient& g : c.expected_gradients) {
    const Parameter& p = c.model.parameters[c.model.parameters.find(g.name)];
    const Matrix ours = make_view(gradient.data() + p.offset, p.rows, p.cols);
    errors.push_back({"gradient of " + g.name, relative_error(ours, g.value), kGradientLimit});
  }
  return errors;
}

}  // namespace mdgp::reference
