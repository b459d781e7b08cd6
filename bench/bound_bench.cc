// The bound and its gradient on the paper's SARCOS shape: 21 inputs, 7 tasks, a batch of 500 rows
// with one task each, inner width 10, M = 100 per process, S = 1, Matérn-5/2 ARD. And on its MNIST
// shape: 784 inputs, 3 tasks of 10 classes under robust-max, a batch of 100 rows, inner width 30,
// M = 50 for each task (150 in shared processes).
//
// Every tenth evaluation is followed by a DGEMM of 500 x 500 x 500 on each thread, so that the two
// are measured side by side on whatever the machine is doing: `of_dgemm` is the ratio of the median
// rates.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "flops.h"
#include "mdgp/inference/bound.h"
#include "mdgp/linalg/blas.h"
#include "mdgp/linalg/parallel.h"
#include "mdgp/random/normal.h"

namespace mdgp::bench {
namespace {

struct Shape {
  Index inputs, tasks, rows, width, inducing;  // inducing: of a process on top of one task
  bool inducing_per_task;                      // shared processes have the sum of their tasks'
  int classes;                                 // 0: regression
  double lengthscale;
};
constexpr Shape kSarcos = {21, 7, 500, 10, 100, false, 0, 4.0};
constexpr Shape kMnist = {784, 3, 100, 30, 50, true, 10, 40.0};

struct Problem {
  Model model;
  Matrix x;
  std::vector<Observation> observations;
  std::vector<Index> per_task;
};

ModelSpec spec_of(const Shape& shape, const std::string& name) {
  const TaskSpec task = shape.classes > 0 ? TaskSpec{"robustmax", shape.classes} : TaskSpec{};
  ModelSpec spec = default_spec(name, shape.inputs,
                                std::vector<TaskSpec>(static_cast<std::size_t>(shape.tasks), task),
                                2, shape.width, shape.inducing);
  if (!shape.inducing_per_task) return spec;
  for (LayerSpec& layer : spec.inner) {
    if (!layer.shared.empty()) layer.inducing *= shape.tasks;
  }
  if (is_coregionalised(name)) spec.top.inducing *= shape.tasks;
  return spec;
}

Problem make_problem(const Shape& shape, const std::string& name) {
  Problem p{make_model(spec_of(shape, name)),
            Matrix(shape.rows, shape.inputs),
            {},
            std::vector<Index>(static_cast<std::size_t>(shape.tasks), 0)};
  const DrawKey key{1, Purpose::data, 0};
  for (Index i = 0; i < p.x.size(); ++i) {
    p.x.data()[i] = normal(key, static_cast<std::uint64_t>(i), 0);
  }
  for (Index r = 0; r < shape.rows; ++r) {
    const auto row = static_cast<std::uint64_t>(r);
    const int task = static_cast<int>(uniform(key, row, 1) * static_cast<double>(shape.tasks));
    const double y =
        shape.classes > 0 ? static_cast<double>(r % shape.classes) : normal(key, row, 2);
    p.observations.push_back({r, task, y});
    ++p.per_task[static_cast<std::size_t>(task)];
  }
  // Inducing inputs spread like the rows, lengthscales of the paper, a posterior off its prior.
  for_processes(p.model.cascade, [&](const Process& process, std::size_t, std::size_t i) {
    const auto fill = [&](int id, std::uint32_t column, double scale) {
      View view = p.model.parameters.view(id);
      for (Index k = 0; k < view.size(); ++k) {
        view.data()[k] = scale * normal(key, static_cast<std::uint64_t>(k),
                                        static_cast<std::uint32_t>(16 * i) + column);
      }
    };
    fill(process.Z, 3, 1.0);
    fill(process.q_mu, 4, 0.5);
    Matrix L = Matrix::Identity(process.inducing, process.inducing) * 0.1;
    L.bottomLeftCorner(process.inducing / 2, process.inducing / 2).setConstant(1e-3);
    for (Index w = 0; w < process.width; ++w) {
      set_q_sqrt_triangle(process, p.model.parameters, w, L);
    }
    p.model.parameters.view(process.name + ".kernel.lengthscales").setConstant(shape.lengthscale);
  });
  return p;
}

double median(std::vector<double>& values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

template <class F>
double seconds(F f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// One DGEMM of 500³ per thread.
class Dgemm {
 public:
  explicit Dgemm(int threads) {
    for (int t = 0; t < threads; ++t)
      work_.push_back({Matrix::Ones(n, n), Matrix::Ones(n, n), Matrix(n, n)});
  }
  void operator()() {
    parallel_for(static_cast<Index>(work_.size()), [this](Index t, int) {
      Work& w = work_[static_cast<std::size_t>(t)];
      gemm(Op::none, Op::none, 1.0, view_of(std::as_const(w.a)), view_of(std::as_const(w.b)), 0.0,
           view_of(w.c));
    });
  }
  double flops() const { return 2.0 * n * n * n * static_cast<double>(work_.size()); }

 private:
  static constexpr Index n = 500;
  struct Work {
    Matrix a, b, c;
  };
  std::vector<Work> work_;
};

void bound_benchmark(benchmark::State& state, const Shape& shape, const std::string& name,
                     bool with_gradient, int threads) {
  set_num_threads(threads);
  const Problem problem = make_problem(shape, name);
  Bound bound(problem.model);
  const Batch batch{view_of(problem.x), &problem.observations, nullptr};
  BoundOptions options;
  Vector gradient;
  Dgemm dgemm(threads);
  std::vector<double> bound_times, dgemm_times = {seconds(dgemm)};
  for (auto _ : state) {
    bound_times.push_back(seconds([&] {
      benchmark::DoNotOptimize(bound(batch, options, with_gradient ? &gradient : nullptr));
    }));
    ++options.noise.step;
    if (bound_times.size() % 10 == 0) dgemm_times.push_back(seconds(dgemm));
    state.SetIterationTime(bound_times.back());
  }
  const double flops = bound_flops(problem.model, problem.per_task, options.samples, with_gradient);
  const double rate = flops / median(bound_times), dgemm_rate = dgemm.flops() / median(dgemm_times);
  state.counters["ms"] = 1e3 * median(bound_times);
  state.counters["Mflop"] = 1e-6 * flops;
  state.counters["Gflop/s"] = 1e-9 * rate;
  state.counters["dgemm"] = 1e-9 * dgemm_rate;
  state.counters["of_dgemm"] = rate / dgemm_rate;
}

void add(const char* prefix, const Shape& shape, const std::string& model, bool gradient,
         int threads) {
  const std::string label = std::string(gradient ? "gradient/" : "bound/") + prefix + model +
                            "/threads:" + std::to_string(threads);
  benchmark::RegisterBenchmark(
      label.c_str(), [=](auto& state) { bound_benchmark(state, shape, model, gradient, threads); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

const int kRegistered = [] {
  for (const bool gradient : {true, false}) {
    for (const int threads : {1, 2}) {
      for (const std::string_view name : model_names()) {
        add("", kSarcos, std::string(name), gradient, threads);
      }
    }
  }
  for (const int threads : {1, 2}) {
    for (const char* name : {"smdgp", "mmdgp", "cmdgp"}) {
      add("mnist/", kMnist, name, true, threads);
    }
  }
  return 0;
}();

}  // namespace
}  // namespace mdgp::bench
