#include "mdgp/report/grey_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mdgp/linalg/check.h"
#include "mdgp/report/text.h"

namespace mdgp {
namespace {

constexpr int kLevels = 32;
constexpr double kOuter = 14.0, kGap = 18.0, kLabel = 24.0, kFont = 12.0;

int level_of(double grey) {
  if (!(grey > 0.0)) return 0;
  return std::min(static_cast<int>(grey * kLevels), kLevels - 1);
}

// One path per level, of runs of equal pixels. The black ones are the ground.
std::string draw_image(const Matrix& grey) {
  std::array<std::string, kLevels> paths;
  for (Index r = 0; r < grey.rows(); ++r) {
    for (Index c = 0; c < grey.cols();) {
      const int level = level_of(grey(r, c));
      Index end = c + 1;
      while (end < grey.cols() && level_of(grey(r, end)) == level) ++end;
      paths[static_cast<std::size_t>(level)] +=
          fmt::format("M{} {}h{}v1h-{}z", c, r, end - c, end - c);
      c = end;
    }
  }
  std::string out =
      fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#000\"/>\n", grey.cols(), grey.rows());
  for (int level = 1; level < kLevels; ++level) {
    const std::string& path = paths[static_cast<std::size_t>(level)];
    if (path.empty()) continue;
    const int shade = level * 255 / (kLevels - 1);
    out += fmt::format("<path d=\"{0}\" fill=\"#{1:02x}{1:02x}{1:02x}\"/>\n", path, shade);
  }
  return out;
}

}  // namespace

std::string to_svg(const std::vector<GreyImage>& images, int scale) {
  if (scale < 1) refuse("to_svg", "scale", fmt::format("{}", scale), "at least 1");
  std::string body;
  double x = kOuter, tallest = 0.0;
  for (const GreyImage& image : images) {
    if (image.grey.size() == 0) refuse("to_svg", "image", "empty", "of one pixel at least");
    tallest = std::max(tallest, scale * static_cast<double>(image.grey.rows()));
  }
  for (const GreyImage& image : images) {
    const double width = scale * static_cast<double>(image.grey.cols());
    const double room = std::max(width, text_width(image.label, kFont));
    body += fmt::format(
        "<g transform=\"translate({} {}) scale({})\" shape-rendering=\"crispEdges\">\n{}</g>\n",
        svg_number(x + (room - width) / 2), svg_number(kOuter), scale, draw_image(image.grey));
    body += fmt::format(
        "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"#222\" text-anchor=\"middle\">{}</text>\n",
        svg_number(x + room / 2), svg_number(kOuter + tallest + 17.0), svg_number(kFont),
        escape_xml(image.label));
    x += room + kGap;
  }
  if (images.empty()) return "";
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
             "viewBox=\"0 0 {0} {1}\" font-family=\"system-ui, sans-serif\" role=\"img\" "
             "aria-label=\"Images\">\n<rect width=\"{0}\" height=\"{1}\" rx=\"10\" "
             "fill=\"#fff\"/>\n",
             svg_number(x - kGap + kOuter), svg_number(2 * kOuter + tallest + kLabel)) +
         body + "</svg>\n";
}

}  // namespace mdgp
