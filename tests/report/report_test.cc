#include <gtest/gtest.h>

#include <cctype>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mdgp/report/chart.h"
#include "mdgp/report/page.h"
#include "testing/not_finite.h"
#include "testing/text.h"

namespace mdgp {
namespace {

constexpr std::string_view kHostile = "</text><script>alert(\"1\")</script> & 'x' \x01\xFF ]]>";

// Empty if every tag is closed in order and every & begins an entity that we write; else what is
// wrong. Elements without content (<meta>) may stay open in HTML.
std::string markup_error(std::string_view text) {
  std::vector<std::string> open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto context = std::string(text.substr(i, 40));
    if (text[i] == '&') {
      bool known = false;
      for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;"}) {
        known = known || text.substr(i).starts_with(entity);
      }
      if (!known) return "entity: " + context;
    }
    if (text[i] != '<') continue;
    const std::size_t end = text.find('>', i);
    if (end == text.npos) return "not closed: " + context;
    const std::string_view tag = text.substr(i + 1, end - i - 1);
    i = end;
    if (tag.find('<') != tag.npos || count(tag, "\"") % 2 != 0) return "tag: " + context;
    if (tag.starts_with("!DOCTYPE") || tag.starts_with("meta") || tag.ends_with('/')) continue;
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return "out of order: " + context;
      open.pop_back();
    } else {
      open.emplace_back(tag.substr(0, tag.find_first_of(" \n")));
    }
  }
  return open.empty() ? "" : "left open: " + open.back();
}

Series make_series(Series::Kind kind, std::vector<double> x, std::vector<double> y) {
  Series s;
  s.kind = kind;
  s.label = "f";
  s.x = std::move(x);
  if (kind == Series::band || kind == Series::bars) {
    for (const double v : y) {
      s.low.push_back(v - 1.0);
      s.high.push_back(v + 1.0);
    }
  } else {
    s.y = std::move(y);
  }
  return s;
}

Chart make_chart(std::vector<Series> series) {
  Chart chart;
  chart.title = "title";
  chart.x_label = "x";
  chart.y_label = "y";
  chart.series = std::move(series);
  return chart;
}

Chart all_kinds(const std::vector<double>& x, const std::vector<double>& y) {
  return make_chart({make_series(Series::points, x, y), make_series(Series::line, x, y),
                     make_series(Series::band, x, y), make_series(Series::bars, x, y)});
}

// No numbers that a renderer refuses, and none with more than two decimals.
void expect_good_svg(const std::string& svg) {
  EXPECT_EQ(markup_error(svg), "");
  EXPECT_EQ(svg.find("nan"), svg.npos);
  EXPECT_EQ(svg.find("inf"), svg.npos);
  std::size_t decimals = 0;
  bool after_point = false;
  for (std::size_t i = 0; i < svg.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(svg[i])) != 0;
    decimals = after_point && digit ? decimals + 1 : 0;
    ASSERT_LE(decimals, 2U) << svg.substr(i - 10, 30);
    after_point = svg[i] == '.' || (after_point && digit);
  }
}

TEST(ToSvg, IsWellFormedForEveryKindOfData) {
  const std::vector<double> x = {0.0, 1.0, 2.0};
  for (const std::vector<double>& y : {std::vector<double>{1.0, 2.0, 3.0},
                                       {7.0, 7.0, 7.0},
                                       {kNaN, kNaN, kNaN},
                                       {kInfinity, 1.0, -kInfinity},
                                       {1e308, -1e308, 0.0},
                                       {1e99, -1e99, 0.0},
                                       {1e-320, 0.0, 1.0}}) {
    expect_good_svg(to_svg({all_kinds(x, y), all_kinds(y, x)}, 2));
    Chart logarithmic = all_kinds(y, x);
    logarithmic.log_x = true;
    expect_good_svg(to_svg({logarithmic}, 2));
  }
  expect_good_svg(to_svg({all_kinds({}, {})}, 1));
  expect_good_svg(to_svg({all_kinds({1.0}, {1.0})}, 3));
  expect_good_svg(to_svg({Chart{}}, 1, 120, 90));
  expect_good_svg(to_svg(std::vector<Chart>{}, 1));
}

