#include "mdgp/report/grey_image.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "testing/text.h"

namespace mdgp {
namespace {

TEST(GreyImageSvg, RunsOfEqualPixelsAreOnePiece) {
  Matrix grey(2, 4);
  grey << 0.0, 1.0, 1.0, 0.5,  //
      -1.0, 7.0, std::numeric_limits<double>::quiet_NaN(), 0.0;
  const std::string svg = to_svg({{"some", grey}});
  EXPECT_TRUE(contains(svg, "<path d=\"M1 0h2v1h-2zM1 1h1v1h-1z\" fill=\"#ffffff\"/>")) << svg;
  EXPECT_TRUE(contains(svg, "<path d=\"M3 0h1v1h-1z\" fill=\"#838383\"/>")) << svg;
  EXPECT_TRUE(contains(svg, "<rect width=\"4\" height=\"2\" fill=\"#000\"/>"));
  EXPECT_TRUE(contains(svg, ">some</text>"));
}

TEST(GreyImageSvg, EscapesLabelsAndRefusesNothingness) {
  EXPECT_FALSE(contains(to_svg({{"<script>", Matrix::Ones(1, 1)}}), "<script"));
  EXPECT_EQ(to_svg(std::vector<GreyImage>{}), "");
  EXPECT_THROW(to_svg({{"", Matrix()}}), std::invalid_argument);
  EXPECT_THROW(to_svg({{"", Matrix::Ones(1, 1)}}, 0), std::invalid_argument);
}

}  // namespace
}  // namespace mdgp
