// Ctrl-C and SIGTERM as a wish to stop, for work that can be taken up again.
#pragma once

namespace mdgp::program {

// While one is alive, the first such signal sets stop_wanted(); a second one ends the program at
// once.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
};

bool stop_wanted();

}  // namespace mdgp::program
