// One fit of an experiment and what it scored: a line of results.jsonl.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mdgp/linalg/matrix.h"

namespace mdgp::experiments {

// A score that is not there.
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Levels of lists["calibration"]: .05, .10, … .95.
inline constexpr std::size_t kCalibrationLevels = 19;
constexpr double calibration_level(std::size_t k) { return 0.05 * static_cast<double>(k + 1); }

struct Record {
  std::string experiment;  // "sarcos"
  std::string variant;   // what else must be equal for two records to be compared: "clean", "paper"
  std::string settings;  // "" for mdgp's own, else the preset
  std::string model;     // "smdgp"
  Index size = 0;        // N
  int run = 0;           // number of the draw, from 0
  std::uint64_t seed = 1;
  // Checksums of the data and of the program that made it; empty: not known, or data from no file.
  std::string data, program;
  double seconds = 0.0;                  // of the fit; this and "bound_ms" differ on a second run
  std::map<std::string, double> scores;  // "rmse", "nlpp", "bound", …
  // "calibration": the share of test targets below each calibration_level;
  // "rmse_by_task", "nlpp_by_task"; …
  std::map<std::string, std::vector<double>> lists;
  // The ARD weights of the top kernels (posterior/inspect.h), of the first run of each size.
  std::vector<std::string> ard_columns;          // "g0[0]", "h1[0]", "x[3]"
  std::vector<std::vector<double>> ard_weights;  // [task][column]; NaN where it is not seen
  std::string error;                             // why there are no scores; empty: there are
};

// One line without its end. What is not a finite number is null, and null reads as NaN.
std::string to_json(const Record& record);
// Throws std::invalid_argument where the text is not such a line.
Record from_json(std::string_view line);

}  // namespace mdgp::experiments
