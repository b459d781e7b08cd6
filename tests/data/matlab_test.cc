#include "mdgp/data/matlab.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>

#include "mdgp/data/read_table.h"

namespace mdgp {
namespace {

using Words = std::vector<std::string>;
using Codes = std::vector<std::int32_t>;
using Numbers = std::vector<double>;

// Made by fuzz/make_seeds.py.
std::string seed(const std::string& name) {
  std::ifstream file(std::string(MDGP_FUZZ_CORPUS) + "/mat/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Table read_mat(std::string_view bytes) { return TableReader(bytes, "rows.mat").next(1 << 30, {}); }

std::string mat_error(std::string_view bytes) {
  try {
    read_mat(bytes);
  } catch (const TableError& e) {
    return e.what();
  }
  return "no error";
}

Words names(const Table& table) {
  Words all;
  for (const Column& column : table.columns) all.push_back(column.name);
  return all;
}

TEST(Matlab, MatricesAndVectorsAreColumns) {
  for (const char* name : {"plain.mat", "packed.mat"}) {
    const Table table = read_mat(seed(name));
    EXPECT_EQ(table.rows, 3);
    EXPECT_EQ(names(table), (Words{"X0", "X1", "y"}));
    EXPECT_TRUE(std::isnan(table.columns[0].numbers[1]));
    EXPECT_EQ(table.columns[1].numbers, (Numbers{2.5, -4, 6}));
    EXPECT_EQ(table.columns[2].numbers, (Numbers{1, 2, 3}));
  }
}

TEST(Matlab, RowVectorsOfEqualLengthAreColumns) {
  const Table table = read_mat(seed("row_vectors.mat"));
  EXPECT_EQ(names(table), (Words{"a", "b"}));
  EXPECT_EQ(table.columns[1].numbers, (Numbers{1, 0, 1, 1}));
}

TEST(Matlab, OneRowMayBeATable) {
  const Table table = read_mat(seed("one_row.mat"));
  EXPECT_EQ(table.rows, 1);
  EXPECT_EQ(names(table), (Words{"X0", "X1", "X2", "y"}));
}

TEST(Matlab, TextIsAColumn) {
  EXPECT_EQ(read_mat(seed("text.mat")).find("names")->words, (Words{"ab", "c"}));
  const Table cells = read_mat(seed("cells.mat"));
  EXPECT_EQ(cells.find("label")->words, (Words{"one", "tw\xC3\xB6"}));
  EXPECT_EQ(cells.find("label")->code, (Codes{0, 1, -1}));
}

TEST(Matlab, ReadsSmallElementsAndBothByteOrders) {
  EXPECT_EQ(read_mat(seed("small.mat")).find("y")->numbers, Numbers{7});
  EXPECT_EQ(read_mat(seed("big_endian.mat")).find("y")->numbers, (Numbers{-2, 300}));
}

TEST(Matlab, PassesOverWhatIsNoTable) {
  EXPECT_EQ(names(read_mat(seed("setting.mat"))), (Words{"X0", "X1"}));
  EXPECT_EQ(names(read_mat(seed("mixed.mat"))), Words{"y"});
  EXPECT_EQ(mat_error(seed("others.mat")),
            "rows.mat: no matrix of real numbers or text (structs, sparse and complex matrices are "
            "not read)");
}

TEST(Matlab, SaysWhatIsWrong) {
  EXPECT_EQ(mat_error(seed("unequal.mat")), "rows.mat: 'y' has 2 rows, but others have 3");
  EXPECT_EQ(mat_error(seed("cut.mat")),
            "rows.mat: a damaged MATLAB file: an element ends early; is the file complete?");
  EXPECT_EQ(mat_error(seed("claims.mat")),
            "rows.mat: a damaged MATLAB file: a compressed element ends early");
  EXPECT_EQ(mat_error(seed("version4.mat")),
            "rows.mat: MATLAB 4 is not read; save it from MATLAB with -v7, or as CSV");
  EXPECT_EQ(mat_error(seed("version73.mat")),
            "rows.mat: HDF5 (MATLAB 7.3) is not read; save it from MATLAB with -v7, or as CSV");
}

TEST(Matlab, DoesNotBelieveItsDimensions) {
  std::string bytes = seed("plain.mat");
  bytes[128 + 8 + 16 + 8] = 4;  // the rows of X, after its tag, its flags and the tag of its sizes
  EXPECT_EQ(mat_error(bytes),
            "rows.mat: a damaged MATLAB file: 'X' is 4 x 2, but has 48 bytes of values");
}

TEST(Matlab, SurvivesEveryCut) {
  for (const char* name : {"plain.mat", "packed.mat", "cells.mat"}) {
    const std::string whole = seed(name);
    for (std::size_t n = 0; n < whole.size(); ++n) {
      try {
        read_mat(whole.substr(0, n));  // fine where it ends between variables
      } catch (const TableError&) {
      }
    }
  }
}

}  // namespace
}  // namespace mdgp
