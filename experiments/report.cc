#include "report.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "figures.h"
#include "mdgp/io/atomic_file.h"
#include "mdgp/linalg/check.h"
#include "report_json.h"
#include "sections.h"
#include "summary.h"

namespace mdgp::experiments {
namespace {

void check_variants(const std::vector<Record>& records) {
  for (const Record& r : records) {
    const Record& first = records.front();
    if (r.experiment == first.experiment && r.variant == first.variant) continue;
    refuse("make_report", "records' variant",
           fmt::format("both '{} {}' and '{} {}'", first.experiment, first.variant, r.experiment,
                       r.variant),
           "one: others cannot be compared");
  }
}

// Our models, then the paper's order.
std::vector<std::string> row_order(const ReportOptions& options) {
  std::vector<std::string> order = options.ours;
  for (const PaperFigure& f : options.paper) order.push_back(f.model);
  return order;
}

void add_by_score(const Grid& grid, const ReportOptions& options, std::vector<Section>& sections) {
  for (const ScoreColumn& s : options.scores) sections.push_back(summary_section(grid, options, s));
  for (const ScoreColumn& s : options.scores) sections.push_back(score_section(grid, options, s));
  sections.insert(sections.end(), options.more.begin(), options.more.end());
  sections.push_back(score_figures(grid, options));
  for (const ScoreColumn& s : options.scores) sections.push_back(paper_section(grid, options, s));
}

void add_side_by_side(const Grid& grid, const ReportOptions& options,
                      std::vector<Section>& sections) {
  sections.push_back(scores_section(grid, options));
  sections.insert(sections.end(), options.more.begin(), options.more.end());
  sections.push_back(scores_summary(grid, options));
  sections.push_back(scores_paper(grid, options));
}

std::vector<Section> make_sections(const Grid& grid, const ReportOptions& options) {
  std::vector<Section> sections = {{"", options.notes, options.command}};
  if (grid.rows().empty()) {
    sections.front().paragraphs.emplace_back("No fit is done yet.");
    return sections;
  }
  const bool side_by_side = options.side_by_side && grid.sizes().size() == 1;
  if (side_by_side) {
    add_side_by_side(grid, options, sections);
  } else {
    add_by_score(grid, options, sections);
  }
  sections.push_back(interval_section(grid, options));
  sections.push_back(calibration_figures(grid, options));
  sections.push_back(hinton_figures(grid, options));
  sections.push_back(time_section(grid, options));
  sections.push_back(bound_section(grid, options));
  return sections;
}

std::string markdown_of(const std::string& title, const std::vector<Section>& sections) {
  std::string out = fmt::format("# {}\n\n", escape_markdown(title));
  for (const Section& section : sections) {
    // Figures are on the page only.
    if (section.tables.empty() && !section.svgs.empty()) continue;
    out += to_markdown(section);
  }
  return out;
}

std::string html_of(const std::string& title, const std::vector<Section>& sections) {
  Page page{title, {}};
  for (const Section& section : sections) {
    const bool empty =
        section.heading.empty() && section.paragraphs.empty() && section.code.empty();
    if (!empty) page.sections.push_back(to_page(section));
  }
  return to_html(page);
}

}  // namespace

Report make_report(const std::vector<Record>& records, const ReportOptions& options) {
  check_variants(records);
  const Grid grid(records, row_order(options));
  const std::vector<Section> sections = make_sections(grid, options);
  const std::string title = options.title.empty() ? "Report" : options.title;
  return {markdown_of(title, sections), html_of(title, sections), report_json(grid, options)};
}

void write_report(const Report& report, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw FileError(fmt::format("{}: the directory cannot be made ({})", folder, error.message()));
  }
  const std::filesystem::path path = folder;
  write_whole_file((path / "report.md").string(), report.markdown);
  write_whole_file((path / "report.html").string(), report.html);
  write_whole_file((path / "report.json").string(), report.json);
}

}  // namespace mdgp::experiments
