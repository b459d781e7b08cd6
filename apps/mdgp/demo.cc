#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <numbers>
#include <vector>

#include "commands.h"
#include "mdgp/inference/bound.h"
#include "mdgp/linalg/parallel.h"
#include "mdgp/random/normal.h"

namespace mdgp::program {
namespace {

constexpr Index kRowsPerTask = 50, kInducing = 20;
constexpr double kNoise = 0.05;

// paper.tex, introduction: two tasks that mix one shared function non-linearly.
double toy(int task, double x) {
  const double g = -std::sin(8.0 * std::numbers::pi * (x + 1.0)) / (2.0 * x + 1.0) - std::pow(x, 4);
  return task == 0 ? std::pow(std::cos(g), 2) + std::sin(3.0 * x)
                   : std::sin(10.0 * x) * g * g + 3.0 * x;
}

struct Data {
  Matrix x;
  std::vector<Observation> observations;
};

Data sample_toy() {
  const DrawKey key{1, Purpose::data, 0};
  Data data{Matrix(2 * kRowsPerTask, 1), {}};
  for (Index r = 0; r < data.x.rows(); ++r) {
    const auto row = static_cast<std::uint64_t>(r);
    const int task = r < kRowsPerTask ? 0 : 1;
    data.x(r, 0) = uniform(key, row, 0);
    data.observations.push_back({r, task, toy(task, data.x(r, 0)) + kNoise * normal(key, row, 1)});
  }
  return data;
}

// Inducing inputs spread over the unit interval; in layers that see more than x, over the same
// range.
Model toy_model(std::string_view name) {
  Model model = make_model(default_spec(name, 1, {TaskSpec{}, TaskSpec{}}, 2, 2, kInducing));
  for_processes(model.cascade, [&](const Process& process, std::size_t, std::size_t) {
    View Z = model.parameters.view(process.Z);
    for (Index m = 0; m < Z.rows(); ++m) {
      for (Index d = 0; d < Z.cols(); ++d) {
        Z(m, d) = static_cast<double>((m * (d + 1)) % kInducing) / (kInducing - 1);
      }
    }
    model.parameters.view(process.name + ".kernel.lengthscales").setConstant(0.2);
  });
  return model;
}

}  // namespace

int demo(const DemoOptions& options) {
  if (options.threads > 0) set_num_threads(options.threads);
  const Data data = sample_toy();
  fmt::print("The paper's toy: {} rows, 2 tasks. The bound of each model before any training.\n\n",
             data.x.rows());
  fmt::print("{:<8}{:>12}{:>16}{:>10}{:>14}{:>12}{:>10}\n", "model", "parameters", "log-likelihood",
             "KL", "bound", "|gradient|", "ms");
  for (const std::string_view name : model_names()) {
    const Model model = toy_model(name);
    Bound bound(model);
    Vector gradient;
    const auto evaluate = [&] {
      return bound({view_of(data.x), &data.observations}, BoundOptions{}, &gradient);
    };
    evaluate();  // finds out how much memory it needs
    const auto start = std::chrono::steady_clock::now();
    const BoundValue value = evaluate();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    fmt::print("{:<8}{:>12}{:>16.2f}{:>10.2f}{:>14.2f}{:>12.1f}{:>10.2f}\n", name,
               model.parameters.size(), value.expected_log_likelihood, value.kl, value.bound,
               gradient.norm(), time.count());
  }
  return 0;
}

}  // namespace mdgp::program
