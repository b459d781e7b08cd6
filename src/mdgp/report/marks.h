// What stands for data inside a chart, and in its legend.
#pragma once

#include <string>
#include <vector>

#include "mdgp/report/axis.h"
#include "mdgp/report/chart.h"

namespace mdgp {

// From data to pixels; the origin is the upper left corner of the plot area.
struct Scale {
  Range x, y;
  double width, height;

  // Far outside the plot a coordinate stops: nothing that is seen changes, and numbers stay short.
  double px(double value) const;
  double py(double value) const;
};

// One series as SVG elements.
std::string draw_series(const Series& series, const Scale& scale);

struct Legend {
  std::string svg;  // its upper left corner at (0, 0)
  double height;    // 0 if there is nothing to name
};

// Labels in the order of their first appearance, centred, in as many rows as the width asks for. If
// series of several kinds have one label (a band and its mean), the symbol shows all of them.
Legend draw_legend(const std::vector<Chart>& charts, double width);

}  // namespace mdgp
