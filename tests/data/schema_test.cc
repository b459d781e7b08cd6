#include "mdgp/data/schema.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace mdgp {
namespace {

using Words = std::vector<std::string>;

ColumnRoles wide(std::string targets, std::string inputs = "", std::string types = "") {
  return {"", "", std::move(targets), std::move(inputs), std::move(types)};
}
ColumnRoles long_form(std::string task, std::string target, std::string inputs = "",
                      std::string types = "") {
  return {std::move(task), std::move(target), "", std::move(inputs), std::move(types)};
}

Schema schema_of(std::string_view csv, const ColumnRoles& roles, SchemaNotes* notes = nullptr) {
  TableReader reader(csv, "rows.csv");
  const ColumnChoice choice = training_columns(roles, reader.names(), reader.source());
  return make_schema(reader.next(1 << 30, choice), roles, notes);
}

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const TableError& e) {
    return e.what();
  }
  return "no error";
}

std::string error(std::string_view csv, const ColumnRoles& roles) {
  return error_of([&] { schema_of(csv, roles); });
}

// The only task of a table "x,y" with these values of y.
TaskColumn task_of(const Words& y, std::string types = "") {
  std::string csv = "x,y\n";
  for (const std::string& value : y) csv += "1," + value + "\n";
  return schema_of(csv, wide("y", "", std::move(types))).tasks.at(0);
}
std::string task_error(const Words& y, std::string types = "") {
  return error_of([&] { task_of(y, std::move(types)); });
}

Words select(std::string_view list, const Words& names) {
  return select_columns(list, names, "rows.csv", "--inputs");
}
std::string select_error(std::string_view list, const Words& names) {
  return error_of([&] { select(list, names); });
}

const Words kNames = {"time", "x1", "x2", "x10", "y", "z 1"};

TEST(SelectColumns, ByNameInTheTablesOrder) {
  EXPECT_EQ(select("y,x1", kNames), (Words{"x1", "y"}));
  EXPECT_EQ(select("x1,x1,x1", kNames), Words{"x1"});
  EXPECT_EQ(select("z 1", kNames), Words{"z 1"});
}

TEST(SelectColumns, ByRange) {
  EXPECT_EQ(select("x1:y", kNames), (Words{"x1", "x2", "x10", "y"}));
  EXPECT_EQ(select("y:x1", kNames), (Words{"x1", "x2", "x10", "y"}));
  EXPECT_EQ(select("x2:x2", kNames), Words{"x2"});
  EXPECT_EQ(select("x10:z 1,time", kNames), (Words{"time", "x10", "y", "z 1"}));
}

TEST(SelectColumns, ByGlob) {
  EXPECT_EQ(select("x*", kNames), (Words{"x1", "x2", "x10"}));
  EXPECT_EQ(select("x?,*1", kNames), (Words{"x1", "x2", "z 1"}));
  EXPECT_EQ(select("[yz]*", kNames), (Words{"y", "z 1"}));
  EXPECT_EQ(select("*", kNames), kNames);
}

TEST(SelectColumns, ANameComesBeforeWhatItCouldMean) {
  EXPECT_EQ(select("a,b", {"a", "b", "a,b"}), Words{"a,b"});
  EXPECT_EQ(select("a:b", {"a", "c", "b", "a:b"}), Words{"a:b"});
  EXPECT_EQ(select("a*", {"a*", "ab"}), Words{"a*"});
  EXPECT_EQ(select("d,a,b", {"a", "b", "a,b", "d"}), (Words{"a,b", "d"}));
  EXPECT_EQ(select("a,b,c,d", {"a,b", "c", "a,b,c", "d"}), (Words{"a,b,c", "d"}));
  EXPECT_EQ(select("b:c,a,b", {"a,b", "b", "x", "c"}), (Words{"a,b", "b", "x", "c"}));
}

TEST(SelectColumns, GlobsReachNamesWithColons) {
  EXPECT_EQ(select("arm:*", {"arm:1", "arm:2", "leg:1"}), (Words{"arm:1", "arm:2"}));
}

