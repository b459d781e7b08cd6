#include "mdgp/report/bar_chart.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "testing/not_finite.h"
#include "testing/text.h"

namespace mdgp {
namespace {

BarChart make_chart() {
  BarChart chart;
  chart.title = "accuracy";
  chart.groups = {"one", "two"};
  chart.series = {{"a", "#1f77b4", {0.5, 1.0}, {0.1, kNaN}},
                  {"b", "#d62728", {0.25, kNaN}, {0.0, 0.0}}};
  return chart;
}

// 320 high: 256 of the plot, which ends at 290.
TEST(BarChartSvg, HeightsAreValues) {
  const std::string svg = to_svg(make_chart());
  EXPECT_EQ(count(svg, "y=\"162\""), 1U);  // half of it
  EXPECT_EQ(count(svg, "height=\"128\""), 1U);
  EXPECT_EQ(count(svg, "height=\"256\""), 1U);
  EXPECT_EQ(count(svg, "height=\"64\""), 1U);
}

TEST(BarChartSvg, ValuesThatAreNotFiniteLeaveAGap) {
  const std::string svg = to_svg(make_chart());
  EXPECT_EQ(count(svg, "fill=\"#1f77b4\""), 3U);  // two bars and the legend
  EXPECT_EQ(count(svg, "fill=\"#d62728\""), 2U);
  EXPECT_EQ(count(svg, "stroke=\"#222\""), 1U);  // error bars
  EXPECT_EQ(count(svg, "a, one: 0.500 (0.100)"), 1U);
}

TEST(BarChartSvg, WhatIsTooHighIsCut) {
  BarChart chart = make_chart();
  chart.series[0].value[0] = 7.0;
  EXPECT_EQ(count(to_svg(chart), "height=\"256\""), 2U);
}

TEST(BarChartSvg, EscapesNames) {
  BarChart chart = make_chart();
  chart.title = chart.y_label = chart.groups[0] = chart.series[0].label = "<script>\"";
  EXPECT_EQ(to_svg(chart).find("<script"), std::string::npos);
}

TEST(BarChartSvg, RefusesBadArguments) {
  const auto refuses = [](auto change) {
    BarChart chart = make_chart();
    change(chart);
    EXPECT_THROW(to_svg(chart), std::invalid_argument);
  };
  refuses([](BarChart& c) { c.groups.pop_back(); });
  refuses([](BarChart& c) { c.series[1].error.pop_back(); });
  refuses([](BarChart& c) { c.series[1].colour = "url(#a)"; });
  refuses([](BarChart& c) { c.y_max = c.y_min; });
  EXPECT_EQ(to_svg(BarChart{}), "");
}

}  // namespace
}  // namespace mdgp
