// A table that is written both as markdown and into a page.
#pragma once

#include <string>
#include <vector>

#include "mdgp/report/page.h"

namespace mdgp::experiments {

struct TableCell {
  std::string text;
  bool bold = false;
  std::vector<std::string> notes{};  // below, small and grey; in markdown in a row of their own
};

struct ReportTable {
  std::vector<std::string> header;
  std::vector<std::vector<TableCell>> rows;
};

struct Section {
  std::string heading;
  std::vector<std::string> paragraphs{};
  std::string code{};
  std::vector<ReportTable> tables{};
  std::vector<std::string> svgs{};  // on the page only
};

std::string to_markdown(const Section& section);
PageSection to_page(const Section& section);

// "−0.120": a true minus sign, no minus zero; "–" where it is not finite.
std::string number(double value, int decimals);
std::string signed_number(double value, int decimals);           // "+0.120"
std::string mean_text(double mean, double error, int decimals);  // "0.312 (0.004)"
std::string p_text(double p);                                    // "< 0.001", "0.049"

// Names may hold anything: what markdown or HTML would read as its own is escaped.
std::string escape_markdown(const std::string& text);

}  // namespace mdgp::experiments
