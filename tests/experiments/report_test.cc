#include "report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "figures.h"
#include "grid.h"
#include "mdgp/io/atomic_file.h"
#include "sarcos/paper_tables.h"
#include "summary.h"
#include "testing/not_finite.h"
#include "testing/text.h"

namespace mdgp::experiments {
namespace {

const ScoreColumn kNlpp{"nlpp", "NLPP"};

Record make_record(const std::string& model, Index size, int run, double nlpp) {
  Record r;
  r.experiment = "test";
  r.model = model;
  r.size = size;
  r.run = run;
  r.seconds = run + 1.0;
  r.scores["nlpp"] = nlpp;
  return r;
}

void add_runs(const std::string& model, Index size, const std::vector<double>& values,
              std::vector<Record>& records) {
  for (std::size_t run = 0; run < values.size(); ++run) {
    records.push_back(make_record(model, size, static_cast<int>(run), values[run]));
  }
}

Cell cell_of(const std::vector<double>& values) {
  std::map<int, double> by_run;
  for (std::size_t run = 0; run < values.size(); ++run) by_run[static_cast<int>(run)] = values[run];
  return make_cell(std::move(by_run), 0);
}

ReportOptions make_options() {
  ReportOptions options;
  options.title = "Test";
  options.scores = {kNlpp};
  return options;
}

// The line of the markdown that begins with the row's name, after the heading.
std::string markdown_row(const std::string& markdown, const std::string& heading,
                         const std::string& row) {
  const std::size_t section = markdown.find("## " + heading + "\n");
  if (section == std::string::npos) return "";
  const std::size_t begin = markdown.find("\n| " + row + " |", section);
  if (begin == std::string::npos) return "";
  return markdown.substr(begin + 1, markdown.find('\n', begin + 1) - begin - 1);
}

TEST(Grid, MeanAndStandardErrorOfRuns) {
  // Squares of the deviations from 3: 4 + 1 + 0 + 9 = 14; sqrt(14 / 3 / 4).
  const Cell cell = cell_of({1.0, 2.0, 3.0, 6.0});
  EXPECT_DOUBLE_EQ(cell.mean, 3.0);
  EXPECT_DOUBLE_EQ(cell.error, std::sqrt(14.0 / 12.0));
}

TEST(Grid, NotFiniteAndScorelessRunsFailed) {
  std::vector<Record> records;
  add_runs("a", 100, {1.0, kNaN, 3.0}, records);
  records.push_back(make_record("a", 100, 3, 0.0));
  records.back().scores.clear();
  const Grid grid(records, {});
  const Cell cell = grid.cell(0, 100, "nlpp");
  EXPECT_DOUBLE_EQ(cell.mean, 2.0);
  EXPECT_EQ(cell.failed, 2);
  // Not measured is not failed.
  EXPECT_EQ(grid.cell(0, 100, "rmse").failed, 1);
}

TEST(Grid, LastRecordOfARunCounts) {
  std::vector<Record> records;
  add_runs("a", 100, {1.0}, records);
  add_runs("a", 100, {2.0}, records);
  EXPECT_DOUBLE_EQ(Grid(records, {}).cell(0, 100, "nlpp").mean, 2.0);
}

TEST(Grid, RowsInTheOrderGivenThenByName) {
  std::vector<Record> records;
  for (const char* model : {"b", "a", "smdgp"}) add_runs(model, 100, {1.0}, records);
  const Grid grid(records, {"smdgp"});
  ASSERT_EQ(grid.rows().size(), 3U);
  EXPECT_EQ(grid.rows()[0].label, "smdgp");
  EXPECT_EQ(grid.rows()[1].label, "a");
  EXPECT_EQ(grid.rows()[2].label, "b");
}

TEST(Grid, SettingsMakeRowsOfTheirOwn) {
  std::vector<Record> records;
  add_runs("a", 100, {1.0}, records);
  add_runs("a", 100, {2.0}, records);
  records.back().settings = "paper";
  const Grid grid(records, {});
  ASSERT_EQ(grid.rows().size(), 2U);
  EXPECT_EQ(grid.rows()[0].label, "a");
  EXPECT_EQ(grid.rows()[1].label, "a [paper]");
}

TEST(BestRows, ThoseThatTheTestDoesNotTellFromTheBest) {
  const Cell best = cell_of({1.0, 2.0, 3.0, 4.0, 5.0, 6.0});
  // Always worse: 2 of 2^6 signs are as extreme, p = .03125.
  const Cell worse = cell_of({1.1, 2.2, 3.3, 4.4, 5.5, 6.6});
  // One run is better, by least: rank sums 1 and 20, p = 4 / 64 = .0625.
  const Cell close = cell_of({0.95, 2.2, 3.3, 4.4, 5.5, 6.6});
  EXPECT_DOUBLE_EQ(compare(best, worse).p, 2.0 / 64.0);
  EXPECT_DOUBLE_EQ(compare(best, close).p, 4.0 / 64.0);
  EXPECT_EQ(best_rows({best, worse, close}, true), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(best_rows({best, worse, close}, false), (std::vector<bool>{false, true, true}));
}

TEST(BestRows, BestAloneWhereRunsAreTooFewForATest) {
  const Cell a = cell_of({1.0, 2.0, 3.0}), b = cell_of({1.1, 1.9, 3.2});
  EXPECT_EQ(best_rows({a, b, cell_of({})}, true), (std::vector<bool>{true, false, false}));
}

// A model may be plain because it was not tested; the report says where that is so.
TEST(BestRows, ThoseThatCouldNotBeTestedAreNotToldToBeWorse) {
  std::vector<Record> records;
  add_runs("a", 100, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, records);
  add_runs("b", 100, {1.1, 1.9, 3.2, 4.1, 4.8, 6.1}, records);
  constexpr const char* kNote = "fewer than six runs in common";
  EXPECT_FALSE(contains(make_report(records, make_options()).markdown, kNote));
  add_runs("a", 200, {1.0, 2.0, 3.0}, records);
  add_runs("b", 200, {1.1, 1.9, 3.2}, records);
  EXPECT_TRUE(contains(make_report(records, make_options()).markdown, kNote));
}

TEST(BestRow, ComparesOnCommonRuns) {
  // b has the easy draws only: its mean is lower, yet on these a is better.
  const Cell a = cell_of({1.0, 1.0, 9.0}), b = cell_of({2.0, 2.0});
  ASSERT_LT(b.mean, a.mean);
  EXPECT_EQ(best_row({a, b}, {0, 1}, true), 0);
}

TEST(BestRow, LeavesOutWhatHasHardlyBegun) {
  const Cell a = cell_of({3.0, 1.0, 1.0, 1.0}), b = cell_of({2.0, 2.0, 2.0, 2.0});
  const Cell begun = cell_of({0.0});
  EXPECT_EQ(best_row({a, b, begun}, {0, 1, 2}, true), 0);  // on run 0 alone b would be ahead of a
}

TEST(BestRow, IsNotTheOneThatRanMost) {
  const Cell a = cell_of({3.0, 1.0, 1.0, 1.0}), begun = cell_of({2.0});
  EXPECT_EQ(best_row({a, begun}, {0, 1}, true), 1);
  EXPECT_EQ(best_row({a, make_cell({{7, 2.0}}, 0)}, {0, 1}, true), -1);
}

TEST(ExperimentReport, ScoreTableInMarkdown) {
  std::vector<Record> records;
  add_runs("smdgp", 100, {1.0, 2.0, 3.0, 6.0}, records);
  add_runs("igp", 100, {-2.0, 4.0, 5.0}, records);
  add_runs("igp", 200, {1.0, 2.0, kNaN, 3.0}, records);
  const std::string markdown = make_report(records, make_options()).markdown;
  // On the runs 0 to 2 that both have, smdgp's mean is 2 and igp's 7 / 3, with deviations -13/3,
  // 5/3 and 8/3 of squares 258 / 9: error sqrt(258 / 9 / 6) = 2.186.
  EXPECT_EQ(markdown_row(markdown, "NLPP", "smdgp"), "| smdgp | **3.000 (1.080)** | – |");
  EXPECT_EQ(markdown_row(markdown, "NLPP", "igp"), "| igp | 2.333 (2.186) | **2.000 (0.577)** |");
  EXPECT_TRUE(contains(markdown, "|  | 3 runs | 3 runs, 1 failed |"));
}

TEST(ExperimentReport, OneRunHasNoErrorAndNoTest) {
  std::vector<Record> records;
  add_runs("smdgp", 100, {-0.12}, records);
  add_runs("igp", 100, {0.5}, records);
  const Report report = make_report(records, make_options());
  EXPECT_EQ(markdown_row(report.markdown, "NLPP", "smdgp"), "| smdgp | **−0.120** |");
  EXPECT_EQ(markdown_row(report.markdown, "NLPP", "igp"), "| igp | 0.500 |");
  EXPECT_TRUE(contains(report.markdown, "too few for a test"));
}

TEST(ExperimentReport, PaperFiguresStandBelowOurs) {
  std::vector<Record> records;
  add_runs("smdgp", 100, {0.5}, records);
  ReportOptions options = make_options();
  options.paper = {{"nlpp", "smdgp", 100, 1.47, 0.26}, {"nlpp", "mann2", 100, 28.22, 5.39}};
  const Report report = make_report(records, options);
  EXPECT_TRUE(contains(report.html, "<strong>0.500</strong><small>paper 1.47 (0.26)</small>"));
  EXPECT_EQ(markdown_row(report.markdown, "NLPP", "mann2"), "| mann2 | paper 28.22 (5.39) |");
  EXPECT_EQ(markdown_row(report.markdown, "Against the paper: NLPP", "smdgp"),
            "| smdgp | **−0.970** |");
  EXPECT_FALSE(contains(report.markdown, "ahead of every other"));  // there is none
}

TEST(ExperimentReport, NamesAreEscaped) {
  const std::string hostile = "<script>alert('|')</script>";
  std::vector<Record> records;
  add_runs(hostile, 100, {1.0, 2.0}, records);
  for (Record& r : records) r.lists["calibration"] = std::vector<double>(19, 0.5);
  ReportOptions options = make_options();
  options.title = options.command = options.size_label = hostile;
  options.notes = {hostile};
  const Report report = make_report(records, options);
  EXPECT_FALSE(contains(report.html, "<script"));
  EXPECT_TRUE(contains(report.html, "&lt;script&gt;"));
  EXPECT_FALSE(contains(markdown_row(report.markdown, "NLPP", "&lt;script"), "<script"));
  EXPECT_TRUE(contains(report.markdown, "| &lt;script&gt;alert('\\|')&lt;/script&gt; |"));
}

TEST(ExperimentReport, NoRecordsGiveAPageThatSaysSo) {
  const Report report = make_report({}, make_options());
  EXPECT_TRUE(contains(report.html, "No fit is done yet."));
  EXPECT_TRUE(nlohmann::json::accept(report.json));
}

TEST(ExperimentReport, RefusesSeveralVariants) {
  std::vector<Record> records;
  add_runs("smdgp", 100, {1.0, 2.0}, records);
  records.back().variant = "paper";
  EXPECT_THROW(make_report(records, make_options()), std::invalid_argument);
}

TEST(ExperimentReport, JsonHasTheNumbers) {
  std::vector<Record> records;
  add_runs("smdgp", 100, {1.0, 2.0, 3.0, 6.0}, records);
  add_runs("igp", 100, {5.0}, records);
  const auto json = nlohmann::json::parse(make_report(records, make_options()).json);
  const auto& cells = json.at("scores").at("nlpp").at("cells");
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0].at("model"), "smdgp");
  EXPECT_DOUBLE_EQ(cells[0].at("mean").get<double>(), 3.0);
  EXPECT_DOUBLE_EQ(cells[0].at("error").get<double>(), std::sqrt(14.0 / 12.0));
  EXPECT_EQ(cells[0].at("runs"), 4);
  EXPECT_TRUE(cells[0].at("best").get<bool>());
  EXPECT_TRUE(cells[1].at("error").is_null());
  EXPECT_DOUBLE_EQ(json.at("fits")[0].at("seconds").get<double>(), 2.5);  // of 1, 2, 3, 4
}

TEST(ExperimentReport, WritesThreeFiles) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "mdgp_report_test" / "inner";
  std::filesystem::remove_all(folder.parent_path());
  write_report({"m", "h", "j"}, folder.string());
  EXPECT_EQ(read_whole_file((folder / "report.md").string()), "m");
  EXPECT_EQ(read_whole_file((folder / "report.html").string()), "h");
  EXPECT_EQ(read_whole_file((folder / "report.json").string()), "j");
  std::filesystem::remove_all(folder.parent_path());
}

