#include "mdgp/report/hinton_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "mdgp/linalg/check.h"
#include "mdgp/report/text.h"

namespace mdgp {
namespace {

constexpr double kCell = 22.0, kLargestSquare = 19.0, kSmallestSquare = 1.5;
constexpr double kGroupGap = 12.0, kOuter = 14.0, kTitle = 28.0, kLegend = 30.0;
constexpr double kFont = 11.0, kLegendFont = 12.0, kMostRowName = 140.0, kMostColumnName = 70.0;

void check_arguments(const HintonChart& chart) {
  check_shape("to_svg", "weights", view_of(chart.weights), std::ssize(chart.rows),
              std::ssize(chart.columns));
  check_size("to_svg", "group", std::ssize(chart.group), std::ssize(chart.columns));
  for (const int g : chart.group) check_index("to_svg", "group", g, std::ssize(chart.groups));
  if (!std::is_sorted(chart.group.begin(), chart.group.end())) {
    refuse("to_svg", "group", "not ascending", "ascending");
  }
  for (const HintonGroup& g : chart.groups) check_colour("to_svg", g.colour);
  for (const double w : chart.weights.reshaped()) {
    if (w < 0.0 || std::isinf(w)) {
      refuse("to_svg", "weight", fmt::format("{}", w), "finite and not negative, or NaN");
    }
  }
}

std::string draw_text(double x, double y, std::string_view text, std::string_view attributes) {
  return fmt::format("<text x=\"{}\" y=\"{}\" {}>{}</text>\n", svg_number(x), svg_number(y),
                     attributes, escape_xml(text));
}

double widest(const std::vector<std::string>& names, double most) {
  double width = 0.0;
  for (const std::string& name : names) width = std::max(width, text_width(name, kFont));
  return std::min(width, most);
}

struct Layout {
  double left, top;             // of the cells
  std::vector<double> columns;  // the left edges of their cells
  double right, bottom;
};

Layout lay_out(const HintonChart& chart) {
  Layout out{};
  out.left = kOuter + widest(chart.rows, kMostRowName) + 8.0;
  out.top = (chart.title.empty() ? kOuter : kOuter + kTitle) +
            widest(chart.columns, kMostColumnName) + 6.0;
  double x = out.left;
  for (std::size_t c = 0; c < chart.columns.size(); ++c) {
    if (c > 0 && chart.group[c] != chart.group[c - 1]) x += kGroupGap;
    out.columns.push_back(x);
    x += kCell;
  }
  out.right = x;
  out.bottom = out.top + kCell * static_cast<double>(chart.rows.size());
  return out;
}

double row_largest(const Matrix& weights, Index row) {
  double largest = 0.0;
  for (const double w : weights.row(row)) {
    if (w > largest) largest = w;
  }
  return largest;
}

std::string draw_cell(const HintonChart& chart, Index r, Index c, double x, double y,
                      double largest) {
  const double weight = chart.weights(r, c);
  if (std::isnan(weight)) return "";
  const double share = largest > 0.0 ? weight / largest : 0.0;
  const double side = std::max(kLargestSquare * std::sqrt(share), kSmallestSquare);
  return fmt::format(
      "<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{2}\" fill=\"#f1f3f5\"/>"
      "<rect x=\"{3}\" y=\"{4}\" width=\"{5}\" height=\"{5}\" rx=\"1\" fill=\"{6}\">"
      "<title>{7}, {8}: {9:.3f}</title></rect>\n",
      svg_number(x + 0.5), svg_number(y + 0.5), svg_number(kCell - 1.0),
      svg_number(x + (kCell - side) / 2), svg_number(y + (kCell - side) / 2), svg_number(side),
      escape_xml(chart.groups[at(chart.group[at(c)])].colour), escape_xml(chart.rows[at(r)]),
      escape_xml(chart.columns[at(c)]), weight);
}

std::string draw_cells(const HintonChart& chart, const Layout& layout) {
  std::string out;
  for (Index r = 0; r < chart.weights.rows(); ++r) {
    const double largest = row_largest(chart.weights, r);
    const double y = layout.top + kCell * static_cast<double>(r);
    out += draw_text(layout.left - 8.0, y + kCell / 2 + 4.0,
                     fit_text(chart.rows[at(r)], kFont, kMostRowName),
                     "fill=\"#333\" text-anchor=\"end\"");
    for (Index c = 0; c < chart.weights.cols(); ++c) {
      out += draw_cell(chart, r, c, layout.columns[at(c)], y, largest);
    }
  }
  return out;
}

std::string draw_column_names(const HintonChart& chart, const Layout& layout) {
  std::string out;
  for (std::size_t c = 0; c < chart.columns.size(); ++c) {
    // Turned upwards about the origin: x runs up, y runs right.
    out += draw_text(-(layout.top - 5.0), layout.columns[c] + kCell / 2 + 4.0,
                     fit_text(chart.columns[c], kFont, kMostColumnName),
                     "fill=\"#555\" transform=\"rotate(-90)\"");
  }
  return out;
}

double legend_width(const HintonChart& chart) {
  double width = 0.0;
  for (const HintonGroup& g : chart.groups) width += 40.0 + text_width(g.label, kLegendFont);
  return width;
}

std::string draw_legend(const HintonChart& chart, const Layout& layout) {
  std::string out;
  double x = layout.left;
  const double y = layout.bottom + 14.0;
  for (const HintonGroup& g : chart.groups) {
    out +=
        fmt::format("<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" rx=\"1\" fill=\"{}\"/>\n",
                    svg_number(x), svg_number(y), escape_xml(g.colour));
    out += draw_text(x + 18.0, y + 10.5, g.label, "font-size=\"12\" fill=\"#222\"");
    x += 40.0 + text_width(g.label, kLegendFont);
  }
  return out;
}

}  // namespace

std::string to_svg(const HintonChart& chart) {
  check_arguments(chart);
  if (chart.weights.size() == 0) return "";
  const Layout layout = lay_out(chart);
  const double title_width = 1.08 * text_width(chart.title, 13.0);  // bold
  const double inner = std::max(title_width, legend_width(chart));
  const double width = std::max(layout.right, layout.left + inner) + kOuter;
  const double height = layout.bottom + kLegend + kOuter;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"system-ui, sans-serif\" font-size=\"{2}\" "
      "role=\"img\" aria-label=\"Hinton diagram: {3}\">\n"
      "<rect width=\"{0}\" height=\"{1}\" rx=\"10\" fill=\"#fff\"/>\n",
      svg_number(width), svg_number(height), svg_number(kFont), escape_xml(chart.title));
  if (!chart.title.empty()) {
    out += draw_text(layout.left, kOuter + 11.0, chart.title,
                     "font-size=\"13\" font-weight=\"600\" fill=\"#111\"");
  }
  return out + draw_column_names(chart, layout) + draw_cells(chart, layout) +
         draw_legend(chart, layout) + "</svg>\n";
}

}  // namespace mdgp
