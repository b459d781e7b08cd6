#include "mdgp/report/text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace mdgp {
namespace {

TEST(EscapeXml, EscapesMarkup) {
  EXPECT_EQ(escape_xml("a & b < c > d \"e\" 'f'"), "a &amp; b &lt; c &gt; d &quot;e&quot; 'f'");
}

TEST(EscapeXml, KeepsUtf8AndReplacesWhatXmlForbids) {
  EXPECT_EQ(escape_xml("µ₁ 漢 🙂\t\n"), "µ₁ 漢 🙂\t\n");
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(escape_xml(std::string_view("\0", 1)), bad);
  EXPECT_EQ(escape_xml("\x1B"), bad);
  EXPECT_EQ(escape_xml("M\xFCller"), "M" + bad + "ller");            // Latin-1
  EXPECT_EQ(escape_xml("\xC0\xBC"), bad + bad);                      // '<' in two bytes
  EXPECT_EQ(escape_xml("\xED\xA0\x80"), bad + bad + bad);            // a surrogate
  EXPECT_EQ(escape_xml("\xEF\xBF\xBF"), bad + bad + bad);            // U+FFFF
  EXPECT_EQ(escape_xml("\xF5\x80\x80\x80"), bad + bad + bad + bad);  // beyond U+10FFFF
  EXPECT_EQ(escape_xml("\xE6\xBC"), bad + bad);                      // cut off
}

TEST(SvgNumber, HasAtMostTwoDecimals) {
  EXPECT_EQ(svg_number(1.0), "1");
  EXPECT_EQ(svg_number(100.0), "100");
  EXPECT_EQ(svg_number(1.5), "1.5");
  EXPECT_EQ(svg_number(-0.001), "0");
  EXPECT_EQ(svg_number(2.0 / 3.0), "0.67");
}

TEST(FitText, CutsBetweenCharacters) {
  EXPECT_EQ(fit_text("short", 12.0, 100.0), "short");
  EXPECT_EQ(fit_text("ääää", 10.0, 23.0), "ää…");
  EXPECT_EQ(fit_text("abc", 12.0, 0.0), "…");
}

}  // namespace
}  // namespace mdgp
