#include "table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace mdgp::experiments {
namespace {

std::string row_line(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string markdown_cell(const TableCell& cell) {
  const std::string text = escape_markdown(cell.text);
  return cell.bold && !text.empty() ? fmt::format("**{}**", text) : text;
}

// A row that has notes only, as of a model of the paper, has them in the place of its texts.
std::vector<TableCell> filled(std::vector<TableCell> row) {
  const bool bare = std::all_of(row.begin() + 1, row.end(),
                                [](const TableCell& cell) { return cell.text.empty(); });
  for (std::size_t c = 1; bare && c < row.size(); ++c) {
    row[c].text = fmt::format("{}", fmt::join(row[c].notes, ", "));
    row[c].notes.clear();
  }
  return row;
}

bool has_notes(const std::vector<TableCell>& row) {
  return std::any_of(row.begin(), row.end(),
                     [](const TableCell& cell) { return !cell.notes.empty(); });
}

std::string to_markdown(const ReportTable& table) {
  std::vector<std::string> cells, rule;
  for (const std::string& name : table.header) {
    cells.push_back(escape_markdown(name));
    rule.emplace_back(rule.empty() ? "---" : "---:");
  }
  std::string out = row_line(cells) + row_line(rule);
  for (const auto& each : table.rows) {
    const std::vector<TableCell> row = filled(each);
    cells.clear();
    for (const TableCell& cell : row) cells.push_back(markdown_cell(cell));
    out += row_line(cells);
    if (!has_notes(row)) continue;
    cells.clear();
    for (const TableCell& cell : row) {
      cells.push_back(escape_markdown(fmt::format("{}", fmt::join(cell.notes, ", "))));
    }
    out += row_line(cells);
  }
  return out;
}

PageTable to_page(const ReportTable& table) {
  PageTable out{table.header, {}};
  for (const auto& row : table.rows) {
    out.rows.emplace_back();
    for (const TableCell& cell : row) {
      std::string text = cell.bold ? fmt::format("*{}", cell.text) : cell.text;
      for (const std::string& note : cell.notes) text += fmt::format("\n{}", note);
      out.rows.back().push_back(std::move(text));
    }
  }
  return out;
}

}  // namespace

std::string escape_markdown(const std::string& text) {
  constexpr std::string_view kSpecial = "\\`*_{}[]|#~";
  std::string out;
  for (const char c : escape_xml(text)) {
    if (c == '\n' || c == '\r') {
      out += ' ';
      continue;
    }
    if (kSpecial.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string to_markdown(const Section& section) {
  std::string out;
  if (!section.heading.empty()) {
    out += fmt::format("## {}\n\n", escape_markdown(section.heading));
  }
  for (const std::string& text : section.paragraphs) {
    out += fmt::format("{}\n\n", escape_markdown(text));
  }
  if (!section.code.empty()) {
    // Indented, it ends where the lines do: no fence that the text could close.
    std::string code = section.code;
    for (auto at = code.find('\n'); at != code.npos; at = code.find('\n', at + 1)) {
      code.insert(at + 1, "    ");
    }
    out += fmt::format("    {}\n\n", code);
  }
  for (const ReportTable& table : section.tables) out += fmt::format("{}\n", to_markdown(table));
  return out;
}

PageSection to_page(const Section& section) {
  PageSection out{section.heading, section.paragraphs, {}, section.svgs, section.code};
  for (const ReportTable& table : section.tables) out.tables.push_back(to_page(table));
  return out;
}

std::string number(double value, int decimals) {
  if (!std::isfinite(value)) return "–";
  const std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
  const bool zero = text.find_first_not_of("0.") == std::string::npos;
  return value < 0.0 && !zero ? fmt::format("−{}", text) : text;
}

std::string signed_number(double value, int decimals) {
  const std::string text = number(value, decimals);
  const bool zero = text.find_first_not_of("0.") == std::string::npos;
  return std::isfinite(value) && value > 0.0 && !zero ? fmt::format("+{}", text) : text;
}

std::string mean_text(double mean, double error, int decimals) {
  if (!std::isfinite(error)) return number(mean, decimals);
  return fmt::format("{} ({})", number(mean, decimals), number(error, decimals));
}

std::string p_text(double p) {
  if (!std::isfinite(p)) return "–";
  return p < 0.001 ? "< 0.001" : number(p, 3);
}

}  // namespace mdgp::experiments