TEST(ToSvg, NanBreaksALineAndABand) {
  const std::vector<double> x = {0.0, 1.0, 2.0, 3.0, 4.0}, y = {0.0, 1.0, kNaN, 1.0, 0.0};
  Chart whole = make_chart({make_series(Series::line, x, {0.0, 1.0, 1.0, 1.0, 0.0})});
  Chart broken = make_chart({make_series(Series::line, x, y)});
  const auto moves = [](const Chart& chart) { return count(to_svg({chart}, 1), "M"); };
  EXPECT_EQ(moves(broken), moves(whole) + 1);

  EXPECT_EQ(count(to_svg({make_chart({make_series(Series::band, x, y)})}, 1), "Z"), 2U);
}

TEST(ToSvg, PointsThatAreNotFiniteAreLeftOut) {
  Series s = make_series(Series::points, {0.0, 1.0, kInfinity, 3.0}, {0.0, kNaN, 1.0, 2.0});
  s.label = "";
  EXPECT_EQ(count(to_svg({make_chart({s})}, 1), "<circle"), 2U);
}

TEST(ToSvg, BandsLieBelowLinesBelowPoints) {
  const std::string svg = to_svg({all_kinds({0.0, 1.0}, {0.0, 1.0})}, 1);
  EXPECT_LT(svg.find("fill-opacity=\"0.25\""), svg.find("stroke-width=\"1.8\""));
  EXPECT_LT(svg.find("stroke-width=\"1.8\""), svg.find("<circle"));
}

TEST(ToSvg, BarsReachFromLowToHigh) {
  Series s = make_series(Series::bars, {0.0, 1.0, 2.0}, {5.0, kNaN, 5.0});
  s.label = "";
  Chart chart = make_chart({s});
  chart.fixed_y = true;
  chart.y_min = 4.0;
  chart.y_max = 6.0;
  // Without title and labels the plot is 220 - 10 - 26 high.
  chart.title = chart.x_label = chart.y_label = "";
  const std::string svg = to_svg({chart}, 1);
  EXPECT_EQ(count(svg, " 184L"), 4U);  // from the low ends: each a cap and the bar
}

TEST(ToSvg, LogarithmicAxisHasEqualStepsForEqualRatios) {
  Series s = make_series(Series::points, {1.0, 10.0, 100.0, -1.0, 0.0}, {0.0, 0.0, 0.0, 0.0, 0.0});
  s.label = "";
  Chart chart = make_chart({s});
  chart.log_x = true;
  const std::string svg = to_svg({chart}, 1);
  std::vector<double> x;
  for (auto at = svg.find("cx=\""); at != svg.npos; at = svg.find("cx=\"", at + 1)) {
    x.push_back(std::stod(svg.substr(at + 4)));
  }
  ASSERT_EQ(x.size(), 3U);
  EXPECT_NEAR(x[1] - x[0], x[2] - x[1], 0.02);
}

TEST(ToSvg, MergesLabelsOfTheLegend) {
  Chart a = all_kinds({0.0, 1.0}, {0.0, 1.0});
  a.series[0].label = "observed";
  a.series[1].label = "";
  a.series[2].label = "interval";
  const std::string svg = to_svg({a, a, a}, 2);
  EXPECT_EQ(count(svg, ">observed<"), 1U);
  EXPECT_EQ(count(svg, ">interval<"), 1U);
}

TEST(ToSvg, HonoursAFixedRangeUnlessItIsEmpty) {
  Chart chart = make_chart({make_series(Series::line, {0.0, 1.0}, {0.0, 1e9})});
  chart.fixed_y = true;
  chart.y_min = -40.0;
  chart.y_max = 40.0;
  EXPECT_EQ(count(to_svg({chart}, 1), ">−40<"), 1U);
  expect_good_svg(to_svg({chart}, 1));
  for (const double bad : {-40.0, -50.0, kNaN, kInfinity}) {
    chart.y_max = bad;
    EXPECT_EQ(count(to_svg({chart}, 1), ">−40<"), 0U);
    expect_good_svg(to_svg({chart}, 1));
  }
}

