#include "mdgp/data/encode.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mdgp {
namespace {

using Words = std::vector<std::string>;

Schema train_on(std::string_view csv, const ColumnRoles& roles) {
  TableReader reader(csv, "rows.csv");
  return make_schema(reader.next(1 << 30, training_columns(roles, reader.names(), reader.source())),
                     roles);
}

Encoded encode_csv(const Schema& schema, std::string_view csv, Targets targets) {
  TableReader reader(csv, "later.csv");
  const ColumnChoice choice = schema_columns(schema, reader.names(), reader.source(), targets);
  return encode(schema, reader.next(1 << 30, choice), targets);
}

std::string error(const Schema& schema, std::string_view csv, Targets targets) {
  try {
    encode_csv(schema, csv, targets);
  } catch (const TableError& e) {
    return e.what();
  }
  return "no error";
}

void expect_observations(const std::vector<Observation>& got,
                         const std::vector<Observation>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].row, expected[i].row) << i;
    EXPECT_EQ(got[i].task, expected[i].task) << i;
    EXPECT_DOUBLE_EQ(got[i].y, expected[i].y) << i;
  }
}

// Two inputs, one of them words, and a task of each kind.
constexpr std::string_view kWide =
    "x,colour,reg,yes,class,n\n"
    "1,red,10,no,b,0\n"
    "2,green,30,yes,a,3\n"
    "3,red,,no,c,\n"
    "6,green,50,,,2\n";
const ColumnRoles kWideRoles = {"", "", "reg:n", "x,colour", ""};
const double kDeviation = std::sqrt(3.5);  // of x, whose mean is 3
const double kTargetDeviation = std::sqrt(800.0 / 3.0);

