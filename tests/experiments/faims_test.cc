#include "faims/faims.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <set>

#include "faims/faims_report.h"
#include "faims/paper_table.h"
#include "faims/simulate.h"
#include "mdgp/io/atomic_file.h"
#include "testing/temporary_folder.h"

namespace mdgp::experiments {
namespace {

using fixture::TemporaryFolder;

struct Line {
  std::string id;
  double recording, status;
  std::string features;
};

// Ten subjects, every second one a case; a feature that says so, and one that says who.
std::vector<Line> some_lines() {
  std::vector<Line> lines;
  for (int s = 0; s < 10; ++s) {
    for (int run = 1; run <= 3; ++run) {
      lines.push_back({fmt::format("S{}", s), static_cast<double>(run), static_cast<double>(s % 2),
                       fmt::format("{},{}", s % 2 + 0.1 * run, s)});
    }
  }
  return lines;
}

void write_study(const TemporaryFolder& folder, const std::vector<Line>& lines,
                 const std::string& header = "ID,Recording,Status,Gender,a,b") {
  std::ofstream file(folder.file("parkinson_replicated.csv"));
  file << header << '\n';
  for (const Line& l : lines) {
    file << fmt::format("{},{},{},1,{}\n", l.id, l.recording, l.status, l.features);
  }
}

TEST(FaimsData, TheStudyIsReadBySubject) {
  TemporaryFolder folder;
  std::vector<Line> lines = some_lines();
  std::reverse(lines.begin(), lines.end());
  write_study(folder, lines);
  const FaimsData data = load_parkinson(folder.file(""), "--data");
  EXPECT_EQ(data.origin, "parkinson");
  EXPECT_EQ(data.features, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(data.label.size(), 10U);
  for (int run = 0; run < 3; ++run) {
    const Matrix& x = data.x[static_cast<std::size_t>(run)];
    ASSERT_EQ(x.rows(), 10);
    for (Index i = 0; i < 10; ++i) {
      const int subject = static_cast<int>(x(i, 1));
      EXPECT_EQ(data.label[static_cast<std::size_t>(i)], subject % 2);
      EXPECT_NEAR(x(i, 0), subject % 2 + 0.1 * (run + 1), 1e-12);
    }
  }
}

std::string refusal(const std::function<void(std::vector<Line>&)>& change,
                    const std::string& header = "ID,Recording,Status,Gender,a,b") {
  TemporaryFolder folder;
  std::vector<Line> lines = some_lines();
  change(lines);
  write_study(folder, lines, header);
  try {
    load_parkinson(folder.file(""), "--data");
  } catch (const std::invalid_argument& e) {
    const std::string what = e.what(), name = "parkinson_replicated.csv";
    EXPECT_EQ(what.find('\n'), std::string::npos);
    const std::size_t at = what.find(name);
    return at == std::string::npos ? what : what.substr(at + name.size());
  }
  return "read";
}

TEST(FaimsData, WhatIsWrongIsSaidInALine) {
  const auto nothing = [](std::vector<Line>&) {};
  EXPECT_EQ(refusal(nothing), "read");
  EXPECT_EQ(refusal(nothing, "ID,Recording,Statu,Gender,a,b"),
            ": there is no column 'Status'; did you mean 'Statu'?; it must have ID, Recording, "
            "Status and columns of features");
  EXPECT_EQ(refusal([](auto& l) { l.erase(l.begin() + 4); }),
            ": subject 'S1' has no recording 2; every subject must have recordings 1 to 3");
  EXPECT_EQ(refusal([](auto& l) { l[4].status = 2; }),
            ", line 6: Status is 2, but must be a whole number from 0 to 1");
  EXPECT_EQ(refusal([](auto& l) { l[4].status = 0; }),
            ", line 6: Status of subject 'S1' is 0, but was 1 in another recording");
  EXPECT_EQ(refusal([](auto& l) { l[4].recording = 4; }),
            ", line 6: Recording is 4, but must be a whole number from 1 to 3");
  EXPECT_EQ(refusal([](auto& l) { l[4].recording = 1; }),
            ", line 6: a second recording 1 of subject 'S1'");
  EXPECT_EQ(refusal([](auto& l) { l[4].features = "1,"; }), ", line 6: no number in column 'b'");
  EXPECT_EQ(refusal([](auto& l) { l[4].id = ""; }), ", line 6: no ID");
  EXPECT_EQ(refusal([](auto& l) {
              std::erase_if(l, [](const Line& line) { return line.recording == 3; });
            }),
            ": no row has Recording 3");
  EXPECT_EQ(refusal([](auto& l) { l.clear(); }), ": no rows");
  EXPECT_EQ(refusal([](auto& l) { l.resize(3); }),
            ": 1 subjects with Status 0, but must have at least 4");
}

TEST(FaimsData, AFolderWithoutTheStudy) {
  TemporaryFolder folder;
  EXPECT_THROW(load_parkinson(folder.file(""), "--data"), FileError);
  EXPECT_THROW(load_parkinson(folder.file("none"), "--data"), FileError);
}

TEST(FaimsSimulation, HasTheStudysForm) {
  const FaimsData data = simulate_faims(1);
  EXPECT_EQ(data.label.size(), 125U);
  EXPECT_EQ(std::count(data.label.begin(), data.label.end(), 1), 48);
  EXPECT_EQ(static_cast<Index>(data.features.size()), kFields * kVoltages);
  double before = 1e300;
  for (const Matrix& x : data.x) {
    ASSERT_TRUE(x.allFinite());
    EXPECT_EQ(x.cols(), kFields * kVoltages);
    // Sparse: most of a spectrum is noise; and it decays from run to run.
    EXPECT_LT((x.array().abs() > 0.1).cast<double>().mean(), 0.5);
    EXPECT_LT(x.array().abs().mean(), before);
    before = x.array().abs().mean();
  }
  EXPECT_EQ(simulate_faims(1).x[1], data.x[1]);
  const FaimsData other = simulate_faims(2);
  EXPECT_NE(other.label, data.label);
  EXPECT_NE(other.x[1], data.x[1]);
}

// Its numbers are such that the test rows of a draw can be told.
FaimsData small_study() {
  FaimsData data;
  data.origin = "simulated";
  for (int s = 0; s < 40; ++s) data.label.push_back(s < 12 ? 1 : 0);
  data.features = {"a", "b", "c", "d"};
  for (std::size_t run = 0; run < 3; ++run) {
    data.x[run].resize(40, 4);
    for (Index i = 0; i < 40; ++i) {
      const auto v = static_cast<double>(i) + 0.3 * static_cast<double>(run);
      data.x[run].row(i) << v, std::sin(3.0 * v), std::cos(5.0 * v),
          (i < 12 ? 1.0 : 0.0) + 0.5 * std::sin(11.0 * v);
    }
  }
  return data;
}

TEST(FaimsDrawTest, SplitsSubjectsNotRows) {
  const FaimsData data = small_study();
  EXPECT_EQ(training_subjects(12, 28), 8 + 20);
  const FaimsDraw d = draw(data, "none", 20, 0, 1);
  EXPECT_EQ(d.train.x.rows(), 3 * 28);
  EXPECT_EQ(std::count(d.test_label.begin(), d.test_label.end(), 1), 4);
  EXPECT_EQ(d.test_label.size(), 12U);
  // Back in its units, the first feature tells the subject.
  const InputColumn& first = d.schema.inputs.front();
  const auto subject = [&](double x, int run) {
    return std::lround(x * first.deviation + first.mean - 0.3 * run);
  };
  std::set<long> train, test;
  for (const Observation& o : d.train.observations) {
    const long s = subject(d.train.x(o.row, 0), o.task);
    train.insert(s);
    EXPECT_EQ(o.y, data.label[static_cast<std::size_t>(s)]);
  }
  for (int run = 0; run < 3; ++run) {
    for (std::size_t i = 0; i < d.test_label.size(); ++i) {
      const long s =
          subject(d.test_x[static_cast<std::size_t>(run)](static_cast<Index>(i), 0), run);
      test.insert(s);
      EXPECT_EQ(d.test_label[i], data.label[static_cast<std::size_t>(s)]);
    }
  }
  EXPECT_EQ(train.size(), 28U);
  EXPECT_EQ(test.size(), 12U);
  for (const long s : test) EXPECT_FALSE(train.contains(s));
  EXPECT_NE(draw(data, "none", 20, 1, 1).train.x, d.train.x);
}

TEST(FaimsDrawTest, TheMapDoesNotSeeTheTestSubjects) {
  const FaimsData data = small_study();
  const FaimsDraw d = draw(data, "sparse-pca", 3, 0, 1);
  EXPECT_EQ(d.train.x.cols(), 3);
  EXPECT_EQ(d.schema.input_width(), 3);
  // With other numbers for one test subject the training rows stay as they are.
  const FaimsDraw plain = draw(data, "none", 3, 0, 1);
  const InputColumn& first = plain.schema.inputs.front();
  const auto tested =
      static_cast<Index>(std::lround(plain.test_x[0](0, 0) * first.deviation + first.mean));
  FaimsData other = data;
  for (Matrix& x : other.x) x.row(tested).setConstant(1e3);
  const FaimsDraw changed = draw(other, "sparse-pca", 3, 0, 1);
  EXPECT_EQ(changed.train.x, d.train.x);
  EXPECT_EQ(changed.schema.projection, d.schema.projection);
  EXPECT_NE(changed.test_x[0], d.test_x[0]);
}

TEST(FaimsFit, ScoresEveryRun) {
  const FaimsData data = small_study();
  FaimsOptions options;
  options.components = 3;
  options.steps = 200;
  const Job job{"faims", "simulated", "", "igp", training_subjects(12, 28), 0, 1};
  const Record record = fit_faims(data, job, options);
  double sum = 0.0;
  for (const char* name : {"auc1", "auc2", "auc3"}) {
    EXPECT_GE(record.scores.at(name), 0.0);
    EXPECT_LE(record.scores.at(name), 1.0);
    sum += record.scores.at(name) / 3.0;
  }
  EXPECT_NEAR(record.scores.at("auc"), sum, 1e-12);
  EXPECT_GT(record.scores.at("auc"), 0.5);  // the fourth feature tells cases
  EXPECT_EQ(record.ard_columns.size(), 3U);
  EXPECT_EQ(fit_faims(data, job, options).scores, record.scores);
}

Record scored(const char* model, int run, double auc) {
  Record r;
  r.experiment = "faims";
  r.variant = "simulated";
  r.model = model;
  r.size = 88;
  r.run = run;
  for (const char* name : {"auc", "auc1", "auc2", "auc3"}) r.scores[name] = auc;
  return r;
}

TEST(FaimsReport, ClaimsHoldOrDoNot) {
  const std::vector<Record> records = {scored("smdgp", 0, 0.8), scored("smdgp", 1, 0.7),
                                       scored("mmdgp", 0, 0.6), scored("idgp", 0, 0.7),
                                       scored("idgp", 1, 0.7),  scored("igp", 0, 0.5)};
  EXPECT_EQ(
      faims_claims(records, ""),
      (std::vector<std::string>{"mdgp models over idgp: smdgp +0.050, mmdgp −0.100: does not hold",
                                "mdgp models over igp: smdgp +0.300, mmdgp +0.100: holds"}));
  EXPECT_TRUE(faims_claims({}, "").empty());
  const Report report = faims_report(records, "simulated", "mdgp experiment faims");
  EXPECT_NE(report.markdown.find("paper 0.73 (0.03)"), std::string::npos);  // smdgp, run 1
  EXPECT_NE(report.markdown.find("does not hold"), std::string::npos);
}

TEST(FaimsReport, ClaimsOfEachOfTheSettings) {
  std::vector<Record> records = {scored("smdgp", 0, 0.8), scored("idgp", 0, 0.7)};
  for (Record r : {scored("smdgp", 0, 0.5), scored("idgp", 0, 0.6)}) {
    r.settings = "paper-faims";
    records.push_back(r);
  }
  const Report report = faims_report(records, "simulated", "mdgp experiment faims");
  for (const char* line : {"\n\nmdgp models over idgp: smdgp +0.100: holds.",
                           "paper-faims: mdgp models over idgp: smdgp −0.100: does not hold."}) {
    EXPECT_NE(report.markdown.find(line), std::string::npos) << line;
  }
}

TEST(FaimsReport, ThePapersRows) {
  const std::vector<PaperFigure> figures = faims_paper_figures(88);
  EXPECT_EQ(figures.size(), 44U);
  // "All" is the mean of the three, up to the paper's rounding.
  for (std::size_t i = 0; i < figures.size(); i += 4) {
    const double mean = (figures[i].mean + figures[i + 1].mean + figures[i + 2].mean) / 3.0;
    EXPECT_NEAR(figures[i + 3].mean, mean, 0.011) << figures[i].model;
  }
}

}  // namespace
}  // namespace mdgp::experiments
