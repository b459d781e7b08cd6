// Ranges and round tick values.
#pragma once

#include <string>
#include <vector>

namespace mdgp {

// Finite, and small enough that differences and squares cannot overflow.
bool drawable(double value);

struct Range {
  double low = 0.0, high = 0.0;
};

// Collects values; those that are not drawable do not count.
class RangeFinder {
 public:
  void add(const std::vector<double>& values);
  // All values and a margin, a fraction of the width, on both sides. Never empty: constant data get
  // room on both sides, and no data at all give [0, 1].
  Range range(double margin) const;

 private:
  bool empty_ = true;
  double low_ = 0.0, high_ = 0.0;
};

struct Tick {
  double value;
  std::string label;
};

// The multiples of a step (1, 2 or 5 times a power of ten) inside the range: as many as possible,
// but at most `most`, which is at least 2. The labels have as many decimals as the step needs, and
// an exponent where that is shorter.
std::vector<Tick> round_ticks(const Range& range, int most);

// For a logarithmic axis: range and tick values are decimal logarithms, labels are not. 1, 2 and 5
// times the powers of ten, where these are more than `most` some of the powers alone, and where
// neither gives two ticks those of round_ticks.
std::vector<Tick> log_ticks(const Range& range, int most);

}  // namespace mdgp