TEST(Intervals, DifferencesFromNominal) {
  std::vector<Record> records;
  add_runs("smdgp", 100, {1.0}, records);
  records[0].scores["inside50"] = 0.52;
  records[0].scores["inside80"] = 0.77;
  records[0].scores["inside95"] = 0.94;
  ReportOptions options = make_options();
  options.interval_tolerance = 0.031;
  const std::string markdown = make_report(records, options).markdown;
  EXPECT_EQ(markdown_row(markdown, "Intervals", "smdgp"),
            "| smdgp | **52.0\u200277.0\u200294.0** |");
  EXPECT_TRUE(contains(markdown, "|  | +2.0\u2002−3.0\u2002−1.0 |"));
  options.interval_tolerance = 0.025;
  EXPECT_EQ(markdown_row(make_report(records, options).markdown, "Intervals", "smdgp"),
            "| smdgp | 52.0\u200277.0\u200294.0 |");
}

TEST(Summary, BestOfOursAgainstEveryOther) {
  std::vector<Record> records;
  add_runs("smdgp", 100, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, records);
  add_runs("mmdgp", 100, {2.0, 3.0, 4.0, 5.0, 6.0, 7.0}, records);
  add_runs("igp", 100, {1.1, 2.2, 3.3, 4.4, 5.5, 6.6}, records);
  add_runs("cgp", 100, {0.9, 3.2, 4.3, 5.4, 6.5, 7.6}, records);
  ReportOptions options = make_options();
  options.targets = {{"nlpp", 100, 3.4}};
  const Grid grid(records, options.ours);
  const SummaryRow row = summarise(grid, options, kNlpp).at(0);
  EXPECT_EQ(grid.rows().at(static_cast<std::size_t>(row.best)).label, "smdgp");
  EXPECT_EQ(grid.rows().at(static_cast<std::size_t>(row.other)).label, "igp");
  EXPECT_NEAR(row.against_other.difference, -0.35, 1e-12);
  EXPECT_DOUBLE_EQ(row.against_other.p, 2.0 / 64.0);
  EXPECT_TRUE(row.ahead);
  EXPECT_DOUBLE_EQ(row.largest_p, 4.0 / 64.0);  // cgp is better in one run
  EXPECT_FALSE(row.met);                        // 3.5
  const std::string markdown = make_report(records, options).markdown;
  EXPECT_TRUE(contains(markdown, "ahead of every other at every N; significantly"));
  EXPECT_TRUE(contains(markdown, "Target met at no N; missed at every N."));
}

