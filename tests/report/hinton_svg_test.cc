#include "mdgp/report/hinton_svg.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>

namespace mdgp {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

HintonChart make_chart() {
  HintonChart chart;
  chart.title = "weights";
  chart.rows = {"f1", "f2"};
  chart.columns = {"g0[0]", "g0[1]", "h[0]"};
  chart.groups = {{"shared", "#1f77b4"}, {"private", "#d62728"}};
  chart.group = {0, 0, 1};
  chart.weights.resize(2, 3);
  chart.weights << 0.8, 0.2, kNan, 0.1, 0.1, 0.4;
  return chart;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

TEST(HintonSvg, AreasAreSharesOfTheRowsLargest) {
  const std::string svg = to_svg(make_chart());
  // The largest of each row is 19 wide; a quarter of the weight has half the side.
  EXPECT_EQ(count(svg, "width=\"19\""), 2U);
  EXPECT_EQ(count(svg, "width=\"9.5\""), 3U);
}

TEST(HintonSvg, UnseenCellsAreEmpty) { EXPECT_EQ(count(to_svg(make_chart()), "#f1f3f5"), 5U); }

TEST(HintonSvg, GroupsHaveTheirColourAndALegend) {
  const std::string svg = to_svg(make_chart());
  EXPECT_EQ(count(svg, "#1f77b4"), 5U);  // four cells and the legend
  EXPECT_EQ(count(svg, "#d62728"), 2U);
  EXPECT_EQ(count(svg, ">private<"), 1U);
}

TEST(HintonSvg, EscapesNames) {
  HintonChart chart = make_chart();
  chart.title = chart.rows[0] = chart.columns[0] = chart.groups[0].label = "<script>\"";
  EXPECT_EQ(to_svg(chart).find("<script"), std::string::npos);
}

TEST(HintonSvg, DrawsNothingFromNothing) { EXPECT_EQ(to_svg(HintonChart{}), ""); }

TEST(HintonSvg, RefusesBadArguments) {
  const auto refuses = [](auto change) {
    HintonChart chart = make_chart();
    change(chart);
    EXPECT_THROW(to_svg(chart), std::invalid_argument);
  };
  refuses([](HintonChart& c) { c.rows.pop_back(); });
  refuses([](HintonChart& c) { c.group = {1, 0, 0}; });
  refuses([](HintonChart& c) { c.group = {0, 0, 2}; });
  refuses([](HintonChart& c) { c.weights(0, 0) = -1.0; });
  refuses([](HintonChart& c) { c.groups[0].colour = "url(#a)"; });
}

}  // namespace
}  // namespace mdgp
