// Training: the demo's models, and 1,000 steps on the paper's SARCOS shape.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>

#include "mdgp/inference/initialise.h"
#include "mdgp/inference/trainer.h"
#include "mdgp/linalg/parallel.h"
#include "mdgp/random/normal.h"
#include "toy/toy.h"

namespace mdgp::bench {
namespace {

void demo_model(benchmark::State& state, const std::string& name) {
  set_num_threads(2);
  const experiments::ToyOptions options;
  const experiments::ToyData data = experiments::make_toy(options);
  for (auto _ : state) benchmark::DoNotOptimize(experiments::fit_toy(name, data, options));
  state.counters["steps"] = static_cast<double>(options.steps);
}

// 21 inputs, 7 tasks, 2,000 rows, batches of 500, inner width 10, M = 100; made-up targets.
void sarcos_steps(benchmark::State& state, const std::string& name) {
  set_num_threads(2);
  const DrawKey key{1, Purpose::data, 0};
  DataSet data{Matrix(2000, 21), {}};
  for (Index i = 0; i < data.x.size(); ++i) {
    data.x.data()[i] = normal(key, static_cast<std::uint64_t>(i), 0);
  }
  for (Index r = 0; r < data.x.rows(); ++r) {
    data.observations.push_back({r, static_cast<int>(r % 7), std::sin(data.x(r, r % 21))});
  }
  TrainOptions options;
  options.steps = 1000;
  options.batch_rows = 500;
  for (auto _ : state) {
    Model model = make_model(default_spec(name, 21, std::vector<TaskSpec>(7)));
    initialise(model, data);
    TrainState training;
    benchmark::DoNotOptimize(train(model, data, options, training));
  }
  state.counters["steps"] = 1000;
}

const int kRegistered = [] {
  for (const std::string_view name : model_names()) {
    const std::string model(name);
    benchmark::RegisterBenchmark(("train/demo/" + model).c_str(),
                                 [model](auto& state) { demo_model(state, model); })
        ->Unit(benchmark::kSecond)
        ->UseRealTime()
        ->Iterations(1);
  }
  for (const char* name : {"smdgp", "mmdgp", "igp"}) {
    benchmark::RegisterBenchmark((std::string("train/sarcos/") + name).c_str(),
                                 [name](auto& state) { sarcos_steps(state, name); })
        ->Unit(benchmark::kSecond)
        ->UseRealTime()
        ->Iterations(1);
  }
  return 0;
}();

}  // namespace
}  // namespace mdgp::bench
