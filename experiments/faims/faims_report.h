// The report of the FAIMS experiment.
#pragma once

#include <string>
#include <vector>

#include "report.h"

namespace mdgp::experiments {

// The paper's claim against each model that it was made against: "mdgp models over idgp: smdgp
// +0.031, mmdgp −0.002: does not hold", by the mean difference of auc over common runs. Models
// without a record of these settings ("": our own) are left out.
std::vector<std::string> faims_claims(const std::vector<Record>& records,
                                      const std::string& settings);

// Of records of one variant. `command`: what made them.
Report faims_report(const std::vector<Record>& records, const std::string& variant,
                    const std::string& command);

}  // namespace mdgp::experiments
