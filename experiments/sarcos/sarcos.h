// One fit of the SARCOS experiment: draw, choose, train, score on all torques of the test rows.
#pragma once

#include "record.h"
#include "runner.h"
#include "sarcos_data.h"

namespace mdgp::experiments {

struct SarcosOptions {
  Protocol protocol = Protocol::clean;
  Index samples = 10;          // of the inner layers, in predictions …
  Index samples_of_large = 4;  // … with a large top layer
};

// What the records of such data say of it: "clean", "paper", "clean official", "simulated", …
std::string variant_of(const SarcosData& data, Protocol protocol);

// scores: rmse and nlpp (on standardised targets, the mean over tasks), relative_rmse (in units of
// the test targets' deviations), inside50, inside80 and inside95 (the shares of test targets in
// central intervals), bound, steps and failures; run 0 also bound_ms, what one evaluation of the
// bound and its gradient takes.
// lists: rmse_by_task, relative_rmse_by_task, nlpp_by_task, calibration. Run 0 also has the ARD
// weights.
Record fit_sarcos(const SarcosData& data, const Job& job, const SarcosOptions& options);

}  // namespace mdgp::experiments
