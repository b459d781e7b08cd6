// `mdgp predict` as a user runs it: a million rows of the SARCOS shape (21 inputs, 7 tasks) from a
// CSV file to a CSV file, with an smdgp model of M = 100 and 50 samples. The program runs as a
// process of its own, so that its memory is its own too.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "mdgp/inference/initialise.h"
#include "mdgp/io/model_file.h"
#include "mdgp/random/normal.h"

namespace mdgp::bench {
namespace {

constexpr Index kInputs = 21, kTasks = 7, kTrainingRows = 1000;
constexpr DrawKey kKey{1, Purpose::data, 0};

void write_rows(const std::filesystem::path& path, Index rows) {
  std::ofstream file(path, std::ios::binary);
  for (Index d = 0; d < kInputs; ++d) file << (d > 0 ? "," : "") << "x" << d;
  file << '\n';
  std::string line;
  for (Index r = 0; r < rows; ++r) {
    line.clear();
    for (Index d = 0; d < kInputs; ++d) {
      line += fmt::format(
          "{:.5f}{}", normal(kKey, static_cast<std::uint64_t>(r), static_cast<std::uint32_t>(d)),
          d + 1 < kInputs ? "," : "\n");
    }
    file << line;
  }
}

// Initialised, not trained: prediction takes the same time.
void write_model(const std::filesystem::path& path) {
  DataSet data{Matrix(kTrainingRows, kInputs), {}};
  for (Index i = 0; i < data.x.size(); ++i) {
    data.x.data()[i] = normal(kKey, static_cast<std::uint64_t>(i), 50);
  }
  for (Index r = 0; r < kTrainingRows; ++r) {
    data.observations.push_back(
        {r, static_cast<int>(r % kTasks), std::sin(data.x(r, r % kInputs))});
  }
  FittedModel fitted;
  for (Index d = 0; d < kInputs; ++d)
    fitted.schema.inputs.push_back({fmt::format("x{}", d), false, {}, 0.0, 1.0});
  for (Index t = 0; t < kTasks; ++t) {
    fitted.schema.tasks.push_back({fmt::format("t{}", t), TaskKind::regression, {}, 0.0, 1.0, 100});
  }
  fitted.spec = default_spec("smdgp", kInputs, std::vector<TaskSpec>(kTasks));
  fitted.model = make_model(fitted.spec);
  initialise(fitted.model, data);
  save_model(path, fitted);
}

// Peak memory of the process in bytes; 0 where it failed.
double run(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  rusage usage = {};
  wait4(child, &status, 0, &usage);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0
             ? static_cast<double>(usage.ru_maxrss) * 1024.0
             : 0.0;
}

void predict_rows(benchmark::State& state) {
  const Index rows = state.range(0);
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("mdgp_predict_bench_{}", getpid());
  std::filesystem::create_directories(folder);
  write_rows(folder / "rows.csv", rows);
  write_model(folder / "model.mdgp");
  double memory = 0.0;
  for (auto _ : state) {
    memory = run({MDGP_PROGRAM, "predict", folder / "model.mdgp", folder / "rows.csv", "-o",
                  folder / "out.csv"});
    if (memory == 0.0) {
      state.SkipWithError("mdgp predict failed");
      break;
    }
  }
  state.counters["rows/s"] =
      benchmark::Counter(static_cast<double>(rows), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["peak MB"] = memory / 1e6;
  std::filesystem::remove_all(folder);
}

BENCHMARK(predict_rows)
    ->Name("predict/sarcos/rows")
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kSecond)
    ->UseRealTime()
    ->Iterations(1);

}  // namespace
}  // namespace mdgp::bench
