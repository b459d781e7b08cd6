#include "mdgp/report/bar_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mdgp/linalg/check.h"
#include "mdgp/report/axis.h"
#include "mdgp/report/text.h"

namespace mdgp {
namespace {

constexpr double kLeft = 58.0, kRight = 14.0, kTop = 34.0, kBottom = 30.0;
constexpr double kGap = 0.12;  // between groups, as a share of a group's width
constexpr double kLegendRow = 20.0, kSymbol = 12.0, kLegendGap = 18.0;
constexpr double kFont = 12.0, kTickFont = 11.0, kTitleFont = 13.0;

void check_arguments(const BarChart& chart) {
  const auto groups = std::ssize(chart.groups);
  for (const BarSeries& s : chart.series) {
    check_size("to_svg", fmt::format("value of the series '{}'", s.label), std::ssize(s.value),
               groups);
    check_size("to_svg", fmt::format("error of the series '{}'", s.label), std::ssize(s.error),
               groups);
    check_colour("to_svg", s.colour);
  }
  if (!drawable(chart.y_min) || !drawable(chart.y_max) || chart.y_min >= chart.y_max) {
    refuse("to_svg", "y_min", fmt::format("{}", chart.y_min), "less than y_max");
  }
}

std::string draw_text(double x, double y, std::string_view text, double size,
                      std::string_view attributes) {
  return fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" {}>{}</text>\n", svg_number(x),
                     svg_number(y), svg_number(size), attributes, escape_xml(text));
}

// The plot area; y in its own units.
struct Plot {
  double left, top, width, height, y_min, y_max;

  double bottom() const { return top + height; }
  double py(double value) const {
    const double share = (std::clamp(value, y_min, y_max) - y_min) / (y_max - y_min);
    return bottom() - share * height;
  }
};

std::string draw_bar(const BarSeries& s, std::size_t group, double x, double width,
                     const std::string& name, const Plot& plot) {
  const double value = s.value[group], error = s.error[group];
  if (!std::isfinite(value)) return "";
  const double top = plot.py(value), middle = x + width / 2;
  const bool has_error = std::isfinite(error) && error > 0.0;
  std::string out = fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"><title>{}</title></rect>\n",
      svg_number(x), svg_number(top), svg_number(width), svg_number(plot.bottom() - top),
      escape_xml(s.colour),
      escape_xml(fmt::format("{}, {}: {:.3f}{}", s.label, name, value,
                             has_error ? fmt::format(" ({:.3f})", error) : "")));
  if (!has_error) return out;
  const double cap = std::min(3.0, width / 3);
  return out + fmt::format(
                   "<path d=\"M{0} {2}H{1}M{0} {3}H{1}M{4} {2}V{3}\" fill=\"none\" "
                   "stroke=\"#222\"/>\n",
                   svg_number(middle - cap), svg_number(middle + cap),
                   svg_number(plot.py(value - error)), svg_number(plot.py(value + error)),
                   svg_number(middle));
}

std::string draw_bars(const BarChart& chart, const Plot& plot) {
  std::string out;
  const double room = plot.width / static_cast<double>(chart.groups.size());
  const double width =
      room * (1.0 - kGap) / static_cast<double>(std::max<std::size_t>(chart.series.size(), 1));
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    const double left = plot.left + room * (static_cast<double>(g) + kGap / 2);
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
      out += draw_bar(chart.series[s], g, left + width * static_cast<double>(s), 0.9 * width,
                      chart.groups[g], plot);
    }
    out += draw_text(left + room * (1.0 - kGap) / 2, plot.bottom() + 18.0,
                     fit_text(chart.groups[g], kFont, room), kFont,
                     "fill=\"#333\" text-anchor=\"middle\"");
  }
  return out;
}

std::string draw_axes(const BarChart& chart, const Plot& plot) {
  std::string grid, labels;
  for (const Tick& t : round_ticks({plot.y_min, plot.y_max}, static_cast<int>(plot.height / 24))) {
    grid += fmt::format("M{} {}h{}", svg_number(plot.left), svg_number(plot.py(t.value)),
                        svg_number(plot.width));
    labels += draw_text(plot.left - 6.0, plot.py(t.value) + 3.8, t.label, kTickFont,
                        "fill=\"#555\" text-anchor=\"end\"");
  }
  labels +=
      draw_text(-(plot.top + plot.height / 2), 16.0, fit_text(chart.y_label, kFont, plot.height),
                kFont, "fill=\"#333\" text-anchor=\"middle\" transform=\"rotate(-90)\"");
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#e6e8eb\"/>\n", grid) + labels;
}

// Its upper left corner at (plot.left, top); `height` is what it takes.
std::string draw_legend(const BarChart& chart, const Plot& plot, double top, double& height) {
  std::string out;
  double x = plot.left, y = top;
  for (const BarSeries& s : chart.series) {
    const std::string text = fit_text(s.label, kFont, plot.width - kSymbol - 6.0);
    const double width = kSymbol + 6.0 + text_width(text, kFont);
    if (x > plot.left && x + width > plot.left + plot.width) x = plot.left, y += kLegendRow;
    out += fmt::format(
        "<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{2}\" rx=\"1\" fill=\"{3}\"/>\n",
        svg_number(x), svg_number(y + 4.0), svg_number(kSymbol), escape_xml(s.colour));
    out += draw_text(x + kSymbol + 6.0, y + 14.0, text, kFont, "fill=\"#222\"");
    x += width + kLegendGap;
  }
  height = chart.series.empty() ? 0.0 : y - top + kLegendRow;
  return out;
}

}  // namespace

std::string to_svg(const BarChart& chart, int width, int height) {
  check_arguments(chart);
  if (width < 200) refuse("to_svg", "width", fmt::format("{}", width), "at least 200");
  if (height < 120) refuse("to_svg", "height", fmt::format("{}", height), "at least 120");
  if (chart.groups.empty()) return "";
  const Plot plot{kLeft,       kTop,       width - kLeft - kRight, height - kTop - kBottom,
                  chart.y_min, chart.y_max};
  double legend_height = 0.0;
  const std::string legend = draw_legend(chart, plot, height, legend_height);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"system-ui, sans-serif\" role=\"img\" "
      "aria-label=\"Bars: {2}\">\n<rect width=\"{0}\" height=\"{1}\" rx=\"10\" fill=\"#fff\"/>\n",
      width, svg_number(height + legend_height + 10.0), escape_xml(chart.title));
  out += draw_text(plot.left + plot.width / 2, 20.0,
                   fit_text(chart.title, kTitleFont, 0.92 * plot.width), kTitleFont,
                   "font-weight=\"600\" fill=\"#111\" text-anchor=\"middle\"");
  out += draw_axes(chart, plot) + draw_bars(chart, plot);
  out += fmt::format("<path d=\"M{} {}v{}h{}\" fill=\"none\" stroke=\"#8a9099\"/>\n",
                     svg_number(plot.left), svg_number(plot.top), svg_number(plot.height),
                     svg_number(plot.width));
  return out + legend + "</svg>\n";
}

}  // namespace mdgp
