#include "mnist_report.h"

#include <fmt/format.h>

#include <array>
#include <set>

#include "claims.h"
#include "inducing_image.h"
#include "mdgp/report/bar_chart.h"
#include "mdgp/report/grey_image.h"
#include "mnist.h"
#include "paper_table.h"

namespace mdgp::experiments {
namespace {

constexpr std::array kColours = {"#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd",
                                 "#17becf", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22",
                                 "#393b79", "#ad494a", "#637939", "#000000"};

std::vector<std::string> notes(const std::string& variant) {
  std::vector<std::string> all = {
      "Three tasks of ten digits: standard (black ground), random (noise) and images (patches of "
      "photographs). N training images of each task, drawn anew in every run; tested on all test "
      "images of each. all is the mean over the tasks. Inputs are pixels, centred, in units of one "
      "deviation for all."};
  if (variant.starts_with("original")) {
    all.emplace_back("The original files of the variations on MNIST (Larochelle et al. 2007).");
    return all;
  }
  all.push_back(fmt::format(
      "{} by the published recipe: noise is uniform in 0 to 255; photographs are {}; patches whose "
      "standard deviation is below {:g} are passed over; digit and background are combined as "
      "max(digit, background).",
      variant.starts_with("drawn")
          ? "Digits and textures are drawn by rule, as no --data was given, and "
            "combined"
          : "The variations are rebuilt from MNIST",
      variant.starts_with("drawn") ? "textures"
                                   : fmt::format("the first {} of the file", kMostPhotographs),
      kLeastDeviation));
  if (variant.starts_with("rebuilt")) {
    all.emplace_back(
        "The paper's figures, on the original files, are comparable in kind, not "
        "number for number.");
  }
  return all;
}

// Each of the settings that the records have.
std::set<std::string> settings_of(const Grid& grid) {
  std::set<std::string> all;
  for (const GridRow& row : grid.rows()) all.insert(row.settings);
  return all;
}

Section claims_section(const Grid& grid) {
  Section section{"The paper's claims"};
  ReportTable table{{"claim", "comparison", "difference", "p", "verdict"}, {}};
  for (const std::string& settings : settings_of(grid)) {
    for (const Claim& claim : mnist_claims(grid, settings)) {
      section.paragraphs.push_back(
          fmt::format("{}{}: {}.", settings.empty() ? "" : fmt::format("{}: ", settings),
                      claim.text, claim.verdict()));
      for (const ClaimRow& row : claim.rows) {
        if (row.comparison.runs == 0) continue;
        table.rows.push_back({{row.task},
                              {fmt::format("{} − {}", row.model, row.other)},
                              {signed_number(row.comparison.difference, 3)},
                              {p_text(row.comparison.p)},
                              {row.holds ? "as claimed" : "not as claimed", row.holds}});
      }
    }
  }
  table.header.front() = "task";
  section.tables = {std::move(table)};
  return section;
}

Section bars_section(const Grid& grid) {
  constexpr std::array kScores = {"acc_standard", "acc_random", "acc_images", "accuracy"};
  BarChart chart;
  chart.title = "Accuracy";
  chart.y_label = "accuracy";
  chart.groups = {"standard", "random", "images", "all"};
  for (std::size_t row = 0; row < grid.rows().size(); ++row) {
    BarSeries series;
    series.label = grid.rows()[row].label;
    series.colour = kColours[row % kColours.size()];
    for (const char* score : kScores) {
      const Cell cell = grid.cell(row, grid.sizes().back(), score);
      series.value.push_back(cell.mean);
      series.error.push_back(cell.error);
    }
    chart.series.push_back(std::move(series));
  }
  return {"Accuracy by task and model",
          {"Means with standard errors over runs."},
          "",
          {},
          {to_svg(chart)}};
}

// Empty where no record has the images.
Section inducing_section(const std::vector<Record>& records) {
  Section section{
      "What training makes of an inducing image",
      {"Run 0 of mmdgp: an inducing image of the private process of the standard task, and the one "
       "of the shared process that was most like it before training (paper, figure 4)."}};
  for (const Record& record : records) {
    std::vector<GreyImage> images;
    for (const char* name : kInducingImages) {
      const auto found = record.lists.find(name);
      if (found == record.lists.end() || std::ssize(found->second) != kPixels) continue;
      std::string label = name;
      label.replace(label.find('_'), 1, ", ");
      images.push_back(
          {label, Eigen::Map<const Eigen::Matrix<double, kSide, kSide, Eigen::RowMajor>>(
                      found->second.data())});
    }
    if (!images.empty()) section.svgs.push_back(to_svg(images));
  }
  return section.svgs.empty() ? Section{} : section;
}

}  // namespace

Report mnist_report(const std::vector<Record>& records, const std::string& variant,
                    const std::string& command) {
  ReportOptions options;
  options.title = fmt::format("MNIST variations, {}", variant);
  options.command = command;
  options.scores = {{"accuracy", "all", false},
                    {"acc_standard", "standard", false},
                    {"acc_random", "random", false},
                    {"acc_images", "images", false},
                    {"log_loss", "log loss"}};
  if (!variant.starts_with("drawn")) options.paper = mnist_paper_figures();
  if (variant.starts_with("rebuilt")) options.targets = {{"accuracy", 1000, 0.85}};
  options.notes = notes(variant);
  options.side_by_side = true;
  for (const char* task : kMnistTasks) options.tasks.emplace_back(task);
  const Grid grid(records, mnist_models());
  if (!grid.sizes().empty()) {
    options.more = {claims_section(grid), bars_section(grid)};
    if (Section images = inducing_section(records); !images.svgs.empty()) {
      options.more.push_back(std::move(images));
    }
  }
  return make_report(records, options);
}

}  // namespace mdgp::experiments
