#include "mdgp/report/marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "mdgp/report/text.h"

namespace mdgp {
namespace {

constexpr double kFar = 1e5;  // pixels
constexpr double kPointRadius = 2.4;
constexpr std::string_view kBandStyle = "fill-opacity=\"0.25\" stroke=\"none\"";

double pixel(double value, const Range& range, double length) {
  return std::clamp((value - range.low) / (range.high - range.low) * length, -kFar, kFar);
}

std::string line_style(const Series& s) {
  return fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"{} stroke-linejoin=\"round\"",
                     escape_xml(s.colour),
                     s.dashed ? " stroke-dasharray=\"5 3.5\"" : " stroke-linecap=\"round\"");
}

void append_point(std::string& path, char command, double x, double y) {
  fmt::format_to(std::back_inserter(path), "{}{} {}", command, svg_number(x), svg_number(y));
}

std::string draw_line(const Series& s, const Scale& scale) {
  std::string path;
  std::size_t run = 0;  // points since the last gap
  const auto end_run = [&] {
    if (run == 1) path += "h0.01";  // a lone point: the round cap makes it a dot
    run = 0;
  };
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    if (!drawable(s.x[i]) || !drawable(s.y[i])) {
      end_run();
      continue;
    }
    append_point(path, run == 0 ? 'M' : 'L', scale.px(s.x[i]), scale.py(s.y[i]));
    ++run;
  }
  end_run();
  if (path.empty()) return "";
  return fmt::format("<path d=\"{}\" {}/>\n", path, line_style(s));
}

// The points [first, last) as a closed area: along the top and back along the bottom.
void append_area(std::string& path, const Series& s, std::size_t first, std::size_t last,
                 const Scale& scale) {
  const double half = last - first == 1 ? 1.0 : 0.0;  // a lone point gets some width
  for (std::size_t i = first; i < last; ++i) {
    append_point(path, i == first ? 'M' : 'L', scale.px(s.x[i]) - half, scale.py(s.high[i]));
  }
  if (half > 0.0) append_point(path, 'L', scale.px(s.x[first]) + half, scale.py(s.high[first]));
  for (std::size_t i = last; i-- > first;) {
    append_point(path, 'L', scale.px(s.x[i]) + half, scale.py(s.low[i]));
  }
  if (half > 0.0) append_point(path, 'L', scale.px(s.x[first]) - half, scale.py(s.low[first]));
  path += 'Z';
}

std::string draw_band(const Series& s, const Scale& scale) {
  std::string path;
  std::size_t first = 0;
  for (std::size_t i = 0; i <= s.x.size(); ++i) {
    if (i < s.x.size() && drawable(s.x[i]) && drawable(s.low[i]) && drawable(s.high[i])) continue;
    if (i > first) append_area(path, s, first, i, scale);
    first = i + 1;
  }
  if (path.empty()) return "";
  return fmt::format("<path d=\"{}\" fill=\"{}\" {}/>\n", path, escape_xml(s.colour), kBandStyle);
}

std::string draw_points(const Series& s, const Scale& scale) {
  std::string out;
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    if (!drawable(s.x[i]) || !drawable(s.y[i])) continue;
    const double x = scale.px(s.x[i]), y = scale.py(s.y[i]);
    if (y < -kPointRadius || y > scale.height + kPointRadius) continue;
    fmt::format_to(std::back_inserter(out), "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n",
                   svg_number(x), svg_number(y), svg_number(kPointRadius));
  }
  if (out.empty()) return "";
  return fmt::format("<g fill=\"{}\" fill-opacity=\"0.85\">\n{}</g>\n", escape_xml(s.colour), out);
}

std::string draw_bars(const Series& s, const Scale& scale) {
  constexpr double kCap = 3.0;
  std::string path;
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    if (!drawable(s.x[i]) || !drawable(s.low[i]) || !drawable(s.high[i])) continue;
    const double x = scale.px(s.x[i]);
    for (const double y : {scale.py(s.low[i]), scale.py(s.high[i])}) {
      append_point(path, 'M', x - kCap, y);
      append_point(path, 'L', x + kCap, y);
    }
    append_point(path, 'M', x, scale.py(s.low[i]));
    append_point(path, 'L', x, scale.py(s.high[i]));
  }
  if (path.empty()) return "";
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.2\"/>\n", path,
                     escape_xml(s.colour));
}

