// One HTML page that needs nothing else: no script, no style sheet, no image, no network.
#pragma once

#include <string>
#include <vector>

#include "mdgp/report/text.h"  // escape_xml

namespace mdgp {

// The first column is aligned left, the others right; a cell that begins with '*' is bold, without
// the asterisk. What follows a line break in a cell stands below it, small and grey, in as many
// lines. Short rows are filled up with empty cells.
struct PageTable {
  std::vector<std::string> header;  // empty: none
  std::vector<std::vector<std::string>> rows;
};

struct PageSection {
  std::string heading;
  std::vector<std::string> paragraphs;
  std::vector<PageTable> tables;
  std::vector<std::string> svgs;  // of to_svg(): the only part that is not escaped
  std::string code{};             // a command, below the paragraphs as it is typed
};

struct Page {
  std::string title;  // "": Report
  std::vector<PageSection> sections;
};

std::string to_html(const Page& page);

}  // namespace mdgp
