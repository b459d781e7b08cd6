// What the paper says of the MNIST variations, checked on records.
#pragma once

#include <string>
#include <vector>

#include "grid.h"

namespace mdgp::experiments {

struct ClaimRow {
  std::string model, other, task;
  Comparison comparison;  // accuracy of model minus that of other, on the runs that both have
  bool holds = false;
};

struct Claim {
  std::string text;
  std::vector<ClaimRow> rows;
  std::vector<std::string> missing;  // models without a run in common: the claim is not tested
  bool holds = false;                // all rows do

  std::string verdict() const;  // "holds", "does not hold", "not tested (no runs of idgp)"
};

// Of the rows of one preset ("": our own settings). A difference counts where its mean has the sign
// and, from six runs on, a paired Wilcoxon test finds it at 5 %.
std::vector<Claim> mnist_claims(const Grid& grid, const std::string& settings);

// "holds: … (smdgp − idgp on random +0.412, p 0.002; …)".
std::string to_line(const Claim& claim);

}  // namespace mdgp::experiments
