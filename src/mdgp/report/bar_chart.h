// Bars in groups, with error bars, as SVG.
#pragma once

#include <string>
#include <vector>

namespace mdgp {

// One colour: a bar in every group. A value that is not finite leaves its place empty, an error
// that is not finite is not drawn.
struct BarSeries {
  std::string label;
  std::string colour = "#1f77b4";    // # and hexadecimal digits, or a name
  std::vector<double> value, error;  // [groups]
};

struct BarChart {
  std::string title, y_label;
  std::vector<std::string> groups;
  std::vector<BarSeries> series;
  double y_min = 0.0, y_max = 1.0;  // bars stand on y_min; what is beyond y_max is cut off
};

// A document as those of chart.h. Throws std::invalid_argument where lengths do not fit, y_min <
// y_max does not hold or a colour is none.
std::string to_svg(const BarChart& chart, int width = 1000, int height = 320);

}  // namespace mdgp