TEST(ToSvg, EscapesHostileText) {
  Chart chart = all_kinds({0.0, 1.0}, {0.0, 1.0});
  chart.title = chart.x_label = chart.y_label = chart.series[0].label = kHostile;
  const std::string svg = to_svg({chart}, 1, 700, 500);
  expect_good_svg(svg);
  EXPECT_EQ(svg.find("<script"), svg.npos);
  expect_good_svg(to_svg({chart}, 1, 120, 90));
}

TEST(ToSvg, RefusesWhatItCannotDraw) {
  const Chart good = all_kinds({0.0}, {0.0});
  EXPECT_THROW(to_svg({good}, 0), std::invalid_argument);
  EXPECT_THROW(to_svg({good}, 1, 10, 200), std::invalid_argument);
  EXPECT_THROW(to_svg({good}, 1, 200, 10), std::invalid_argument);
  EXPECT_THROW(to_svg({make_chart({make_series(Series::line, {0.0, 1.0}, {0.0})})}, 1),
               std::invalid_argument);
  for (const char* colour : {"", "url(http://example.org/a)", "red\" onload=\"x"}) {
    Chart chart = good;
    chart.series[0].colour = colour;
    EXPECT_THROW(to_svg({chart}, 1), std::invalid_argument) << colour;
  }
}

TEST(ToSvg, IsDeterministic) {
  const Chart chart = all_kinds({0.0, 1.0, 2.0}, {0.1, 0.7, 0.3});
  EXPECT_EQ(to_svg({chart, chart}, 2), to_svg({chart, chart}, 2));
}

Page make_page(const std::string& text) {
  Page page;
  page.title = text;
  page.sections = {{text, {text, text}, {{{"model", text}, {{text, "*" + text}, {text}}}}, {}},
                   {"", {}, {{}}, {to_svg({all_kinds({0.0, 1.0}, {0.0, 1.0})}, 1)}}};
  return page;
}

TEST(ToHtml, IsWellFormedAndSelfContained) {
  const std::string html = to_html(make_page("text"));
  EXPECT_EQ(markup_error(html), "");
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
  for (const char* loads : {"<script", "<link", "<img", "src=", "href=", "@import", "url("}) {
    EXPECT_EQ(html.find(loads), html.npos) << loads;
  }
  EXPECT_EQ(count(html, "http://"), 1U);  // the name space of SVG
  EXPECT_EQ(markup_error(to_html(Page{})), "");
}

TEST(ToHtml, EscapesHostileText) {
  const std::string html = to_html(make_page(std::string(kHostile)));
  EXPECT_EQ(markup_error(html), "");
  EXPECT_EQ(html.find("<script"), html.npos);
}

TEST(ToHtml, CellsWithAnAsteriskAreBold) {
  Page page;
  page.sections.push_back({"", {}, {{{"a", "b"}, {{"x*", "*0.5"}, {"*"}}}}, {}});
  const std::string html = to_html(page);
  EXPECT_NE(html.find("<td>x*</td><td><strong>0.5</strong></td>"), html.npos);
  EXPECT_NE(html.find("<td><strong></strong></td><td></td>"), html.npos);
}

TEST(ToHtml, NotesStandBelowACell) {
  Page page;
  page.sections.push_back({"", {}, {{{"a"}, {{"*0.5\nn < 3\nmore"}}}}, {}});
  EXPECT_NE(to_html(page).find("<td><strong>0.5</strong><small>n &lt; 3\nmore</small></td>"),
            std::string::npos);
}

TEST(ToHtml, CodeIsEscaped) {
  Page page;
  page.sections.push_back({"", {}, {}, {}, "a < b"});
  EXPECT_NE(to_html(page).find("<pre><code>a &lt; b</code></pre>"), std::string::npos);
}

TEST(ToHtml, IsDeterministic) { EXPECT_EQ(to_html(make_page("text")), to_html(make_page("text"))); }

}  // namespace
}  // namespace mdgp
