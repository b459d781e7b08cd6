#include "mdgp/data/table.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "mdgp/data/parse_number.h"
#include "mdgp/data/read_table.h"
#include "mdgp/data/table_source.h"

namespace mdgp {
namespace {

std::string table_error(std::string_view bytes, const std::string& source) {
  try {
    TableReader(bytes, source);
  } catch (const TableError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Table, SaysWhereARowIs) {
  Table table;
  table.source = "rows.csv";
  table.rows = 2;
  table.line = {2, 17};
  EXPECT_EQ(table.where(1), "rows.csv, line 17");
  table.line.clear();
  EXPECT_EQ(table.where(1), "rows.csv, row 2");
  table.first = 100;
  EXPECT_EQ(table.where(1), "rows.csv, row 102");
}

TEST(Table, FindsColumnsByName) {
  Table table;
  table.columns.resize(2);
  table.columns[1].name = "y";
  EXPECT_EQ(table.find("y"), &table.columns[1]);
  EXPECT_EQ(table.find("z"), nullptr);
}

TEST(Table, MissingIsEmptyNaNOrNA) {
  for (const char* cell : {"", "  ", "NaN", "nan", "NA", "na", " NAN "}) {
    EXPECT_TRUE(is_missing(cell)) << cell;
  }
  for (const char* cell : {"0", "n", "none", "N/A", "nana", "-", "a\x4e"}) {
    EXPECT_FALSE(is_missing(cell)) << cell;
  }
}

TEST(Table, ShortestReadsBackAndLooksPlain) {
  EXPECT_EQ(shortest(7.0), "7");
  EXPECT_EQ(shortest(-100000.0), "-100000");
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(-0.0), "-0");
  for (const double value : {1.0 / 3.0, 1e300, 5e-324, 123456789.125, 1e15, 9007199254740993.0}) {
    EXPECT_EQ(std::strtod(shortest(value).c_str(), nullptr), value);
  }
}

TEST(ParseNumber, TakesDecimalNumbersOnly) {
  double value = 0.0;
  EXPECT_EQ(parse_number(" +1.5e2\t", value), NumberText::number);
  EXPECT_EQ(value, 150.0);
  EXPECT_EQ(parse_number("-.5", value), NumberText::number);
  EXPECT_EQ(value, -0.5);
  EXPECT_EQ(parse_number("1e-999", value), NumberText::number);
  EXPECT_EQ(value, 0.0);
  for (const char* text :
       {"", ".", "-", "+-1", "0x1A", "1e", "1,5", "1 2", "nan", "1.2.3", "abc"}) {
    EXPECT_EQ(parse_number(text, value), NumberText::not_a_number) << text;
  }
  EXPECT_EQ(parse_number("-Inf", value), NumberText::infinite);
  EXPECT_EQ(parse_number("infinity", value), NumberText::infinite);
  EXPECT_EQ(parse_number("1e999", value), NumberText::out_of_range);
}

// The fast way must give what the slow way gives, to the last bit.
TEST(ParseNumber, FastAndSlowAgree) {
  std::uint64_t bits = 1;
  for (int i = 0; i < 20000; ++i) {
    bits = bits * 6364136223846793005U + 1442695040888963407U;
    const double drawn = std::bit_cast<double>(bits);
    if (!std::isfinite(drawn)) continue;
    for (const char* format : {"%.17g", "%.6g", "%.3f", "%.12e", "%.0f"}) {
      char text[400] = {};  // the zeros that take_number wants behind it
      const double value = i % 2 == 0 ? drawn : std::ldexp(drawn, -std::ilogb(drawn) + i % 40 - 20);
      const int length = std::snprintf(text, sizeof(text) - 8, format, value);
      double fast = 0.0, slow = 0.0;
      ASSERT_EQ(parse_number({text, static_cast<std::size_t>(length)}, slow), NumberText::number);
      const char* const end = take_number(text, fast);
      if (end == nullptr) continue;
      ASSERT_EQ(end, text + length) << text;
      ASSERT_EQ(std::bit_cast<std::uint64_t>(fast), std::bit_cast<std::uint64_t>(slow)) << text;
    }
  }
}

TEST(ParseNumber, FastStopsAtWhatFollows) {
  double value = 0.0;
  const char cell[32] = "12.25,99";
  EXPECT_EQ(take_number(cell, value), cell + 5);
  EXPECT_EQ(value, 12.25);
  for (const char* text : {"", "-", ".", "+1", " 1", "abc", "1e", "1e+", "inf"}) {
    char padded[32] = {};
    std::snprintf(padded, sizeof(padded), "%s", text);
    EXPECT_EQ(take_number(padded, value), nullptr) << text;
  }
}

TEST(Printable, IsShortAndHarmless) {
  EXPECT_EQ(printable("plain"), "plain");
  EXPECT_EQ(printable("a\nb\x1b[2J"), "a\\nb\\x1b[2J");
  EXPECT_EQ(printable("\xC2\x9B\xFFz"), "\\xc2\\x9b\\xffz");
  EXPECT_EQ(printable(std::string(50, 'x')), std::string(40, 'x') + "...");
}

TEST(TableReader, SaysWhatIsWrongWithAFile) {
  const auto message = [](const std::string& path) -> std::string {
    try {
      read_table(path);
    } catch (const TableError& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(message("/nonexistent/rows.csv"), "/nonexistent/rows.csv: no such file");
  EXPECT_EQ(message("/"), "/: a directory, not a file");
  EXPECT_EQ(message("/dev/null"), "/dev/null: empty; a table needs a header line");
}

TEST(TableReader, RefusesOtherFormatsWithARemedy) {
  EXPECT_EQ(table_error("\x89HDF\r\n\x1A\n", "rows.mat"),
            "rows.mat: HDF5 (MATLAB 7.3) is not read; save it from MATLAB with -v7, or as CSV");
  EXPECT_EQ(table_error("PAR1....", "rows.parquet"),
            "rows.parquet: Parquet is not read; save it as CSV");
  EXPECT_EQ(table_error("\xFF\xFEx", "rows.csv"),
            "rows.csv: UTF-16 is not read; save it as CSV in UTF-8");
}

TEST(TableReader, ReadsAFile) {
  const std::string path = testing::TempDir() + "mdgp_table_test.csv";
  std::ofstream(path) << "x,y\n1,a\n2,b\n";
  const Table table = read_table(path);
  EXPECT_EQ(table.source, path);
  EXPECT_EQ(table.rows, 2);
  EXPECT_EQ(table.columns[0].numbers, (std::vector<double>{1, 2}));
  EXPECT_EQ(table.columns[1].words, (std::vector<std::string>{"a", "b"}));
  std::remove(path.c_str());
}

}  // namespace
}  // namespace mdgp
