// Hinton diagrams as SVG: which tasks use which latent functions, for a page.
#pragma once

#include <string>
#include <vector>

#include "mdgp/linalg/matrix.h"

namespace mdgp {

// Columns of one group have one colour and stand together.
struct HintonGroup {
  std::string label;   // in the legend
  std::string colour;  // # and hexadecimal digits, or a name
};

struct HintonChart {
  std::string title;
  std::vector<std::string> rows, columns;
  std::vector<HintonGroup> groups;
  std::vector<int> group;  // of each column, ascending
  Matrix weights;          // [rows, columns]: >= 0, or NaN where the task does not see the column
};

// Squares whose areas are the weights relative to the row's largest; under the mouse each tells its
// weight. A document like those of to_svg(); nothing to draw gives "".
std::string to_svg(const HintonChart& chart);

}  // namespace mdgp