TEST(Summary, TargetThatIsReachedExactlyIsMet) {
  std::vector<Record> records;
  add_runs("smdgp", 100, {3.0}, records);
  ReportOptions options = make_options();
  options.targets = {{"nlpp", 100, 3.0}};
  EXPECT_TRUE(summarise(Grid(records, {}), options, kNlpp).at(0).met);
}

TEST(Summary, NoSignificanceWhereSomeModelHasTooFewRuns) {
  std::vector<Record> records;
  add_runs("smdgp", 100, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, records);
  add_runs("igp", 100, {1.1, 2.2, 3.3, 4.4, 5.5, 6.6}, records);
  add_runs("cgp", 100, {7.0}, records);
  const SummaryRow row = summarise(Grid(records, {}), make_options(), kNlpp).at(0);
  EXPECT_TRUE(row.ahead);
  EXPECT_TRUE(std::isnan(row.largest_p));
}

TEST(Summary, PaperIsBeatenByALowerMean) {
  std::vector<Record> records;
  add_runs("smdgp", 100, {1.0}, records);
  add_runs("smdgp", 200, {1.0}, records);
  ReportOptions options = make_options();
  options.paper = {{"nlpp", "smdgp", 100, 1.2, 0.1}, {"nlpp", "smdgp", 200, 1.0, 0.1}};
  const auto rows = against_paper(Grid(records, {}), options, kNlpp);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_TRUE(rows[0].beaten);
  EXPECT_FALSE(rows[1].beaten);
}

