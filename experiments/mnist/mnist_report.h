// The report of the MNIST experiment.
#pragma once

#include <string>
#include <vector>

#include "report.h"

namespace mdgp::experiments {

// Of records of one variant. `command`: what made them.
Report mnist_report(const std::vector<Record>& records, const std::string& variant,
                    const std::string& command);

}  // namespace mdgp::experiments
