#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "mdgp/data/read_table.h"
#include "testing/text.h"

namespace mdgp {
namespace {

using Words = std::vector<std::string>;
using Codes = std::vector<std::int32_t>;
using Numbers = std::vector<double>;

ColumnChoice all(ColumnKind kind) {
  return [kind](std::string_view) { return kind; };
}

Table read_csv(std::string_view bytes, const ColumnChoice& choice = {}) {
  return TableReader(bytes, "rows.csv").next(1 << 30, choice);
}

std::string csv_error(std::string_view bytes, ColumnKind kind = ColumnKind::number) {
  try {
    read_csv(bytes, all(kind));
  } catch (const TableError& e) {
    return e.what();
  }
  return "no error";
}

// What gzip makes of "x,y\n1,2\n", of "3,4\n", and of the first once more.
constexpr char kPacked[] =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\xd0\xa9\xe4\x32\xd4\x31\xe2\x02\x00\x23"
    "\xdf\x72\x00\x08\x00\x00\x00";
constexpr char kPackedMore[] =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x33\xd6\x31\xe1\x02\x00\x3e\x2d\x72\xa9\x04"
    "\x00\x00\x00";
constexpr char kPackedTwice[] =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x93\xef\xe6\x60\x00\x01\x26\xe6\xd5\x17\x56"
    "\x3e\x31\xba\x62\xf8\x88\x89\x41\xf9\x7e\x11\x03\x48\x14\x00\x0e\x43\xe8\xd1\x1c\x00"
    "\x00\x00";

template <std::size_t N>
std::string bytes_of(const char (&literal)[N]) {
  return {literal, N - 1};
}

TEST(Csv, ReadsNumbersAndKeepsLines) {
  const Table table = read_csv("x,y\n1,2.5\n-3e2, +4 \n");
  EXPECT_EQ(table.source, "rows.csv");
  EXPECT_EQ(table.rows, 2);
  EXPECT_EQ(table.columns[0].numbers, (Numbers{1, -300}));
  EXPECT_EQ(table.columns[1].numbers, (Numbers{2.5, 4}));
  EXPECT_EQ(table.line, (std::vector<std::uint32_t>{2, 3}));
}

TEST(Csv, TakesEveryEndOfLine) {
  for (const char* bytes :
       {"x,y\n1,2\n3,4\n", "x,y\r\n1,2\r\n3,4\r\n", "x,y\r1,2\r3,4\r", "x,y\n1,2\n3,4",
        "\xEF\xBB\xBFx,y\n1,2\n3,4\n\n\r\n\n", "\n\nx,y\n1,2\n3,4"}) {
    const Table table = read_csv(bytes);
    ASSERT_EQ(table.rows, 2) << bytes;
    EXPECT_EQ(table.columns[0].name, "x");
    EXPECT_EQ(table.columns[1].numbers, (Numbers{2, 4}));
  }
  EXPECT_EQ(read_csv("x,y\r\n1,2\r\n3,4\r\n").line, (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(read_csv("x,y\r1,2\r3,4\r").line, (std::vector<std::uint32_t>{2, 3}));
}

TEST(Csv, TellsTheSeparator) {
  EXPECT_EQ(read_csv("x;y, z;w\n1;2;3\n").columns[1].name, "y, z");
  EXPECT_EQ(read_csv("x\ty z\n1\t2\n").columns[1].numbers, Numbers{2});
  EXPECT_EQ(read_csv("\"a;b;c\",d\n1,2\n").columns[0].name, "a;b;c");
}

TEST(Csv, TakesDecimalCommasBetweenSemicolons) {
  EXPECT_EQ(read_csv("x;y\n1,5;-0,25e1\n").columns[1].numbers, Numbers{-2.5});
  EXPECT_EQ(csv_error("x;y\n1.000,5;2\n"),
            "rows.csv, line 2, column 'x': '1.000,5' is not a number");
}

TEST(Csv, UnquotesCells) {
  const Table table =
      read_csv("name,\"say \"\"hi\"\"\",z\n\"one, two\",\"x\ny\", \"3\" \n5\" pipe,\"\"\"\",4\n");
  EXPECT_EQ(table.columns[0].words, (Words{"one, two", "5\" pipe"}));
  EXPECT_EQ(table.columns[1].name, "say \"hi\"");
  EXPECT_EQ(table.columns[1].words, (Words{"x\ny", "\""}));
  EXPECT_EQ(table.columns[2].numbers, (Numbers{3, 4}));
  EXPECT_EQ(table.line, (std::vector<std::uint32_t>{2, 4}));
}

TEST(Csv, MissingCells) {
  const Table table = read_csv("x,y\n,NA\nnan,b\n\"\",NaN\n");
  for (const double value : table.columns[0].numbers) EXPECT_TRUE(std::isnan(value));
  EXPECT_EQ(table.columns[1].code, (Codes{-1, 0, -1}));
}

TEST(Csv, BlankLinesAreMissingCellsOfASingleColumnOnly) {
  const Table table = read_csv("x\n1\n\n\n2\n\n\n");
  ASSERT_EQ(table.rows, 4);
  EXPECT_TRUE(std::isnan(table.columns[0].numbers[2]));
  EXPECT_EQ(table.columns[0].numbers[3], 2.0);
  EXPECT_EQ(table.line, (std::vector<std::uint32_t>{2, 3, 4, 5}));
  EXPECT_EQ(csv_error("x,y\n1,2\n\n3,4\n"),
            "rows.csv, line 3: blank, but the header has 2 columns");
}

TEST(Csv, DetectionTurnsNumbersToWords) {
  const Table table = read_csv("x,y\n007,1\n,2\n7.0,3\ninf,4\n");
  EXPECT_TRUE(table.columns[0].text);
  EXPECT_EQ(table.columns[0].words, (Words{"7", "inf"}));
  EXPECT_EQ(table.columns[0].code, (Codes{0, -1, 0, 1}));
  EXPECT_FALSE(table.columns[1].text);
}

TEST(Csv, TextSpellsNumbersOneWay) {
  const Table table =
      read_csv("x\n007\n7.0\n-0\n0\n1e5\n12345678901234567890\n12345678901234567891\n",
               all(ColumnKind::text));
  EXPECT_EQ(table.columns[0].words,
            (Words{"7", "0", "100000", "12345678901234567890", "12345678901234567891"}));
}

// Whatever comes first, identifiers never become one.
TEST(Csv, RefusesTextBelowNumbersThatWordsCouldNotTellApart) {
  EXPECT_EQ(read_csv("x\nabc\n9007199254740993\n9007199254740992\n").columns[0].words.size(), 3U);
  EXPECT_EQ(read_csv("x\n9007199254740991\nabc\n").columns[0].words.size(), 2U);
  try {
    read_csv("x\n9007199254740993\n9007199254740992\nabc\n");
    FAIL();
  } catch (const TableError& e) {
    EXPECT_TRUE(contains(e.what(), "line 4, column 'x': 'abc' is text below numbers of 16 digits"))
        << e.what();
  }
}

TEST(Csv, SkippedColumnsAreNotLookedAt) {
  const auto only_y = [](std::string_view name) {
    return name == "y" ? ColumnKind::number : ColumnKind::skip;
  };
  const Table table = read_csv("a,y,b\nabc,1,\"q\"\"\n,\"\n1e999,2,\n", only_y);
  ASSERT_EQ(table.columns.size(), 1U);
  EXPECT_EQ(table.columns[0].numbers, (Numbers{1, 2}));
  EXPECT_EQ(table.line, (std::vector<std::uint32_t>{2, 4}));
}

TEST(Csv, SkipsLongRunsOfColumns) {
  std::string bytes = "y0";
  for (int c = 1; c < 60; ++c) bytes.append(",c").append(std::to_string(c));
  bytes += ",y1\n";
  for (int r = 0; r < 3000; ++r) {
    bytes += std::to_string(r);
    for (int c = 1; c < 60; ++c) bytes += c % 9 == r % 9 ? "," : ",12.5";
    bytes.append(",").append(std::to_string(-r)).append("\n");
  }
  const Table table = read_csv(bytes, [](std::string_view name) {
    return name[0] == 'y' ? ColumnKind::number : ColumnKind::skip;
  });
  ASSERT_EQ(table.rows, 3000);
  for (int r = 0; r < 3000; ++r) {
    ASSERT_EQ(table.columns[0].numbers[static_cast<std::size_t>(r)], r);
    ASSERT_EQ(table.columns[1].numbers[static_cast<std::size_t>(r)], -r);
  }
  // Rows that end within a run of skipped columns.
  const auto none = [](std::string_view) { return ColumnKind::skip; };
  EXPECT_EQ(read_csv("a,b,c,d\n1,2,3,4\n", none).rows, 1);
  EXPECT_THROW(read_csv("a,b,c,d\n1,2,3\n4,5,6,7,8\n", none), TableError);
}

TEST(Csv, ComesInPieces) {
  TableReader reader("x\n1\n2\nc\n", "rows.csv");
  EXPECT_EQ(reader.names(), Words{"x"});
  const Table first = reader.next(2, {});
  EXPECT_FALSE(first.columns[0].text);
  const Table second = reader.next(2, {});
  EXPECT_EQ(second.rows, 1);
  EXPECT_EQ(second.first, 2);
  EXPECT_EQ(second.columns[0].words, Words{"c"});
  EXPECT_EQ(reader.next(2, {}).rows, 0);
}

// Cells, quotes and ends of lines must not depend on where the window ends.
TEST(Csv, CrossesTheWindow) {
  std::string bytes = "x,text,y\r\n";
  const int rows = 200000;
  for (int r = 0; r < rows; ++r) {
    bytes += std::to_string(r) + ".25,\"a \"\"b\"\",\r\n" +
             std::string(static_cast<std::size_t>(r % 7), 'c') + "\", " + std::to_string(r % 3) +
             "\r\n";
  }
  const Table table = read_csv(bytes);
  ASSERT_EQ(table.rows, rows);
  EXPECT_EQ(table.columns[1].words.size(), 7U);
  for (int r = 0; r < rows; ++r) {
    const std::size_t i = static_cast<std::size_t>(r);
    ASSERT_EQ(table.columns[0].numbers[i], r + 0.25);
    ASSERT_EQ(table.columns[1].code[i], r % 7);
    ASSERT_EQ(table.columns[2].numbers[i], r % 3);
    ASSERT_EQ(table.line[i], static_cast<std::uint32_t>(2 + 2 * r));
  }
  const auto only_y = [](std::string_view name) {
    return name == "y" ? ColumnKind::number : ColumnKind::skip;
  };
  EXPECT_EQ(read_csv(bytes, only_y).columns[0].numbers, table.columns[2].numbers);
}

TEST(Csv, TakesLongCellsButNotEndlessOnes) {
  const std::string longest(5 << 20, 'a');
  EXPECT_EQ(read_csv("x,y\n" + longest + ",1\n").columns[0].words[0], longest);
  EXPECT_EQ(csv_error("x,y\n\"" + std::string(40 << 20, 'a')),
            "rows.csv, line 2: a cell of more than 16 MB; is a closing quote missing?");
}

TEST(Csv, SaysWhichCellIsWrong) {
  EXPECT_EQ(csv_error("x,y\n1,2\n3,abc\n"), "rows.csv, line 3, column 'y': 'abc' is not a number");
  EXPECT_EQ(csv_error("x\n0x10\n"), "rows.csv, line 2, column 'x': '0x10' is not a number");
  EXPECT_EQ(csv_error("x\n-inf\n"), "rows.csv, line 2, column 'x': '-inf' is not finite");
  EXPECT_EQ(csv_error("x\n1e999\n"),
            "rows.csv, line 2, column 'x': '1e999' is beyond the range of double");
  EXPECT_EQ(csv_error("x\n\"a\nb\"\n"), "rows.csv, line 2, column 'x': 'a\\nb' is not a number");
}

TEST(Csv, SaysWhichRowIsWrong) {
  EXPECT_EQ(csv_error("a,b,c\n1,2,3\n1,2\n"), "rows.csv, line 3: 2 cells, but the header has 3");
  EXPECT_EQ(csv_error("a,b\n1,2,3,4\n"), "rows.csv, line 2: 4 cells, but the header has 2");
  EXPECT_EQ(csv_error("a,b\n1"), "rows.csv, line 2: 1 cell, but the header has 2");
  EXPECT_EQ(csv_error("a,b\n1,\"2\n"),
            "rows.csv, line 2: a quote opens a cell and never closes it");
  EXPECT_EQ(csv_error("a,b\n\"1\"2,3\n"),
            "rows.csv, line 2: text after a closing quote; a quote within quotes must be doubled");
  const std::string_view nul("a,b\n1,\0\n", 8);
  EXPECT_EQ(csv_error(nul), "rows.csv, line 2: a NUL byte; a table must be text");
}

TEST(Csv, NeedsAHeaderOfDistinctNames) {
  EXPECT_EQ(csv_error(""), "rows.csv: empty; a table needs a header line");
  EXPECT_EQ(csv_error("\n\r\n"), "rows.csv: empty; a table needs a header line");
  EXPECT_EQ(
      csv_error("1,2\n3,4\n"),
      "rows.csv, line 1: only numbers; a table needs a header line with the names of its columns");
  EXPECT_EQ(csv_error("x,,y\n"),
            "rows.csv, line 1: column 2 has no name; each needs a name of its own in the header");
  EXPECT_EQ(
      csv_error("x,y,x\n"),
      "rows.csv, line 1: columns 1 and 3 are both named 'x'; each needs a name of its own in the "
      "header");
}

TEST(Csv, HeaderAloneIsATableWithoutRows) {
  const Table table = read_csv("x,y", all(ColumnKind::text));
  EXPECT_EQ(table.rows, 0);
  ASSERT_EQ(table.columns.size(), 2U);
  EXPECT_TRUE(table.columns[0].text);
}

TEST(CsvGzip, MembersFollowEachOther) {
  const std::string packed = bytes_of(kPacked) + bytes_of(kPackedMore);
  EXPECT_EQ(read_csv(packed).columns[1].numbers, (Numbers{2, 4}));
  EXPECT_EQ(read_csv(packed + std::string(512, '\0')).rows, 2);
}

TEST(CsvGzip, DamageIsAnError) {
  const std::string packed = bytes_of(kPacked);
  EXPECT_EQ(csv_error(packed.substr(0, packed.size() - 9)),
            "rows.csv: the compressed data ends in the middle; is the file complete?");
  std::string wrong_sum = packed;
  wrong_sum[wrong_sum.size() - 6] ^= 1;
  EXPECT_EQ(csv_error(wrong_sum), "rows.csv: the compressed data is damaged");
  EXPECT_EQ(csv_error(packed + "junk"), "rows.csv: the compressed data is damaged");
  EXPECT_EQ(csv_error(bytes_of(kPackedTwice)), "rows.csv: gzipped twice; unpack it once");
}

}  // namespace
}  // namespace mdgp