TEST(SelectColumns, NamesThePartThatNothingMatches) {
  EXPECT_EQ(select_error("x1,x3,y", kNames),
            "rows.csv: there is no column 'x3' (--inputs); did you mean 'x1'?");
  EXPECT_EQ(select_error("Time", kNames),
            "rows.csv: there is no column 'Time' (--inputs); did you mean 'time'?");
  EXPECT_EQ(select_error("pressure", kNames),
            "rows.csv: there is no column 'pressure' (--inputs); there are time, x1, x2, x10, y, "
            "z 1");
  EXPECT_EQ(select_error("torque*", kNames),
            "rows.csv: there is no column 'torque*' (--inputs); there are time, x1, x2, x10, y, "
            "z 1");
  EXPECT_NE(select_error("x1,,y", kNames).find("no column ''"), std::string::npos);
  EXPECT_NE(select_error("x10:x3", kNames).find("no column 'x10:x3'"), std::string::npos);
  EXPECT_NE(select_error("x1:", kNames), "no error");
}

TEST(TrainingColumns, LooksAtAllColumnsUnlessInputsAreNamed) {
  const ColumnChoice all = training_columns(wide("y"), kNames, "rows.csv");
  for (const std::string& name : kNames) EXPECT_EQ(all(name), ColumnKind::detect) << name;
  const ColumnChoice some = training_columns(wide("y", "x*"), kNames, "rows.csv");
  EXPECT_EQ(some("x2"), ColumnKind::detect);
  EXPECT_EQ(some("y"), ColumnKind::detect);
  EXPECT_EQ(some("time"), ColumnKind::skip);
}

TEST(TrainingColumns, NamesOfTasksAreText) {
  const ColumnChoice choice = training_columns(long_form("time", "y", "x*"), kNames, "rows.csv");
  EXPECT_EQ(choice("time"), ColumnKind::text);
  EXPECT_EQ(choice("y"), ColumnKind::detect);
  EXPECT_EQ(choice("z 1"), ColumnKind::skip);
}

TEST(TrainingColumns, RolesMustBeWholeAndNotContradictEachOther) {
  const auto message = [](const ColumnRoles& roles) {
    return error_of([&] { training_columns(roles, kNames, "rows.csv"); });
  };
  const std::string what =
      "say what to predict: --target COLUMN (with --task COLUMN where a column names the task), or "
      "--targets A,B,… where every task has a column of its own";
  EXPECT_EQ(message({}), what);
  EXPECT_EQ(message({"", "y", "y", "", ""}),
            "--target and --targets exclude each other; --targets is for tables where every task "
            "has a column of its own");
  EXPECT_EQ(message({"time", "", "", "", ""}),
            "--task time: say with --target COLUMN where the values of the tasks stand");
  EXPECT_EQ(message(long_form("y", "y")),
            "--task and --target are both 'y'; the one names the task of a row, the other has its "
            "value");
  EXPECT_EQ(message({"time", "", "y", "", ""}),
            "--task goes with --target; with --targets every column is a task");
  EXPECT_EQ(message(long_form("tiem", "y")),
            "rows.csv: there is no column 'tiem' (--task); did you mean 'time'?");
  EXPECT_EQ(message(long_form("time", "w1")),
            "rows.csv: there is no column 'w1' (--target); did you mean 'x1'?");
  EXPECT_EQ(message(wide("torques*")),
            "rows.csv: there is no column 'torques*' (--targets); there are time, x1, x2, x10, y, "
            "z 1");
  EXPECT_EQ(message(wide("y", "*")), "rows.csv: column 'y' cannot be an input: it is the target");
  EXPECT_EQ(message(long_form("time", "y", "time")),
            "rows.csv: column 'time' cannot be an input: it is the task");
}

TEST(MakeSchema, WideFormHasATaskPerTarget) {
  const Schema schema = schema_of("b,x,a,w\n1,2,3,4\n2,3,,5\n,4,7,6\n", wide("a,b"));
  EXPECT_TRUE(schema.wide);
  ASSERT_EQ(schema.tasks.size(), 2U);
  EXPECT_EQ(schema.tasks[0].name, "b");  // the table's order
  EXPECT_EQ(schema.tasks[1].name, "a");
  EXPECT_EQ(schema.tasks[0].observed, 2);
  EXPECT_EQ(schema.find_task("a"), 1);
  EXPECT_EQ(schema.find_task("x"), -1);
  ASSERT_EQ(schema.inputs.size(), 2U);
  EXPECT_EQ(schema.inputs[0].name, "x");
  EXPECT_EQ(schema.inputs[1].name, "w");
  EXPECT_EQ(schema.input_width(), 2);
}

