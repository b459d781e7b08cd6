#include "mdgp/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <string_view>

#include "mdgp/linalg/check.h"
#include "mdgp/report/axis.h"
#include "mdgp/report/marks.h"
#include "mdgp/report/text.h"

namespace mdgp {
namespace {

constexpr double kTitleFont = 13.0, kLabelFont = 12.0, kTickFont = 11.0;
constexpr double kOuter = 10.0;  // around the grid
constexpr double kRight = 12.0;  // of the plot area
constexpr int kSmallestWidth = 120, kSmallestHeight = 90;

// From low to high, without a y.
bool spans(const Series& s) { return s.kind == Series::band || s.kind == Series::bars; }

void check_series(const Series& s) {
  const auto check_length = [&](std::string_view name, const std::vector<double>& values) {
    check_size("to_svg", fmt::format("{} of the series '{}'", name, s.label),
               static_cast<Index>(values.size()), static_cast<Index>(s.x.size()));
  };
  if (spans(s)) {
    check_length("low", s.low);
    check_length("high", s.high);
  } else {
    check_length("y", s.y);
  }
  check_colour("to_svg", s.colour);
}

void check_arguments(const std::vector<Chart>& charts, int columns, int width, int height) {
  if (columns < 1) refuse("to_svg", "columns", fmt::format("{}", columns), "at least 1");
  if (width < kSmallestWidth) {
    refuse("to_svg", "chart_width", fmt::format("{}", width),
           fmt::format("at least {}", kSmallestWidth));
  }
  if (height < kSmallestHeight) {
    refuse("to_svg", "chart_height", fmt::format("{}", height),
           fmt::format("at least {}", kSmallestHeight));
  }
  for (const Chart& chart : charts) {
    for (const Series& s : chart.series) check_series(s);
  }
}

Range x_range(const Chart& chart) {
  RangeFinder finder;
  for (const Series& s : chart.series) finder.add(s.x);
  return finder.range(0.02);
}

Range y_range(const Chart& chart) {
  RangeFinder finder;
  if (chart.fixed_y && drawable(chart.y_min) && drawable(chart.y_max) &&
      chart.y_min < chart.y_max) {
    finder.add({chart.y_min, chart.y_max});
    return finder.range(0.0);
  }
  for (const Series& s : chart.series) {
    if (spans(s)) {
      finder.add(s.low);
      finder.add(s.high);
    } else {
      finder.add(s.y);
    }
  }
  return finder.range(0.06);
}

double widest(const std::vector<Tick>& ticks) {
  double width = 0.0;
  for (const Tick& t : ticks) width = std::max(width, text_width(t.label, kTickFont));
  return width;
}

// As many as fit beside each other.
std::vector<Tick> x_ticks(const Range& range, bool logarithmic, double width) {
  for (int most = std::max(2, static_cast<int>(width / 44));; --most) {
    std::vector<Tick> ticks = logarithmic ? log_ticks(range, most) : round_ticks(range, most);
    const double needed = (widest(ticks) + 10.0) * static_cast<double>(ticks.size());
    if (most == 2 || needed <= width) return ticks;
  }
}

std::vector<Tick> y_ticks(const Range& range, double height) {
  return round_ticks(range, static_cast<int>(height / 24));
}

// The plot area inside a chart; one for all charts, so that the grid is aligned.
struct Frame {
  double left, top, width, height;
};

Frame make_frame(const std::vector<Chart>& charts, double chart_width, double chart_height) {
  const auto any = [&](std::string Chart::*text) {
    return std::any_of(charts.begin(), charts.end(),
                       [&](const Chart& chart) { return !(chart.*text).empty(); });
  };
  Frame f{};
  f.top = any(&Chart::title) ? 28.0 : 10.0;
  f.height = chart_height - f.top - (any(&Chart::x_label) ? 41.0 : 26.0);
  double labels = 0.0;
  for (const Chart& chart : charts) {
    labels = std::max(labels, widest(y_ticks(y_range(chart), f.height)));
  }
  f.left = std::min((any(&Chart::y_label) ? 24.0 : 6.0) + labels + 7.0, 0.5 * chart_width);
  f.width = chart_width - f.left - kRight;
  return f;
}

struct TextStyle {
  double size;
  std::string_view colour;
  std::string_view anchor;
  std::string_view more{};  // further attributes
};

// Text that is too long is cut, and shown whole under the mouse.
std::string draw_text(double x, double y, std::string_view text, double room,
                      const TextStyle& style) {
  if (text.empty()) return "";
  const std::string fitted = fit_text(text, style.size, room);
  const std::string whole =
      fitted == text ? "" : fmt::format("<title>{}</title>", escape_xml(text));
  return fmt::format(
      "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{}\"{}>{}{}</text>\n",
      svg_number(x), svg_number(y), svg_number(style.size), style.colour, style.anchor, style.more,
      whole, escape_xml(fitted));
}

std::string draw_axes(const Frame& f, const Scale& scale, bool log_x) {
  const TextStyle below{kTickFont, "#555", "middle"}, beside{kTickFont, "#555", "end"};
  const double bottom = f.top + f.height;
  std::string grid, labels;
  for (const Tick& t : x_ticks(scale.x, log_x, f.width)) {
    const double x = f.left + scale.px(t.value);
    grid += fmt::format("M{} {}v{}", svg_number(x), svg_number(f.top), svg_number(f.height));
    // A long label at the right end moves inwards.
    const double end = f.left + f.width + kRight - text_width(t.label, kTickFont) / 2;
    labels += draw_text(std::min(x, end), bottom + 15.0, t.label, f.width, below);
  }
  for (const Tick& t : y_ticks(scale.y, f.height)) {
    const double y = f.top + scale.py(t.value);
    grid += fmt::format("M{} {}h{}", svg_number(f.left), svg_number(y), svg_number(f.width));
    labels += draw_text(f.left - 6.0, y + 3.8, t.label, f.left, beside);
  }
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#e6e8eb\"/>\n", grid) + labels;
}

std::string draw_chart(const Chart& chart, const Frame& f, double chart_height) {
  const Scale scale{x_range(chart), y_range(chart), f.width, f.height};
  std::string out = draw_axes(f, scale, chart.log_x);
  // An inner svg clips what it contains, and unlike a clipPath it needs no id.
  out +=
      fmt::format("<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" overflow=\"hidden\">\n",
                  svg_number(f.left), svg_number(f.top), svg_number(f.width), svg_number(f.height));
  for (const Series::Kind kind : {Series::band, Series::bars, Series::line, Series::points}) {
    for (const Series& s : chart.series) {
      if (s.kind == kind) out += draw_series(s, scale);
    }
  }
  out += "</svg>\n";
  out +=
      fmt::format("<path d=\"M{} {}v{}h{}\" fill=\"none\" stroke=\"#8a9099\"/>\n",
                  svg_number(f.left), svg_number(f.top), svg_number(f.height), svg_number(f.width));
  const double middle = f.left + f.width / 2;
  out += draw_text(middle, 18.0, chart.title, 0.92 * f.width,  // bold
                   {kTitleFont, "#111", "middle", " font-weight=\"600\""});
  out +=
      draw_text(middle, chart_height - 7.0, chart.x_label, f.width, {kLabelFont, "#333", "middle"});
  out += draw_text(-(f.top + f.height / 2), 14.0, chart.y_label, chart_height - 10.0,
                   {kLabelFont, "#333", "middle", " transform=\"rotate(-90)\""});
  return out;
}

// With the logarithms of x where the axis is logarithmic.
Chart prepared(Chart chart) {
  if (!chart.log_x) return chart;
  for (Series& s : chart.series) {
    for (double& x : s.x) x = std::log10(x);
  }
  return chart;
}

// What a reader who cannot see the picture is told.
std::string description(const std::vector<Chart>& charts) {
  std::string out = "Charts";
  std::string_view separator = ": ";
  for (const Chart& chart : charts) {
    if (chart.title.empty()) continue;
    out += fmt::format("{}{}", separator, chart.title);
    separator = "; ";
  }
  return escape_xml(out);
}

}  // namespace

std::string to_svg(const std::vector<Chart>& charts, int columns, int chart_width,
                   int chart_height) {
  check_arguments(charts, columns, chart_width, chart_height);
  const std::size_t across =
      std::clamp<std::size_t>(charts.size(), 1, static_cast<std::size_t>(columns));
  const std::size_t down = (charts.size() + across - 1) / across;
  const double grid_width = chart_width * static_cast<double>(across);
  const double grid_height = chart_height * static_cast<double>(down);
  const Legend legend = draw_legend(charts, grid_width);
  const double legend_top = kOuter + grid_height + 6.0;
  const double width = grid_width + 2 * kOuter;
  const double height = legend_top + legend.height + kOuter;

  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"system-ui, sans-serif\" role=\"img\" "
      "aria-label=\"{2}\">\n<rect width=\"{0}\" height=\"{1}\" rx=\"10\" fill=\"#fff\"/>\n",
      svg_number(width), svg_number(height), description(charts));
  std::vector<Chart> drawn;
  for (const Chart& chart : charts) drawn.push_back(prepared(chart));
  const Frame frame = make_frame(drawn, chart_width, chart_height);
  for (std::size_t i = 0; i < charts.size(); ++i) {
    const std::size_t row = i / across, column = i % across;
    out += fmt::format("<g transform=\"translate({} {})\">\n",
                       svg_number(kOuter + chart_width * static_cast<double>(column)),
                       svg_number(kOuter + chart_height * static_cast<double>(row)));
    out += draw_chart(drawn[i], frame, chart_height) + "</g>\n";
  }
  if (legend.height > 0.0) {
    out += fmt::format("<g transform=\"translate({} {})\">\n{}</g>\n", svg_number(kOuter),
                       svg_number(legend_top), legend.svg);
  }
  return out + "</svg>\n";
}

}  // namespace mdgp
