// The program's commands. Each returns the exit code: 0 done, 1 the work failed; a wrong call or
// input is thrown as std::invalid_argument and becomes 2.
#pragma once

#include <cstdint>
#include <string>

namespace mdgp::program {

struct DemoOptions {
  std::string out = "demo";  // directory for the page and the picture
  std::uint64_t seed = 1;
  long steps = 3000;  // of training, for each model
  int threads = 0;    // 0: as many as the machine has
};

// The paper's two-task toy, fitted with all six models: a table, DIR/demo.html and DIR/demo.svg.
int demo(const DemoOptions& options);

struct ToyExperimentOptions {
  int runs = 10;
  std::uint64_t seed = 1;  // of the first run; the others follow
  long steps = 3000;
  int threads = 0;
};

// The toy over several seeds: scores, calibration, and what each model gains over cgp.
int experiment_toy(const ToyExperimentOptions& options);

}  // namespace mdgp::program
