#include "mdgp/data/numpy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "mdgp/data/read_table.h"

namespace mdgp {
namespace {

using Words = std::vector<std::string>;
using Codes = std::vector<std::int32_t>;
using Numbers = std::vector<double>;

std::string npy(const std::string& header, std::string_view items) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xFFU);
  bytes += static_cast<char>(header.size() >> 8U);
  return bytes.append(header).append(items);
}

std::string npy(const std::string& dtype, const std::string& shape, std::string_view items) {
  return npy("{'descr': '" + dtype + "', 'fortran_order': False, 'shape': " + shape + ", }\n",
             items);
}

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}

Table read_npy(std::string_view bytes, const ColumnChoice& choice = {}) {
  return TableReader(bytes, "rows.npy").next(1 << 30, choice);
}

// Made by fuzz/make_seeds.py.
Table read_seed(const std::string& name) {
  return read_table(std::string(MDGP_FUZZ_CORPUS) + "/npy/" + name);
}

std::string npy_error(std::string_view bytes) {
  try {
    read_npy(bytes);
  } catch (const TableError& e) {
    return e.what();
  }
  return "no error";
}

std::string seed_message(const std::string& name) {
  try {
    read_seed(name);
  } catch (const TableError& e) {
    const std::string_view what = e.what();
    return std::string(what.substr(what.find(name)));
  }
  return "no error";
}

// One column of two cells in each type.
template <class T>
void expect_type(const std::string& dtype, T first, T second) {
  const Table table = read_npy(npy(dtype, "(2,)", bytes_of<T>({first, second})));
  ASSERT_EQ(table.columns.size(), 1U) << dtype;
  EXPECT_EQ(table.columns[0].name, "x0");
  EXPECT_EQ(table.columns[0].numbers,
            (Numbers{static_cast<double>(first), static_cast<double>(second)}))
      << dtype;
}

TEST(Npy, ReadsEachNumberType) {
  expect_type<bool>("|b1", true, false);
  expect_type<std::int8_t>("|i1", -128, 7);
  expect_type<std::int16_t>("<i2", -300, 7);
  expect_type<std::int32_t>("<i4", -70000, 7);
  expect_type<std::int64_t>("<i8", -(std::int64_t{1} << 40), 7);
  expect_type<std::uint8_t>("|u1", 255, 7);
  expect_type<std::uint16_t>("<u2", 65535, 7);
  expect_type<std::uint32_t>("<u4", 4294967295U, 7);
  expect_type<std::uint64_t>("<u8", std::uint64_t{1} << 63U, 7);
  expect_type<float>("<f4", -0.5F, 1e30F);
  expect_type<double>("=f8", 0.1, -1e300);
}

TEST(Npy, ReadsHalves) {
  const Table table =
      read_npy(npy("<f2", "(5,)", bytes_of<std::uint16_t>({0x3C00, 0xB800, 1, 0x7BFF, 0x7E00})));
  const Numbers& x = table.columns[0].numbers;
  EXPECT_EQ(Numbers(x.begin(), x.end() - 1), (Numbers{1.0, -0.5, std::ldexp(1.0, -24), 65504.0}));
  EXPECT_TRUE(std::isnan(x[4]));
}

TEST(Npy, ReadsBothByteOrders) {
  EXPECT_EQ(read_npy(npy(">i4", "(1,)", std::string_view("\0\0\1\2", 4))).columns[0].numbers,
            Numbers{258});
  EXPECT_EQ(read_seed("big_endian.npy").columns[1].numbers, (Numbers{2.5, -4, 6}));
}

TEST(Npy, ReadsBothMemoryOrders) {
  const std::string items = bytes_of<double>({1, 2, 3, 4, 5, 6});
  const Table rows = read_npy(npy("<f8", "(2, 3)", items));
  ASSERT_EQ(rows.columns.size(), 3U);
  EXPECT_EQ(rows.columns[2].name, "x2");
  EXPECT_EQ(rows.columns[1].numbers, (Numbers{2, 5}));
  const Table columns =
      read_npy(npy("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3)}", items));
  EXPECT_EQ(columns.columns[1].numbers, (Numbers{3, 4}));
}

TEST(Npy, ReadsText) {
  const Table bytes = read_npy(npy("|S2", "(4,)", std::string_view("a\0bc\0\0a\0", 8)));
  EXPECT_EQ(bytes.columns[0].words, (Words{"a", "bc"}));
  EXPECT_EQ(bytes.columns[0].code, (Codes{0, 1, -1, 0}));
  const Table unicode = read_seed("unicode.npy");
  EXPECT_EQ(unicode.columns[0].words, (Words{"\xC3\xA9t\xC3\xA9", "\xF0\x9F\x98\x80", "1"}));
  EXPECT_EQ(read_npy(npy("|S3", "(2,)", "1.5002")).columns[0].numbers, (Numbers{1.5, 2}));
}