struct Entry {
  std::string label;
  std::vector<const Series*> symbols;  // at most one of each kind
};

std::vector<Entry> legend_entries(const std::vector<Chart>& charts) {
  std::vector<Entry> entries;
  for (const Chart& chart : charts) {
    for (const Series& s : chart.series) {
      if (s.label.empty()) continue;
      auto entry = std::find_if(entries.begin(), entries.end(),
                                [&](const Entry& e) { return e.label == s.label; });
      if (entry == entries.end()) entry = entries.insert(entry, Entry{s.label, {}});
      auto& symbols = entry->symbols;
      const bool known = std::any_of(symbols.begin(), symbols.end(),
                                     [&](const Series* other) { return other->kind == s.kind; });
      if (!known) symbols.push_back(&s);
    }
  }
  return entries;
}

constexpr double kSymbolWidth = 24.0, kSymbolGap = 7.0, kEntryGap = 22.0, kLegendRow = 20.0;
constexpr double kLegendFont = 12.0;

std::string draw_symbol(const Entry& entry, double x, double y) {
  std::string out;
  for (const Series::Kind kind : {Series::band, Series::bars, Series::line, Series::points}) {
    for (const Series* s : entry.symbols) {
      if (s->kind != kind) continue;
      if (kind == Series::band) {
        out += fmt::format(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"12\" rx=\"2\" fill=\"{}\" {}/>\n",
            svg_number(x), svg_number(y - 6), svg_number(kSymbolWidth), escape_xml(s->colour),
            kBandStyle);
      } else if (kind == Series::bars) {
        out += fmt::format(
            "<path d=\"M{0} {2}h6M{0} {3}h6M{1} {2}V{3}\" fill=\"none\" stroke=\"{4}\"/>\n",
            svg_number(x + kSymbolWidth / 2 - 3), svg_number(x + kSymbolWidth / 2),
            svg_number(y - 6), svg_number(y + 6), escape_xml(s->colour));
      } else if (kind == Series::line) {
        out += fmt::format("<path d=\"M{} {}h{}\" {}/>\n", svg_number(x), svg_number(y),
                           svg_number(kSymbolWidth), line_style(*s));
      } else {
        out += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"{}\"/>\n",
                           svg_number(x + kSymbolWidth / 2), svg_number(y), escape_xml(s->colour));
      }
    }
  }
  return out;
}

}  // namespace

double Scale::px(double value) const { return pixel(value, x, width); }
double Scale::py(double value) const { return pixel(value, {y.high, y.low}, height); }

std::string draw_series(const Series& series, const Scale& scale) {
  switch (series.kind) {
    case Series::line:
      return draw_line(series, scale);
    case Series::points:
      return draw_points(series, scale);
    case Series::band:
      return draw_band(series, scale);
    case Series::bars:
      return draw_bars(series, scale);
  }
  return "";
}

Legend draw_legend(const std::vector<Chart>& charts, double width) {
  struct Placed {
    Entry entry;
    std::string text;
    double width;
  };
  std::vector<std::vector<Placed>> rows;
  double used = 0.0;
  for (Entry& entry : legend_entries(charts)) {
    const double room = width - kSymbolWidth - kSymbolGap;
    std::string text = fit_text(entry.label, kLegendFont, room);
    const double size = kSymbolWidth + kSymbolGap + text_width(text, kLegendFont);
    if (rows.empty() || used + kEntryGap + size > width) {
      rows.emplace_back();
      used = -kEntryGap;
    }
    used += kEntryGap + size;
    rows.back().push_back({std::move(entry), std::move(text), size});
  }

  Legend legend{"", kLegendRow * static_cast<double>(rows.size())};
  double y = kLegendRow / 2;
  for (const auto& row : rows) {
    double total = -kEntryGap;
    for (const Placed& p : row) total += kEntryGap + p.width;
    double x = std::max(0.0, (width - total) / 2);
    for (const Placed& p : row) {
      legend.svg += draw_symbol(p.entry, x, y);
      legend.svg +=
          fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"#222\">{}</text>\n",
                      svg_number(x + kSymbolWidth + kSymbolGap), svg_number(y + 4.2),
                      svg_number(kLegendFont), escape_xml(p.text));
      x += p.width + kEntryGap;
    }
    y += kLegendRow;
  }
  return legend;
}

}  // namespace mdgp
