#include "mdgp/report/hinton.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "testing/not_finite.h"

namespace mdgp {
namespace {

using Names = std::vector<std::string>;

Names lines(const std::string& text) {
  Names out;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

// Code points: all bytes but those that continue a character.
std::ptrdiff_t cells(const std::string& line) {
  return std::count_if(line.begin(), line.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; });
}

Names numbered(const std::string& prefix, int n) {
  Names out;
  for (int i = 0; i < n; ++i) out.push_back(prefix + std::to_string(i));
  return out;
}

// The line of a single row below the names of its columns.
std::string only_row(const std::string& name, const std::vector<double>& weights) {
  const auto n = static_cast<Index>(weights.size());
  const Matrix matrix = Eigen::Map<const Matrix>(weights.data(), 1, n);
  return lines(hinton_text({name}, Names(weights.size(), "c"), std::vector<int>(weights.size(), 0),
                           matrix))
      .at(1);
}

TEST(HintonText, DrawsGroupsUnderTheirNames) {
  const Matrix weights{{0.6, 0.3, 0.1, kNaN, 0.01}, {0.1, 0.01, kNaN, 0.8, 0.1}};
  EXPECT_EQ(
      hinton_text({"a", "long"}, {"g0[0]", "g0[1]", "h0", "h1", "x"}, {0, 0, 1, 1, 2}, weights),
      "      g0[0] g0[1] │ h0 h1 │ x\n"
      "a       █     ■   │ ▪     │ ·\n"
      "long    ▪     ·   │    █  │ ▪\n"
      "of the row's largest weight: █ from 75%, ■ from 35%, ▪ from 10%, · less; "
      "blank: not seen\n");
}

TEST(HintonText, PutsColumnsOfOneGroupTogether) {
  const Names text =
      lines(hinton_text({"t"}, {"a", "b", "c", "d"}, {7, -1, 7, -1}, Matrix{{1.0, 0.5, 0.2, 0.0}}));
  EXPECT_EQ(text.at(0), "   b d │ a c");
  EXPECT_EQ(text.at(1), "t  ■ · │ █ ▪");
}

TEST(HintonText, MeasuresWeightsByTheRowsLargest) {
  EXPECT_EQ(only_row("t", {8.0, 6.0, 5.9, 2.8, 2.7, 0.8, 0.7, 0.0}), "t  █ █ ■ ■ ▪ ▪ · ·");
}

TEST(HintonText, ShowsZerosButNotWhatIsUnseen) {
  EXPECT_EQ(only_row("t", {0.0, kNaN, 0.0}), "t  ·   ·");
  EXPECT_EQ(only_row("t", {kNaN, kNaN}), "t");
}

TEST(HintonText, CutsNamesBetweenCodePoints) {
  EXPECT_EQ(only_row("ääääääääääääääääääää", {1.0}), "ääääääääääääääääääää  █");
  EXPECT_EQ(only_row("äääääääääääääääääääää", {1.0}), "äääääääääääääääääää…  █");
}

TEST(HintonText, ReplacesWhatIsNotText) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(only_row("a&<\"", {1.0}), "a&<\"  █");
  EXPECT_EQ(only_row("a\n\x1B[2J", {1.0}), "a" + bad + bad + "[2J  █");
  EXPECT_EQ(only_row("M\xFCller", {1.0}), "M" + bad + "ller  █");  // Latin-1
  EXPECT_EQ(only_row("\xC2\x9B", {1.0}), bad + "  █");             // a control character of UTF-8
}

TEST(HintonText, TurnsNamesWhereThereAreManyColumns) {
  Names columns = numbered("f", 30);  // 112 cells side by side
  columns[1] = "long";
  columns[2] = "a name of nineteen ";
  const Names text =
      lines(hinton_text({"t"}, columns, std::vector<int>(30, 0), Matrix::Constant(1, 30, 1.0)));
  ASSERT_EQ(text.size(), 14);  // 12 characters of the longest name, the row, the legend
  EXPECT_EQ(text[0], "       a");
  EXPECT_EQ(text[8], "     l f");
  EXPECT_EQ(text[9].substr(0, 25), "     o                 f ");
  EXPECT_EQ(text[10].substr(0, 25), "   f n n f f f f f f f 1 ");
  EXPECT_EQ(text[11].substr(0, 27), "   0 g … 3 4 5 6 7 8 9 0 ");  // … has three bytes
  EXPECT_EQ(text[12].substr(0, 10), "t  █ █");
}

// 2 rows and 60 columns in 3 groups, of which the first and the last are the largest.
Matrix many_columns() {
  Matrix weights = Matrix::Constant(2, 60, 0.02);
  weights.row(1).setConstant(kNaN);
  weights(0, 0) = 0.5;
  weights(0, 10) = 0.03;
  weights(1, 59) = 0.001;  // small, but all that row 1 has
  return weights;
}

std::string draw_many(const Matrix& weights) {
  std::vector<int> group(60);
  for (std::size_t c = 0; c < 60; ++c) group[c] = static_cast<int>(c / 20);
  return hinton_text({"first", std::string(30, 'n')}, numbered("f", 60), group, weights);
}

TEST(HintonText, KeepsTheLargestOfTooManyColumns) {
  const Names text = lines(draw_many(many_columns()));
  ASSERT_EQ(text.size(), 7);  // 3 of names, 2 rows, the others, the legend
  // 22 cells for names, then 20 columns of group 0, 16 of group 1, 1 of group 2.
  EXPECT_EQ(text[2].substr(0, 62),
            std::string(22, ' ') + "0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 ");
  EXPECT_TRUE(text[2].ends_with(" 4 5 │ 9")) << text[2];
  EXPECT_TRUE(text[4].ends_with(" │ █")) << text[4];
  EXPECT_EQ(text[5], "… 23 more with weights below 0.021");
}

TEST(HintonText, SaysWhereTheOthersHaveNoWeight) {
  Matrix weights = many_columns();
  weights.row(0).tail(50).setZero();
  weights.col(30).setConstant(kNaN);
  EXPECT_EQ(lines(draw_many(weights)).at(5), "… 23 more without weight");
}

TEST(HintonText, StaysUnderAHundredCells) {
  for (int n = 1; n < 120; ++n) {
    std::vector<int> group(static_cast<std::size_t>(n));
    for (const int groups : {1, 3, n}) {
      for (int c = 0; c < n; ++c) group[static_cast<std::size_t>(c)] = c % groups;
      const Matrix weights = Matrix::Constant(1, n, 1.0);
      for (const std::string& line :
           lines(hinton_text({std::string(25, 'n')}, numbered("f", n), group, weights))) {
        EXPECT_LT(cells(line), 100) << n << " columns in " << groups << " groups";
      }
    }
  }
}

TEST(HintonText, DrawsNothingFromNothing) {
  EXPECT_EQ(hinton_text({}, {"a"}, {0}, Matrix(0, 1)), "");
  EXPECT_EQ(hinton_text({"t"}, {}, {}, Matrix(1, 0)), "");
}

TEST(HintonText, RefusesBadArguments) {
  const Matrix one{{1.0}};
  EXPECT_THROW(hinton_text({"a", "b"}, {"c"}, {0}, one), std::invalid_argument);
  EXPECT_THROW(hinton_text({"a"}, {"b", "c"}, {0, 0}, one), std::invalid_argument);
  EXPECT_THROW(hinton_text({"a"}, {"b"}, {}, one), std::invalid_argument);
  EXPECT_THROW(hinton_text({"a"}, {"b"}, {0}, -one), std::invalid_argument);
  EXPECT_THROW(hinton_text({"a"}, {"b"}, {0}, one / 0.0), std::invalid_argument);
}

}  // namespace
}  // namespace mdgp