TEST(MakeSchema, LongFormHasATaskPerWordSorted) {
  const Schema schema = schema_of("who,x,y\n10,1,0.5\nann,2,1.5\n10,3,2.5\n9,1,\n9,2,8\n,3,4\n",
                                  long_form("who", "y"));
  EXPECT_FALSE(schema.wide);
  EXPECT_EQ(schema.task_column, "who");
  EXPECT_EQ(schema.target_column, "y");
  ASSERT_EQ(schema.tasks.size(), 3U);
  EXPECT_EQ(schema.tasks[0].name, "10");
  EXPECT_EQ(schema.tasks[0].observed, 2);
  EXPECT_EQ(schema.tasks[0].mean, 1.5);
  EXPECT_EQ(schema.tasks[1].name, "9");
  EXPECT_EQ(schema.tasks[1].mean, 8.0);
  EXPECT_EQ(schema.tasks[2].name, "ann");
  ASSERT_EQ(schema.inputs.size(), 1U);
  EXPECT_EQ(schema.inputs[0].name, "x");
}

TEST(MakeSchema, TasksOfTheLongFormHaveKindsOfTheirOwn) {
  const Schema schema =
      schema_of("who,x,y\na,1,yes\na,2,no\nb,1,2.5\nb,2,3\nc,1,0\nc,2,4\n", long_form("who", "y"));
  EXPECT_EQ(schema.tasks[0].kind, TaskKind::binary);
  EXPECT_EQ(schema.tasks[0].labels, (Words{"no", "yes"}));
  EXPECT_EQ(schema.tasks[1].kind, TaskKind::regression);
  EXPECT_EQ(schema.tasks[1].mean, 2.75);
  EXPECT_EQ(schema.tasks[2].kind, TaskKind::count);
}

TEST(MakeSchema, TellsTheKindFromTheValues) {
  struct Case {
    Words y;
    TaskKind kind;
    Words labels;
  };
  for (const Case& c : std::vector<Case>{
           {{"1.5", "0", "2"}, TaskKind::regression, {}},
           {{"-1", "0", "2"}, TaskKind::regression, {}},
           {{"3", "1", "2"}, TaskKind::regression, {}},    // whole, but no zero
           {{"0", "59", "60"}, TaskKind::regression, {}},  // a mean above 30
           {{"0", "1", "0"}, TaskKind::binary, {"0", "1"}},
           {{"1", "-1"}, TaskKind::binary, {"-1", "1"}},
           {{"2", "1.0"}, TaskKind::binary, {"1", "2"}},
           {{"yes", "no", "yes"}, TaskKind::binary, {"no", "yes"}},
           {{"low", "high", "mid"}, TaskKind::classes, {"high", "low", "mid"}},
           {{"b", "a", "1"}, TaskKind::classes, {"1", "a", "b"}},
           {{"0", "3", "7"}, TaskKind::count, {}},
           {{"0", "0"}, TaskKind::count, {}},
       }) {
    const TaskColumn task = task_of(c.y);
    EXPECT_EQ(kind_name(task.kind), kind_name(c.kind)) << c.y[0] << ", " << c.y[1];
    EXPECT_EQ(task.labels, c.labels);
    EXPECT_EQ(task.observed, static_cast<Index>(c.y.size()));
  }
}

TEST(MakeSchema, TypesSayTheKind) {
  EXPECT_EQ(task_of({"0", "1", "0"}, "y=count").kind, TaskKind::count);
  EXPECT_EQ(task_of({"0", "1", "0"}, "y=regression").kind, TaskKind::regression);
  EXPECT_EQ(task_of({"1", "2", "3"}, "y=count").kind, TaskKind::count);
  const TaskColumn digits = task_of({"10", "2", "1", "2"}, "y=classes");
  EXPECT_EQ(digits.kind, TaskKind::classes);
  EXPECT_EQ(digits.labels, (Words{"1", "2", "10"}));  // as numbers
  EXPECT_EQ(task_of({"2.5", "-3"}, "y=binary").labels, (Words{"-3", "2.5"}));
  const Schema named = schema_of("x,a=b,c\n1,0,0\n2,1,1\n", wide("a=b,c", "", "a=b=count"));
  EXPECT_EQ(named.tasks[0].kind, TaskKind::count);
  EXPECT_EQ(named.tasks[1].kind, TaskKind::binary);
}

