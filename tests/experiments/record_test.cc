#include "record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace mdgp::experiments {
namespace {

Record some_record() {
  Record record;
  record.experiment = "sarcos";
  record.variant = "clean";
  record.settings = "paper-sarcos";
  record.model = "smdgp";
  record.size = 500;
  record.run = 3;
  record.seed = std::numeric_limits<std::uint64_t>::max();
  record.data = "0badf00d";
  record.program = "12345678";
  record.seconds = 1.25;
  record.scores = {{"rmse", 0.1}, {"nlpp", -1.0 / 3.0}};
  record.lists = {{"calibration", {0.05, 0.1}}, {"empty", {}}};
  record.ard_columns = {"g0[0]", "x[1]"};
  record.ard_weights = {{0.25, 0.75}, {1.0, 0.0}};
  return record;
}

TEST(Record, ComesBackFromItsLine) {
  const Record record = some_record(), back = from_json(to_json(record));
  EXPECT_EQ(to_json(back), to_json(record));
  EXPECT_EQ(back.seed, record.seed);
  EXPECT_EQ(back.data, record.data);
  EXPECT_EQ(back.program, record.program);
  EXPECT_EQ(back.scores, record.scores);
  EXPECT_EQ(back.lists, record.lists);
  EXPECT_EQ(back.ard_columns, record.ard_columns);
  EXPECT_EQ(back.ard_weights, record.ard_weights);
}

TEST(Record, IsOneLine) {
  Record record = some_record();
  record.error = "two\nlines";
  EXPECT_EQ(to_json(record).find('\n'), std::string::npos);
  EXPECT_EQ(from_json(to_json(record)).error, record.error);
}

TEST(Record, WritesWhatIsNoNumberAsNull) {
  Record record = some_record();
  record.scores["nlpp"] = std::nan("");
  record.ard_weights[1][0] = std::nan("");
  EXPECT_NE(to_json(record).find("\"nlpp\":null"), std::string::npos);
  const Record back = from_json(to_json(record));
  EXPECT_TRUE(std::isnan(back.scores.at("nlpp")));
  EXPECT_TRUE(std::isnan(back.ard_weights[1][0]));
}

TEST(Record, RefusesOtherLines) {
  const std::string line = to_json(some_record());
  for (const std::string& bad : {std::string(), line.substr(0, line.size() / 2), std::string("{}"),
                                 std::string("[1]"), std::string(R"({"experiment":3})")}) {
    EXPECT_THROW(from_json(bad), std::invalid_argument) << bad;
  }
}

}  // namespace
}  // namespace mdgp::experiments
