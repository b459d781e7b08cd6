// The program's commands. Each returns the exit code: 0 done, 1 the work failed; a wrong call or
// input is thrown as std::invalid_argument and becomes 2.
#pragma once

namespace mdgp::program {

struct DemoOptions {
  int threads = 0;  // 0: as many as the machine has
};

// The paper's two-task toy: the bound of all six models.
int demo(const DemoOptions& options);

}  // namespace mdgp::program