TEST(MakeSchema, RefusesTypesThatDoNotFit) {
  EXPECT_EQ(task_error({"0", "1"}, "y"),
            "--types: 'y' is not NAME=KIND with a kind of regression, binary, classes, count");
  EXPECT_EQ(task_error({"0", "1"}, "y=counts"),
            "--types: 'y=counts' is not NAME=KIND with a kind of regression, binary, classes, "
            "count");
  EXPECT_EQ(task_error({"0", "1"}, "height=count"),
            "--types: there is no task 'height'; there are y");
  EXPECT_EQ(task_error({"a", "1"}, "y=regression"),
            "rows.csv, line 2: the target 'a' of task 'y' is not a number, which regression needs");
  for (const char* y : {"0.5", "-1", "a", "1e9"}) {
    const std::string word = std::string_view(y) == "1e9" ? "1000000000" : y;
    EXPECT_EQ(task_error({"0", y}, "y=count"), "rows.csv, line 3: the target '" + word +
                                                   "' of task 'y' is not a count (0, 1, 2, …)");
  }
  EXPECT_EQ(task_error({"0", "1", "2"}, "y=binary"),
            "rows.csv: task 'y' has 3 different labels; binary needs two");
  EXPECT_EQ(task_error({"yes", "yes"}),
            "rows.csv: task 'y' has 1 different label; binary needs two");
  EXPECT_EQ(task_error({"5", "5"}, "y=classes"),
            "rows.csv: task 'y' has 1 labels; classes need 2 to 1000");
  Words many;
  for (int i = 0; i < 1001; ++i) many.push_back(std::string("w").append(std::to_string(i)));
  EXPECT_EQ(task_error(many, "y=classes"),
            "rows.csv: task 'y' has too many labels; classes need 2 to 1000");
  many.pop_back();
  EXPECT_EQ(task_of(many, "y=classes").labels.size(), 1000U);
}

// A slip of the pen is not a label.
TEST(MakeSchema, RefusesAWordAmongNumbers) {
  EXPECT_EQ(task_error({"1.5", "2", "3", "?", "-"}),
            "rows.csv, line 5: the target '?' of task 'y' is not a number, but most others are; "
            "leave it empty, or say --types y=classes");
  EXPECT_EQ(task_of({"1.5", "2", "?"}, "y=classes").labels.size(), 3U);
  EXPECT_EQ(task_of({"1", "?"}).kind, TaskKind::binary);
}

TEST(MakeSchema, StandardisesByMeanAndDeviationOfWhatIsThere) {
  const Schema schema = schema_of("x,y\n1,-2\n2,\n,4\n3,10.5\n6,7.5\n", wide("y"));
  EXPECT_EQ(schema.inputs[0].mean, 3.0);
  EXPECT_DOUBLE_EQ(schema.inputs[0].deviation, std::sqrt(3.5));  // (4 + 1 + 0 + 9) / 4
  EXPECT_EQ(schema.tasks[0].mean, 5.0);
  EXPECT_DOUBLE_EQ(schema.tasks[0].deviation, std::sqrt((49 + 1 + 30.25 + 6.25) / 4.0));
  EXPECT_EQ(schema.tasks[0].observed, 4);
}

TEST(MakeSchema, ConstantColumnsHaveDeviationOne) {
  const Schema schema = schema_of("x,y\n0.1,1e6\n0.1,1e6\n0.1,1e6\n", wide("y"));
  EXPECT_DOUBLE_EQ(schema.inputs[0].mean, 0.1);
  EXPECT_EQ(schema.inputs[0].deviation, 1.0);
  EXPECT_EQ(schema.tasks[0].deviation, 1.0);
}

TEST(MakeSchema, ColumnsThatAreTheSameInEveryRowAreLeftOut) {
  const std::string_view csv = "year,x,place,y\n2024,1,A,2\n2024,2,A,3.5\n2024,3,A,4\n";
  SchemaNotes notes;
  const Schema schema = schema_of(csv, wide("y", "year,x,place"), &notes);
  EXPECT_EQ(notes.constant, (Words{"year", "place"}));
  ASSERT_EQ(schema.inputs.size(), 1U);
  EXPECT_EQ(schema.inputs[0].name, "x");
  EXPECT_EQ(schema_of("a,b,y\n,1,2\n3,1,2\n4,2,1\n", wide("y")).inputs.size(), 2U);
  EXPECT_FALSE(notes.all_constant);
  // Nothing varies: then nothing is left out.
  schema_of("a,b,y\n1,2,3\n", wide("y"), &notes);
  EXPECT_TRUE(notes.all_constant);
  EXPECT_EQ(schema_of("a,b,y\n1,2,3\n", wide("y")).inputs.size(), 2U);
}