TEST(Encode, MakesNumbersOfTheTrainingTable) {
  const Encoded encoded = encode_csv(train_on(kWide, kWideRoles), kWide, Targets::required);
  Matrix x(4, 3);  // x, green, red
  x << -2 / kDeviation, 0, 1, -1 / kDeviation, 1, 0, 0, 0, 1, 3 / kDeviation, 1, 0;
  EXPECT_LT((encoded.data.x - x).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_EQ(encoded.row, (std::vector<Index>{0, 1, 2, 3}));
  EXPECT_TRUE(encoded.task.empty());
  const double high = 20.0 / kTargetDeviation;
  expect_observations(encoded.data.observations, {{0, 0, -high},
                                                  {1, 0, 0.0},
                                                  {3, 0, high},
                                                  {0, 1, 0.0},
                                                  {1, 1, 1.0},
                                                  {2, 1, 0.0},
                                                  {0, 2, 1.0},
                                                  {1, 2, 0.0},
                                                  {2, 2, 2.0},
                                                  {0, 3, 0.0},
                                                  {1, 3, 3.0},
                                                  {3, 3, 2.0}});
}

TEST(Encode, DoesNotDependOnTheOrderOfColumnsNorOnOthers) {
  const Schema schema = train_on(kWide, kWideRoles);
  const Encoded encoded = encode_csv(
      schema, "note,n,class,yes,reg,colour,x\n?,1,c,yes,30,green,2\n", Targets::required);
  ASSERT_EQ(encoded.data.x.rows(), 1);
  EXPECT_DOUBLE_EQ(encoded.data.x(0, 0), -1 / kDeviation);
  EXPECT_EQ(encoded.data.x(0, 1), 1.0);
  EXPECT_EQ(encoded.data.x(0, 2), 0.0);
  expect_observations(encoded.data.observations,
                      {{0, 0, 0.0}, {0, 1, 1.0}, {0, 2, 2.0}, {0, 3, 1.0}});
}

TEST(Encode, StandardisesAsInTraining) {
  const Schema schema = train_on(kWide, kWideRoles);
  const Encoded encoded = encode_csv(schema, "x,colour\n103,red\n203,red\n", Targets::unwanted);
  EXPECT_DOUBLE_EQ(encoded.data.x(0, 0), 100.0 / kDeviation);
  EXPECT_DOUBLE_EQ(encoded.data.x(1, 0), 200.0 / kDeviation);
}

TEST(Encode, DropsRowsWithAMissingInput) {
  const Schema schema = train_on(kWide, kWideRoles);
  const Encoded encoded = encode_csv(
      schema, "x,colour,reg\n,red,10\n2,,10\nNA,,10\n3,green,50\nnan,red,1\n", Targets::required);
  EXPECT_EQ(encoded.row, std::vector<Index>{3});
  EXPECT_EQ(encoded.data.x.rows(), 1);
  expect_observations(encoded.data.observations, {{0, 0, 20.0 / kTargetDeviation}});
  const Encoded none = encode_csv(schema, "x,colour\n,red\n", Targets::unwanted);
  EXPECT_EQ(none.data.x.rows(), 0);
  EXPECT_EQ(none.data.x.cols(), 3);
}

TEST(Encode, TargetsMayBeMissingOrUnwanted) {
  const Schema schema = train_on(kWide, kWideRoles);
  const std::string_view csv = "x,colour,yes\n1,red,\n2,red,yes\n";
  expect_observations(encode_csv(schema, csv, Targets::if_there).data.observations, {{1, 1, 1.0}});
  EXPECT_TRUE(encode_csv(schema, csv, Targets::unwanted).data.observations.empty());
  EXPECT_TRUE(encode_csv(schema, "x,colour\n1,red\n", Targets::if_there).data.observations.empty());
}

TEST(Encode, UnwantedTargetsAreNotLookedAt) {
  const Schema schema = train_on(kWide, kWideRoles);
  EXPECT_EQ(error(schema, "x,colour,reg,yes\n1,red,high,maybe\n", Targets::unwanted), "no error");
}

TEST(Encode, LongFormTellsTheTaskOfEachRow) {
  const Schema schema =
      train_on("who,x,y\nbob,0,4\nann,2,no\nann,4,yes\nbob,6,8\n", {"who", "y", "", "", ""});
  const std::string_view csv = "y,x,who\nyes,3,ann\n8,3,bob\n,3,ann\n4,,bob\n4,3,\n2,3,bob\n";
  const Encoded encoded = encode_csv(schema, csv, Targets::required);
  EXPECT_EQ(encoded.row, (std::vector<Index>{0, 1, 2, 5}));
  EXPECT_EQ(encoded.task, (std::vector<int>{0, 1, 0, 1}));
  EXPECT_EQ(encoded.data.x, Matrix::Zero(4, 1));
  expect_observations(encoded.data.observations, {{0, 0, 1.0}, {1, 1, 1.0}, {3, 1, -2.0}});
  const Encoded rows = encode_csv(schema, "x,who\n3,bob\n", Targets::unwanted);
  EXPECT_EQ(rows.task, std::vector<int>{1});
}

// 7, 7.0 and 007 are one word.
TEST(Encode, LabelsAndWordsDoNotDependOnTheirSpelling) {
  const Schema schema = train_on("who,x,kind,y\n1,1,7,0\n1,2,a,1\n02,3,7.0,1\n2,4,a,0\n",
                                 {"who", "y", "", "kind", ""});
  const Encoded encoded =
      encode_csv(schema, "who,x,kind,y\n2.0,1,007,1.0\n1,2,a,00\n", Targets::required);
  EXPECT_EQ(encoded.task, (std::vector<int>{1, 0}));
  EXPECT_EQ(encoded.data.x, Matrix::Identity(2, 2));
  expect_observations(encoded.data.observations, {{1, 0, 0.0}, {0, 1, 1.0}});
}

TEST(Encode, RefusesWhatWasNotThereInTraining) {
  const Schema schema = train_on(kWide, kWideRoles);
  EXPECT_EQ(error(schema, "x,colour\n1,red\n2,yellow\n", Targets::unwanted),
            "later.csv, line 3, column 'colour': 'yellow' was not there in training; there are "
            "green, red");
  EXPECT_EQ(error(schema, "x,colour\n1,Red\n", Targets::unwanted),
            "later.csv, line 2, column 'colour': 'Red' was not there in training; did you mean "
            "'red'?");
  EXPECT_EQ(error(schema, "x,colour,yes\n1,red,no\n1,red,maybe\n", Targets::if_there),
            "later.csv, line 3: task 'yes' has no label 'maybe'; it has no, yes");
  const Schema by_name = train_on("who,x,y\nbob,0,4.5\nann,2,1\n", {"who", "y", "", "", ""});
  EXPECT_EQ(error(by_name, "who,x\nann,1\n\"al\nan\",2\nsue,3\n", Targets::unwanted),
            "later.csv, line 3, column 'who': the model has no task 'al\\nan'; there are ann, bob");
  EXPECT_EQ(error(by_name, "who,x\nann,1\nbbo,3\n", Targets::unwanted),
            "later.csv, line 3, column 'who': the model has no task 'bbo'; did you mean 'bob'?");
}

TEST(Encode, RefusesTargetsThatTheirKindDoesNotAllow) {
  const Schema schema = train_on(kWide, kWideRoles);
  EXPECT_EQ(error(schema, "x,colour,reg\n1,red,1\n1,red,high\n", Targets::if_there),
            "later.csv, line 3: the target 'high' of task 'reg' is not a number");
  EXPECT_EQ(error(schema, "x,colour,n\n1,red,1.5\n", Targets::if_there),
            "later.csv, line 2: the target 1.5 of task 'n' is not a count (0, 1, 2, …)");
  EXPECT_EQ(error(schema, "x,colour,n\n1,red,-1\n", Targets::if_there),
            "later.csv, line 2: the target -1 of task 'n' is not a count (0, 1, 2, …)");
  EXPECT_EQ(error(schema, "x,colour\nfast,red\n", Targets::unwanted),
            "later.csv, line 2, column 'x': 'fast' is not a number");
}

// Squares of what a kernel sees must be numbers.
TEST(Encode, RefusesNumbersFarFromThoseInTraining) {
  const Schema schema = train_on(kWide, kWideRoles);
  EXPECT_EQ(error(schema, "x,colour\n1,red\n-1e200,red\n", Targets::unwanted),
            "later.csv, line 3, column 'x': -1e+200 is too far from the numbers in training");
  EXPECT_EQ(error(schema, "x,colour\n1e90,red\n", Targets::unwanted), "no error");
}

TEST(Encode, CountsRowsWhereThereAreNoLines) {
  const Schema schema = train_on("x,y\n1,yes\n2,no\n", {"", "y", "", "", ""});
  Table table{.source = "rows.npy", .rows = 1, .columns = {}, .line = {}, .first = 40};
  table.columns.push_back({"x", false, {1.0}, {}, {}});
  table.columns.push_back({"y", true, {}, {0}, {"maybe"}});
  try {
    encode(schema, table, Targets::required);
    FAIL();
  } catch (const TableError& e) {
    EXPECT_STREQ(e.what(), "rows.npy, row 41: task 'y' has no label 'maybe'; it has no, yes");
  }
}

TEST(SchemaColumns, AreReadAsInTraining) {
  const Schema schema = train_on(kWide, kWideRoles);
  const Words names = {"x", "colour", "reg", "yes", "class", "n", "other"};
  const ColumnChoice choice = schema_columns(schema, names, "later.csv", Targets::if_there);
  EXPECT_EQ(choice("x"), ColumnKind::number);
  EXPECT_EQ(choice("colour"), ColumnKind::text);
  EXPECT_EQ(choice("class"), ColumnKind::detect);
  EXPECT_EQ(choice("other"), ColumnKind::skip);
  EXPECT_EQ(schema_columns(schema, names, "later.csv", Targets::unwanted)("reg"), ColumnKind::skip);
}

TEST(SchemaColumns, NameWhatIsMissing) {
  const Schema wide = train_on(kWide, kWideRoles);
  EXPECT_EQ(error(wide, "x,reg\n", Targets::unwanted),
            "later.csv: the model's input 'colour' is missing; there are x, reg");
  EXPECT_EQ(error(wide, "x,color,reg\n", Targets::unwanted),
            "later.csv: the model's input 'colour' is missing; did you mean 'color'?");
  EXPECT_EQ(error(wide, "x,colour\n", Targets::required),
            "later.csv: no target is there (reg, yes, class, n)");
  const Schema by_name = train_on("who,x,y\nbob,0,4.5\nann,2,1\n", {"who", "y", "", "", ""});
  EXPECT_EQ(error(by_name, "x,y\n", Targets::unwanted),
            "later.csv: the task column 'who' is missing; there are x, y");
  EXPECT_EQ(error(by_name, "x,who\n", Targets::required), "later.csv: no target is there (y)");
  EXPECT_EQ(error(by_name, "x,who\n", Targets::if_there), "no error");
}

}  // namespace
}  // namespace mdgp