TEST(HintonFigure, PrivateColumnsAreFolded) {
  Record r = make_record("mmdgp", 100, 0, 1.0);
  r.ard_columns = {"g0[0]", "h0[0]", "h0[1]", "h1[0]", "h1[1]", "x[0]"};
  r.ard_weights = {{0.1, 0.2, 0.3, kNaN, kNaN, 0.4}, {0.5, kNaN, kNaN, 0.6, 0.7, 0.8}};
  const HintonChart chart = hinton_chart(r, {"shoulder"});
  EXPECT_EQ(chart.columns, (std::vector<std::string>{"g0[0]", "h[0]", "h[1]", "x[0]"}));
  EXPECT_EQ(chart.rows, (std::vector<std::string>{"shoulder", "task 2"}));
  EXPECT_EQ(chart.group, (std::vector<int>{0, 1, 1, 2}));
  Matrix expected(2, 4);
  expected << 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8;
  EXPECT_EQ(chart.weights, expected);
}

TEST(HintonFigure, LargestSizeWithWeights) {
  std::vector<Record> records;
  add_runs("smdgp", 100, {1.0}, records);
  add_runs("smdgp", 200, {1.0}, records);
  add_runs("smdgp", 500, {1.0}, records);
  for (const std::size_t i : {0U, 1U}) {
    records[i].ard_columns = {"g0[0]", "g0[1]"};
    records[i].ard_weights = {{0.5, 0.5}};
  }
  const Section section = hinton_figures(Grid(records, {}), make_options());
  ASSERT_EQ(section.svgs.size(), 1U);
  EXPECT_TRUE(contains(section.svgs[0], "smdgp, N = 200, run 0"));
}