// Numbers with a unit, thousands separators, dates.
TEST(MakeSchema, RefusesTextThatHardlyRepeatsAsClasses) {
  Words prices, grades;
  for (int i = 0; i < 12; ++i) prices.push_back(fmt::format("${}.5", i % 11));
  for (int i = 0; i < 30; ++i) grades.push_back(fmt::format("g{}", i % 11));
  EXPECT_EQ(task_error(prices),
            "rows.csv, line 2: the target '$0.5' of task 'y' is not a number, and few others are "
            "the same; write plain numbers, or say --types y=classes");
  EXPECT_EQ(task_of(prices, "y=classes").labels.size(), 11U);
  EXPECT_EQ(task_of(grades).kind, TaskKind::classes);
}

TEST(MakeSchema, ZeroHasNoSign) { EXPECT_EQ(task_of({"0", "1", "-0"}).kind, TaskKind::binary); }

TEST(MakeSchema, LabelsAreNotStandardised) {
  const TaskColumn task = task_of({"1", "2", "2"});
  EXPECT_EQ(task.mean, 0.0);
  EXPECT_EQ(task.deviation, 1.0);
}

TEST(MakeSchema, TextIsLeftOutUnlessItIsNamed) {
  const std::string_view csv = "id,x,colour,y\nb1,1,red,2\na2,2,green,3.5\nc3,3,,4\n";
  SchemaNotes notes;
  Schema schema = schema_of(csv, wide("y"), &notes);
  EXPECT_EQ(notes.left_out, (Words{"id", "colour"}));
  EXPECT_EQ(schema.input_width(), 1);
  notes = {};
  schema = schema_of(csv, wide("y", "colour,x"), &notes);
  EXPECT_TRUE(notes.left_out.empty());
  ASSERT_EQ(schema.inputs.size(), 2U);
  EXPECT_FALSE(schema.inputs[0].text);
  EXPECT_TRUE(schema.inputs[1].text);
  EXPECT_EQ(schema.inputs[1].words, (Words{"green", "red"}));  // sorted
  EXPECT_EQ(schema.inputs[1].width(), 2);
  EXPECT_EQ(schema.input_width(), 3);
}

TEST(MakeSchema, RefusesTablesWithNothingToLearn) {
  EXPECT_EQ(error("x,y\n", wide("y")), "rows.csv: no rows");
  EXPECT_EQ(error("x,y\n1,\n2,\n", wide("y")), "rows.csv: task 'y' has no target");
  EXPECT_EQ(error("who,x,y\na,1,\nb,2,3.5\n", long_form("who", "y")),
            "rows.csv: task 'a' has no target");
  EXPECT_EQ(error("who,x,y\n,1,2\n,2,3\n", long_form("who", "y")),
            "rows.csv: column 'who' names no task");
  EXPECT_EQ(error("x,y\n,1.5\n,2\n", wide("y")),
            "rows.csv: column 'x' is empty; leave it out with --inputs");
  EXPECT_EQ(error("id,y\na,1.5\nb,2\n", wide("y")),
            "rows.csv: no column is left to be an input; inputs are all other columns of numbers, "
            "or those of --inputs");
}

TEST(MakeSchema, WordsOfAnInputAreFew) {
  std::string csv = "id,y\n";
  for (int i = 0; i < 501; ++i) csv.append("id").append(std::to_string(i)).append(",1.5\n");
  EXPECT_EQ(error(csv, wide("y", "id")),
            "rows.csv: column 'id' is text with 501 different words; as an input it may have 500 "
            "at most");
}

// What is in a schema goes into the model file, whose text is UTF-8.
TEST(MakeSchema, TextMustBeUtf8) {
  EXPECT_EQ(error("x,gr\xF6\xDF"
                  "e\n1,2\n",
                  wide("x")),
            "rows.csv: the name of column 2 is not UTF-8; save the table as UTF-8");
  for (const char* word : {"caf\xE9", "\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\x80"}) {
    EXPECT_EQ(error(std::string("x,y\n1,") + word + "\n2,b\n", wide("y")),
              "rows.csv: column 'y' has text that is not UTF-8; save the table as UTF-8");
  }
  EXPECT_EQ(task_of({"größe", "漢字", "😀"}).labels.size(), 3U);
}

TEST(MakeSchema, RefusesNumbersTooLargeToStandardise) {
  for (const char* x : {"1e308", "1e200"}) {
    const std::string csv = std::string("x,y\n") + x + ",1.5\n-" + x + ",2\n" + x + ",3\n";
    EXPECT_EQ(error(csv, wide("y")),
              "rows.csv: column 'x' has numbers too large to work with; scale it");
    EXPECT_EQ(error(csv, wide("x")),
              "rows.csv: task 'x' has numbers too large to work with; scale it");
  }
}

}  // namespace
}  // namespace mdgp
