// Case-control studies with three measurements of each subject, as the paper's FAIMS study of
// diabetes: a task is the run of the instrument, the label is the subject's. That study is not
// public; a public one of the same form (three voice recordings of people with and without
// Parkinson's disease) or a simulation of it stand in for it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "mdgp/data/schema.h"
#include "mdgp/inference/minibatch.h"

namespace mdgp::experiments {

constexpr int kFaimsRuns = 3;

struct FaimsData {
  std::array<Matrix, kFaimsRuns> x;   // [subjects, features] of each run
  std::vector<int> label;             // [subjects] 1: case
  std::vector<std::string> features;  // names
  std::string origin;                 // "parkinson" or "simulated"
};

// From parkinson_replicated.csv in the directory or its folder `parkinson_replicated`: its columns
// but ID, Recording, Status and Gender, as the instrument's numbers alone are the inputs. `asked`
// begins messages: "--data". Throws FileError or TableError: one line with file, line and remedy.
FaimsData load_parkinson(const std::string& directory, const std::string& asked);

// Tells data of other files apart.
std::string checksum(const FaimsData& data);

// 70 % of the cases and of the controls to train on, by subject; a function of data, run and seed
// only. Features are standardised, reduced to `components` and scaled on the training rows of all
// runs together.
struct FaimsDraw {
  Schema schema;
  DataSet train;  // x [3 subjects, components]; one observation a row
  std::array<Matrix, kFaimsRuns> test_x;
  std::vector<int> test_label;  // [test subjects]
};
FaimsDraw draw(const FaimsData& data, const std::string& reduction, Index components, int run,
               std::uint64_t seed);

// How many subjects a draw of a study with so many cases and controls trains on.
Index training_subjects(Index cases, Index controls);

}  // namespace mdgp::experiments