TEST(CalibrationFigure, MeanOverRuns) {
  std::vector<Record> records;
  add_runs("smdgp", 100, {1.0, 1.0, 1.0}, records);
  records[0].lists["calibration"] = std::vector<double>(19, 0.2);
  records[1].lists["calibration"] = std::vector<double>(19, 0.4);
  const std::vector<double> mean = mean_calibration(Grid(records, {}).runs(0, 100));
  ASSERT_EQ(mean.size(), 19U);
  EXPECT_DOUBLE_EQ(mean[7], 0.3);
}

TEST(SarcosPaper, TablesAreWhole) {
  const std::vector<PaperFigure> figures = sarcos_paper_figures();
  EXPECT_EQ(figures.size(), 10U * 6U * 3U + 6U);
  // Sums by hand over the columns of the paper's tables guard against a wrong digit.
  double nlpp = 0.0, rmse = 0.0, milliseconds = 0.0;
  for (const PaperFigure& f : figures) {
    if (f.score == "nlpp" && f.size == 5000) nlpp += f.mean;
    if (f.score == "rmse" && f.size == 1000) rmse += f.mean;
    if (f.score == "bound_ms") milliseconds += f.mean;
  }
  EXPECT_NEAR(nlpp, 3.30, 1e-9);
  EXPECT_NEAR(rmse, 4.60, 1e-9);
  EXPECT_NEAR(milliseconds, 36.51, 1e-9);
}

}  // namespace
}  // namespace mdgp::experiments
