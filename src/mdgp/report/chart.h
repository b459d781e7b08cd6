// Line charts with error bands and bars as SVG: the figures of the reports, without a plotting
// library.
#pragma once

#include <string>
#include <vector>

namespace mdgp {

// A value that is NaN or infinite is not drawn: it leaves a gap in a line or a band.
struct Series {
  enum Kind { line, points, band, bars } kind = line;
  std::vector<double> x, y, low, high;  // band and bars use x, low and high; the others x and y
  std::string colour = "#1f77b4";       // # and hexadecimal digits, or a name
  std::string label;                    // "": not in the legend
  bool dashed = false;
};

struct Chart {
  std::string title, x_label, y_label;
  std::vector<Series> series;  // bands are drawn first, then bars, lines and points
  double y_min = 0.0, y_max = 0.0;
  bool fixed_y = false;  // else, or if y_min < y_max does not hold, the range is that of the series
  bool log_x = false;    // x that is not positive is not drawn
};

// A grid of charts as one SVG document, `columns` wide, with one legend for all below the grid
// (labels merged by name). The document stands alone and can also be put into HTML: it has no XML
// declaration and no ids, so that several fit on one page.
std::string to_svg(const std::vector<Chart>& charts, int columns, int chart_width = 360,
                   int chart_height = 220);

}  // namespace mdgp
