#include "mdgp/data/near_name.h"

#include <gtest/gtest.h>

namespace mdgp {
namespace {

TEST(Nearest, ForgivesAThirdOfTheLetters) {
  const std::vector<std::string_view> names = {"width", "depth", "learning-rate", "kl-warmup"};
  EXPECT_EQ(nearest("width", names), "width");
  EXPECT_EQ(nearest("widht", names), "width");  // swapped
  EXPECT_EQ(nearest("wdth", names), "width");   // left out
  EXPECT_EQ(nearest("deepth", names), "depth");
  EXPECT_EQ(nearest("learning_rate", names), "learning-rate");
  EXPECT_EQ(nearest("Learn-Rate", names), "learning-rate");
  EXPECT_EQ(nearest("wxyz", names), "");
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest("width", {}), "");
  EXPECT_EQ(nearest(std::string(1000000, 'w'), names), "");
}

TEST(Nearest, TakesTheNearestAndOfTwoTheFirst) {
  const std::vector<std::string_view> names = {"smdgp", "mmdgp", "cmdgp", "cgp", "igp"};
  EXPECT_EQ(nearest("mdgp", names), "smdgp");
  EXPECT_EQ(nearest("cmdgb", names), "cmdgp");
  EXPECT_EQ(nearest("gp", names), "cgp");
}

TEST(Nearest, CapitalOrSmallIsTheSame) {
  const std::vector<std::string_view> names = {"Torque 1", "SPEED"};
  EXPECT_EQ(nearest("torque 1", names), "Torque 1");
  EXPECT_EQ(nearest("speed", names), "SPEED");
}

TEST(DidYouMean, NamesTheNearest) {
  const std::vector<std::string> names = {"speed", "torque"};
  EXPECT_EQ(did_you_mean("spede", names), "; did you mean 'speed'?");
  EXPECT_EQ(did_you_mean("Torque", names), "; did you mean 'torque'?");
}

TEST(DidYouMean, ElseListsADozen) {
  EXPECT_EQ(did_you_mean("pressure", std::vector<std::string>{"speed", "torque"}),
            "; there are speed, torque");
  std::vector<std::string> names;
  for (int i = 1; i <= 12; ++i) names.push_back(std::string("column").append(std::to_string(i)));
  const std::string all =
      "; there are column1, column2, column3, column4, column5, column6, column7, column8, "
      "column9, column10, column11, column12";
  EXPECT_EQ(did_you_mean("pressure", names), all);
  names.emplace_back("column13");
  EXPECT_EQ(did_you_mean("pressure", names), all + ", …");
}

}  // namespace
}  // namespace mdgp
