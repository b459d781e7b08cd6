// The program's commands. Each returns the exit code: 0 done, 1 the work failed or was interrupted;
// a wrong call or input is thrown as std::invalid_argument and becomes 2.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mdgp::program {

// Rows of a table that predict and evaluate read, work on and forget at a time.
inline constexpr long kPieceRows = 4096;

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

// What the experiments with a results folder have in common.
struct ExperimentOptions {
  std::string data;                 // directory; empty: that of MDGP_DATA
  std::vector<std::string> models;  // empty: all
  int runs = 10;
  std::uint64_t seed = 1;
  std::string preset;  // empty: mdgp's own settings
  std::string out;     // directory for the results
  int jobs = 0;        // at once; 0: as many as there are threads
  int threads = 0;     // of all jobs together
};

struct SarcosExperimentOptions {
  ExperimentOptions common;        // without data: a simulated arm
  std::string protocol = "clean";  // or "paper", "held-out"
  std::vector<long> sizes;         // empty: the paper's
};

// The paper's SARCOS tables. Fits that OUT/results.jsonl has are not done again.
int experiment_sarcos(const SarcosExperimentOptions& options);

struct MnistExperimentOptions {
  ExperimentOptions common;  // without data: digits that are drawn by rule
  long size = 1000;          // training images of each task
  long steps = 0;            // of training; 0: as many as the model's settings say
};

// The paper's experiment on variations of MNIST: three tasks of ten classes.
int experiment_mnist(const MnistExperimentOptions& options);

// The paper's FAIMS table; without data on a simulated study.
int experiment_faims(const ExperimentOptions& options);

struct FitOptions {
  std::string table, out, config;
  std::vector<std::pair<std::string, std::string>> flags;  // key and text of io/options.h
  bool resume = false;
  int threads = 0;
};

// Fits a model to a table and writes it to `out`; a run in progress is kept in `out`.checkpoint.
int fit(const FitOptions& options);

struct PredictOptions {
  std::string model, table;
  std::string out;                // empty: standard output
  std::vector<double> quantiles;  // levels
  long samples = 50;
  std::uint64_t seed = 1;
  int threads = 0;
};

// Predictions for every row of a table, as CSV.
int predict(const PredictOptions& options);

struct EvaluateOptions {
  std::string model, table;
  bool json = false;
  long samples = 50;
  std::uint64_t seed = 1;
  int threads = 0;
};

int evaluate(const EvaluateOptions& options);

// What is in a model file.
int info(const std::string& path);

}  // namespace mdgp::program