TEST(Npy, LongIntegersStayDistinctAsText) {
  const std::string items = bytes_of<std::int64_t>({9007199254740993, 9007199254740992});
  const Table table = read_npy(npy("<i8", "(2,)", items), [](auto) { return ColumnKind::text; });
  EXPECT_EQ(table.columns[0].words, (Words{"9007199254740993", "9007199254740992"}));
}

TEST(Npy, RecordsGiveNamedColumns) {
  const Table table = read_seed("records.npy");
  ASSERT_EQ(table.columns.size(), 3U);
  EXPECT_EQ(table.find("id")->words, (Words{"a", "b"}));
  EXPECT_EQ(table.find("x")->numbers, (Numbers{1.5, 2.5}));
  EXPECT_EQ(table.find("n")->numbers, (Numbers{7, -8}));
  EXPECT_EQ(read_seed("aligned.npy").columns.size(), 2U);
}

TEST(Npy, ComesInPieces) {
  const std::string items = bytes_of<double>({1, 2, std::numeric_limits<double>::infinity()});
  TableReader reader(npy("<f8", "(3,)", items), "rows.npy");
  const auto numbers = [](std::string_view) { return ColumnKind::number; };
  EXPECT_EQ(reader.next(2, numbers).columns[0].numbers, (Numbers{1, 2}));
  try {
    reader.next(2, numbers);
    FAIL();
  } catch (const TableError& e) {
    EXPECT_STREQ(e.what(), "rows.npy, row 3, column 'x0': 'inf' is not finite");
  }
}

TEST(Npy, ReadsLaterVersions) {
  EXPECT_EQ(read_seed("version2.npy").columns[1].numbers, (Numbers{2.5, -4, 6}));
  EXPECT_EQ(read_seed("version3.npy").columns[0].name, "\xC3\xA9");
}

TEST(Npy, RefusesWhatIsNoTable) {
  EXPECT_EQ(seed_message("object.npy"), "object.npy: Python objects (dtype object) are not read");
  EXPECT_EQ(seed_message("complex.npy"),
            "complex.npy: dtype '<c16' is not read; convert it with astype(float) or astype(str)");
  EXPECT_EQ(seed_message("scalar.npy"), "scalar.npy: 0 dimensions; a table needs one or two");
  EXPECT_EQ(seed_message("cube.npy"), "cube.npy: 3 dimensions; a table needs one or two");
  EXPECT_EQ(npy_error(npy("<f8", "(5, 0)", "")), "rows.npy: an array without columns");
}

TEST(Npy, DoesNotBelieveItsHeader) {
  EXPECT_EQ(npy_error(npy("<f8", "(9000000000000000,)", "abc")),
            "rows.npy: 3 bytes of items, but its header says 72000000000000000; is it complete?");
  EXPECT_EQ(npy_error(npy("<f8", "(4294967296, 4294967296)", "")),
            "rows.npy: a shape of more bytes than there can be");
  EXPECT_EQ(npy_error(npy("<f8", "(99999999999999999999,)", "")),
            "rows.npy: a damaged NumPy header: the shape is not of whole numbers");
  EXPECT_EQ(npy_error(npy("<f8", "(0, 999999999999)", "")), "rows.npy: more than 1048576 columns");
  EXPECT_EQ(npy_error(npy("|S0", "(999999999999,)", "")),
            "rows.npy: dtype '|S0' is not read; convert it with astype(float) or astype(str)");
  EXPECT_EQ(seed_message("longer.npy"),
            "longer.npy: more than the 48 bytes of items that its header says");
}

TEST(Npy, SurvivesEveryCut) {
  const std::string whole = npy("<f8", "(2,)", bytes_of<double>({1, 2}));
  for (std::size_t n = 6; n < whole.size(); ++n) {  // below 6 it looks like CSV
    EXPECT_THROW(read_npy(whole.substr(0, n)), TableError) << n;
  }
}

TEST(Npz, ArraysAreColumns) {
  const Table table = read_seed("stored.npz");  // and a single value, which is passed over
  ASSERT_EQ(table.columns.size(), 3U);
  EXPECT_EQ(table.find("X1")->numbers, (Numbers{2.5, -4, 6}));
  EXPECT_EQ(table.find("y")->numbers, (Numbers{1, 2, 3}));
  EXPECT_EQ(read_seed("packed.npz").find("label")->code, (Codes{0, 1, 0}));
}

TEST(Npz, SaysWhatIsWrong) {
  EXPECT_EQ(seed_message("unequal.npz"),
            "unequal.npz: array 'y' has 2 rows, but the ones before it have 3");
  EXPECT_EQ(seed_message("clash.npz"), "clash.npz: columns 2 and 3 are both named 'x1'");
  EXPECT_EQ(seed_message("damaged.npz"), "damaged.npz, array 'y': CRC error");
  EXPECT_EQ(seed_message("spreadsheet.npz"),
            "spreadsheet.npz: a zip archive without NumPy arrays; save a spreadsheet as CSV");
  EXPECT_THROW(read_npy("PK\x03\x04"), TableError);
}

}  // namespace
}  // namespace mdgp
