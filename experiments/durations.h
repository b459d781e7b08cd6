// How long a fit takes, learnt from those that are done.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "mdgp/linalg/matrix.h"

namespace mdgp::experiments {

class Durations {
 public:
  void add(const std::string& model, Index size, double seconds);

  // Seconds of a model at a size: a power of the size through the two nearest that were done, as
  // the time of networks hardly grows with it and that of exact GPs as its cube; in proportion to
  // it from one. NaN where the model was never done: models differ by a factor of a hundred.
  double estimate(const std::string& model, Index size) const;

 private:
  struct Sum {
    double seconds = 0.0, count = 0.0;
  };
  std::map<std::pair<std::string, Index>, Sum> known_;
};

}  // namespace mdgp::experiments
