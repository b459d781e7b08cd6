#include "mnist/mnist_report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "mnist/claims.h"
#include "mnist/inducing_image.h"
#include "mnist/mnist.h"
#include "mnist/paper_table.h"
#include "testing/text.h"

namespace mdgp::experiments {
namespace {

// Ten runs of a model with these accuracies, a little different in each.
void add_model(const std::string& model, double standard, double random, double images,
               std::vector<Record>& records, int runs = 10) {
  for (int run = 0; run < runs; ++run) {
    const double more = 0.001 * run * (1.0 + standard + random);  // no two differences alike
    Record r;
    r.experiment = "mnist";
    r.variant = "rebuilt";
    r.model = model;
    r.size = kMnistSize;
    r.run = run;
    r.scores = {{"acc_standard", standard + more},
                {"acc_random", random + 1.1 * more},
                {"acc_images", images + 1.2 * more},
                {"accuracy", (standard + random + images) / 3.0 + more},
                {"log_loss", 1.0 - standard}};
    records.push_back(r);
  }
}

std::vector<Record> as_in_the_paper() {
  std::vector<Record> records;
  add_model("smdgp", 0.89, 0.64, 0.78, records);
  add_model("mmdgp", 0.87, 0.61, 0.74, records);
  add_model("cmdgp", 0.80, 0.61, 0.70, records);
  add_model("idgp", 0.85, 0.18, 0.19, records);
  add_model("igp", 0.87, 0.19, 0.21, records);
  return records;
}

std::vector<std::string> verdicts(const std::vector<Record>& records) {
  const Grid grid(records, {});
  std::vector<std::string> all;
  for (const Claim& claim : mnist_claims(grid, "")) all.push_back(claim.verdict());
  return all;
}

TEST(MnistClaims, HoldOnThePapersOwnFigures) {
  EXPECT_EQ(verdicts(as_in_the_paper()), std::vector<std::string>(3, "holds"));
  const std::vector<Record> records = as_in_the_paper();
  const Grid grid(records, {});
  const std::string line = to_line(mnist_claims(grid, "")[0]);
  EXPECT_TRUE(line.starts_with("holds: The multi-task deep models transfer"));
  EXPECT_TRUE(contains(line, "smdgp − idgp on random +0.462, p 0.002")) << line;
}

TEST(MnistClaims, FailWhereOneComparisonDoes) {
  std::vector<Record> records = as_in_the_paper();
  std::erase_if(records, [](const Record& r) { return r.model == "cmdgp"; });
  add_model("cmdgp", 0.86, 0.61, 0.15, records);
  EXPECT_EQ(verdicts(records),
            (std::vector<std::string>{"does not hold", "holds", "does not hold"}));
}

TEST(MnistClaims, NegativeTransferOfMmdgpIsSeen) {
  std::vector<Record> records = as_in_the_paper();
  for (Record& r : records) {
    if (r.model == "mmdgp") r.scores["acc_standard"] -= 0.1;
  }
  EXPECT_EQ(verdicts(records)[1], "does not hold");
}

TEST(MnistClaims, FewRunsCountBySign) {
  std::vector<Record> records;
  add_model("cmdgp", 0.80, 0.6, 0.6, records, 2);
  add_model("idgp", 0.85, 0.6, 0.6, records, 2);
  EXPECT_EQ(verdicts(records)[2], "holds");
}

TEST(MnistClaims, AreNotTestedWithoutTheModels) {
  std::vector<Record> records;
  add_model("smdgp", 0.89, 0.64, 0.78, records);
  add_model("mmdgp", 0.89, 0.64, 0.78, records);
  EXPECT_EQ(verdicts(records)[1], "not tested (no runs of idgp)");
}

TEST(MnistPaper, MeansOfTheTasksAreTheMeansOfAll) {  // to the two digits of the paper
  std::map<std::string, double> sum, all;
  for (const PaperFigure& f : mnist_paper_figures()) {
    (f.score == "accuracy" ? all[f.model] : sum[f.model]) += f.mean;
  }
  EXPECT_EQ(all.size(), 10U);
  for (const auto& [model, mean] : all) EXPECT_NEAR(sum[model] / 3.0, mean, 0.011) << model;
}

TEST(MnistReport, HasClaimsScoresAndFigures) {
  std::vector<Record> records = as_in_the_paper();
  for (const char* name : kInducingImages) {
    records[10].lists[name] = std::vector<double>(kPixels, 0.5);
  }
  const Report report = mnist_report(records, "rebuilt", "mdgp experiment mnist");
  EXPECT_TRUE(contains(report.markdown, "| model | all | standard | random | images | log loss |"));
  EXPECT_TRUE(contains(report.markdown, "worse than idgp: holds."));
  EXPECT_TRUE(contains(report.markdown, "max(digit, background)"));
  EXPECT_TRUE(contains(report.markdown, "paper 0.78 (0.00)"));
  EXPECT_TRUE(contains(report.html, "Accuracy by task and model"));
  EXPECT_TRUE(contains(report.html, "aria-label=\"Bars: Accuracy\""));
  EXPECT_TRUE(contains(report.html, "private, after"));
  EXPECT_FALSE(contains(report.html, "Scores against N"));  // there is one N
  const auto json = nlohmann::json::parse(report.json);
  EXPECT_EQ(json["more"][0]["heading"], "The paper's claims");
  EXPECT_EQ(json["scores"].size(), 5U);
}

TEST(MnistReport, DrawnDigitsAreNotComparedWithThePaper) {
  std::vector<Record> records = as_in_the_paper();
  for (Record& r : records) r.variant = "drawn";
  const Report report = mnist_report(records, "drawn", "");
  EXPECT_FALSE(contains(report.markdown, "paper 0.78"));
  EXPECT_TRUE(contains(report.markdown, "drawn by rule"));
}

// A model of two processes whose inducing images are known.
TEST(MnistInducingImages, TheNearestPairIsTaken) {
  MnistDraw d;
  d.pixel_mean = Vector::Constant(kPixels, 0.25);
  d.pixel_deviation = 0.5;
  ModelSpec spec =
      default_spec("mmdgp", kPixels, std::vector<TaskSpec>(3, {"softmax", 10}), 2, 4, 3);
  Model before = make_model(spec);
  for (const Process& process : before.cascade.layers.front().processes) {
    View z = before.parameters.view(process.Z);
    for (Index m = 0; m < z.rows(); ++m) {
      z.row(m).setConstant(static_cast<double>(m) + (process.shared() ? 1.9 : 0.0));
    }
  }
  Model after = before;
  after.parameters.values.array() += 1.0;
  // 0, 1, 2 against 1.9, 2.9, 3.9: the nearest are 2 and 1.9.
  const auto images = inducing_images(d, before, after);
  ASSERT_EQ(images.size(), 4U);
  EXPECT_EQ(images.at("private_before"), std::vector<double>(kPixels, 1.25));
  EXPECT_EQ(images.at("private_after"), std::vector<double>(kPixels, 1.75));
  EXPECT_EQ(images.at("shared_before"), std::vector<double>(kPixels, 1.2));
  EXPECT_EQ(images.at("shared_after"), std::vector<double>(kPixels, 1.7));
  spec.model = "smdgp";
  spec = default_spec("smdgp", kPixels, spec.tasks, 2, 4, 3);
  const Model other = make_model(spec);
  EXPECT_TRUE(inducing_images(d, other, other).empty());
}

// --- Fits --------------------------------------------------------------------------------------

TEST(MnistFits, AModelOfFewImagesBeatsGuessing) {
  MnistData data = draw_mnist();
  LabelledImages& test = data.test.front();  // fewer: the fit is what takes time
  test.images.count = 100;
  test.images.pixels.resize(100 * kPixels);
  test.labels.resize(100);
  const Job job{"mnist", "drawn", "", "smdgp", 40, 0, 1};
  const Record a = fit_mnist(data, job, {.samples = 5, .steps = 3});
  const Record b = fit_mnist(data, job, {.samples = 5, .steps = 3});
  EXPECT_EQ(a.scores, b.scores);
  EXPECT_GT(a.scores.at("acc_standard"), 0.5);
  EXPECT_NEAR(
      a.scores.at("accuracy"),
      (a.scores.at("acc_standard") + a.scores.at("acc_random") + a.scores.at("acc_images")) / 3.0,
      1e-12);
  EXPECT_EQ(a.lists.at("log_loss_by_task").size(), 3U);
}

TEST(MnistFits, SettingsOfThePaperArePixels) {
  EXPECT_EQ(mnist_settings("smdgp", "paper-mnist", 3).components, 0);
  EXPECT_EQ(mnist_settings("smdgp", "paper-mnist", 3).fit.preset, "paper-mnist");
  EXPECT_EQ(*mnist_settings("smdgp", "", 3).fit.model, "smdgp");
  EXPECT_EQ(mnist_settings("smdgp", "", 3).fit.seed, 3U);
}

}  // namespace
}  // namespace mdgp::experiments
