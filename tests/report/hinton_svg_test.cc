#include "mdgp/report/hinton_svg.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "testing/not_finite.h"
#include "testing/text.h"

namespace mdgp {
namespace {

HintonChart make_hinton() {
  HintonChart chart;
  chart.title = "weights";
  chart.rows = {"f1", "f2"};
  chart.columns = {"g0[0]", "g0[1]", "h[0]"};
  chart.groups = {{"shared", "#1f77b4"}, {"private", "#d62728"}};
  chart.group = {0, 0, 1};
  chart.weights.resize(2, 3);
  chart.weights << 0.8, 0.2, kNaN, 0.1, 0.1, 0.4;
  return chart;
}

TEST(HintonSvg, AreasAreSharesOfTheRowsLargest) {
  const std::string svg = to_svg(make_hinton());
  // The largest of each row is 19 wide; a quarter of the weight has half the side.
  EXPECT_EQ(count(svg, "width=\"19\""), 2U);
  EXPECT_EQ(count(svg, "width=\"9.5\""), 3U);
}

TEST(HintonSvg, UnseenCellsAreEmpty) { EXPECT_EQ(count(to_svg(make_hinton()), "#f1f3f5"), 5U); }

TEST(HintonSvg, GroupsHaveTheirColourAndALegend) {
  const std::string svg = to_svg(make_hinton());
  EXPECT_EQ(count(svg, "#1f77b4"), 5U);  // four cells and the legend
  EXPECT_EQ(count(svg, "#d62728"), 2U);
  EXPECT_EQ(count(svg, ">private<"), 1U);
}

TEST(HintonSvg, EscapesNames) {
  HintonChart chart = make_hinton();
  chart.title = chart.rows[0] = chart.columns[0] = chart.groups[0].label = "<script>\"";
  EXPECT_EQ(to_svg(chart).find("<script"), std::string::npos);
}

TEST(HintonSvg, DrawsNothingFromNothing) { EXPECT_EQ(to_svg(HintonChart{}), ""); }

TEST(HintonSvg, RefusesBadArguments) {
  const auto refuses = [](auto change) {
    HintonChart chart = make_hinton();
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
