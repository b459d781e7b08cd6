// Hinton diagrams for a terminal: which tasks use which latent functions, at one look.
#pragma once

#include <string>
#include <vector>

#include "mdgp/linalg/matrix.h"

namespace mdgp {

// One line per row (a task) and one glyph per column (a latent function), whose area grows with the
// weight relative to the row's largest; then a line that explains the glyphs. Columns of one group
// stand together, in the order of the groups' numbers, with " │ " between groups. Column names
// stand above the columns, vertically where there are many.
//
// No line is wider than 99 cells: row names are cut to 20 characters and column names to 12 (each
// code point counts as one cell), and of too many columns those with the largest weights relative
// to some row's largest stay; a line tells of the others. Characters that would move the cursor
// become U+FFFD. Nothing to draw gives "".
//
// weights [rows, columns]: >= 0, or NaN where the task does not see the column, which is left
// blank; a small weight still has a dot.
std::string hinton_text(const std::vector<std::string>& rows,
                        const std::vector<std::string>& columns, const std::vector<int>& group,
                        const Matrix& weights);

}  // namespace mdgp
