#include "mdgp/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace mdgp {
namespace {

// The policy forbids the browser to load or run anything, whatever the labels contain.
constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
)";

constexpr std::string_view kStyle = R"(<style>
:root { color-scheme: light dark; --back: #f6f7f9; --text: #1d2129; --soft: #5b6472;
  --line: #d9dde3; --stripe: #eceff3; }
@media (prefers-color-scheme: dark) {
  :root { --back: #15181d; --text: #e4e7ec; --soft: #9aa4b2; --line: #343a44; --stripe: #1e232a; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 1100px; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 1.5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.5rem 0 .75rem; padding-bottom: .3rem;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
p { max-width: 75ch; margin: .6rem 0; overflow-wrap: anywhere; }
.table, .chart { overflow-x: auto; margin: 1rem 0; }
.chart > svg { display: block; height: auto; max-width: max(100%, 640px); }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .8rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
td { vertical-align: baseline; }
td small { display: block; white-space: pre; color: var(--soft); font-size: .8rem; line-height: 1.35; }
pre { margin: .8rem 0; padding: .6rem .9rem; overflow-x: auto; background: var(--stripe);
  border-radius: 6px; font-size: .88rem; }
thead th { color: var(--soft); font-weight: 600; border-bottom: 2px solid var(--line); }
tbody tr:nth-child(even) { background: var(--stripe); }
tbody td { border-bottom: 1px solid var(--line); }
@media print { .chart { break-inside: avoid; } }
</style>
)";

std::string cell(std::string_view text) {
  const std::size_t line_end = text.find('\n');
  const std::string_view first = text.substr(0, line_end);
  std::string out = first.starts_with('*')
                        ? fmt::format("<strong>{}</strong>", escape_xml(first.substr(1)))
                        : escape_xml(first);
  if (line_end != std::string_view::npos) {
    out += fmt::format("<small>{}</small>", escape_xml(text.substr(line_end + 1)));
  }
  return fmt::format("<td>{}</td>", out);
}

std::string to_html(const PageTable& table) {
  std::size_t columns = table.header.size();
  for (const auto& row : table.rows) columns = std::max(columns, row.size());
  if (columns == 0) return "";

  std::string out = "<div class=\"table\"><table>\n";
  if (!table.header.empty()) {
    out += "<thead><tr>";
    for (std::size_t j = 0; j < columns; ++j) {
      out += fmt::format("<th scope=\"col\">{}</th>",
                         j < table.header.size() ? escape_xml(table.header[j]) : "");
    }
    out += "</tr></thead>\n";
  }
  out += "<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t j = 0; j < columns; ++j) out += cell(j < row.size() ? row[j] : "");
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table></div>\n";
}

std::string to_html(const PageSection& section) {
  std::string out = "<section>\n";
  if (!section.heading.empty()) out += fmt::format("<h2>{}</h2>\n", escape_xml(section.heading));
  for (const std::string& text : section.paragraphs) {
    out += fmt::format("<p>{}</p>\n", escape_xml(text));
  }
  if (!section.code.empty()) {
    out += fmt::format("<pre><code>{}</code></pre>\n", escape_xml(section.code));
  }
  for (const PageTable& table : section.tables) out += to_html(table);
  for (const std::string& svg : section.svgs) {
    out += fmt::format("<div class=\"chart\">\n{}</div>\n", svg);
  }
  return out + "</section>\n";
}

}  // namespace

std::string to_html(const Page& page) {
  const std::string title = page.title.empty() ? "Report" : escape_xml(page.title);
  std::string out(kHead);
  out += fmt::format("<title>{}</title>\n", title);
  out += kStyle;
  out += "</head>\n<body>\n<main>\n";
  out += fmt::format("<h1>{}</h1>\n", title);
  for (const PageSection& section : page.sections) out += to_html(section);
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace mdgp
