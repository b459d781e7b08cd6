#include "faims_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <set>

#include "grid.h"
#include "paper_table.h"
#include "table.h"

namespace mdgp::experiments {
namespace {

constexpr const char* kOurs[] = {"smdgp", "mmdgp", "cmdgp"};
constexpr const char* kOthers[] = {"idgp", "cgp", "igp", "irf"};

// The auc of a model by its run.
Cell auc_of(const std::vector<Record>& records, const std::string& settings,
            const std::string& model) {
  std::map<int, double> values;
  for (const Record& r : records) {
    const auto found = r.scores.find("auc");
    if (r.model == model && r.settings == settings && found != r.scores.end() &&
        std::isfinite(found->second)) {
      values[r.run] = found->second;
    }
  }
  return make_cell(std::move(values), 0);
}

std::vector<std::string> notes(const std::string& variant) {
  const std::string protocol =
      "Three binary tasks, one per run of the instrument; 70 % of the subjects to train on and 30 "
      "% "
      "to test on, cases and controls in the same share. Features are standardised and reduced to "
      "20 components by sparse PCA on the training subjects.";
  if (variant == "simulated") {
    return {
        "Simulated FAIMS studies, one for each run, in place of the paper's, which is not public "
        "(docs/experiments.md). The paper's figures stand beside ours for orientation only.",
        protocol};
  }
  return {
      "Parkinson's disease from three voice recordings of each subject (UCI 489), in place of "
      "the paper's FAIMS study, which is not public. The paper's figures stand beside ours for "
      "orientation only.",
      protocol};
}

}  // namespace

std::vector<std::string> faims_claims(const std::vector<Record>& records,
                                      const std::string& settings) {
  std::vector<std::string> lines;
  for (const char* other : kOthers) {
    const Cell theirs = auc_of(records, settings, other);
    std::vector<std::string> parts;
    bool holds = true;
    for (const char* model : kOurs) {
      const Comparison c = compare(auc_of(records, settings, model), theirs);
      if (c.runs == 0) continue;
      holds = holds && c.difference > 0.0;
      parts.push_back(fmt::format("{} {}", model, signed_number(c.difference, 3)));
    }
    if (parts.empty()) continue;
    lines.push_back(fmt::format("mdgp models over {}: {}: {}", other, fmt::join(parts, ", "),
                                holds ? "holds" : "does not hold"));
  }
  return lines;
}

namespace {

// Of each of the settings that the records have.
void add_claims(const std::vector<Record>& records, std::vector<std::string>& notes) {
  std::set<std::string> all;
  for (const Record& r : records) all.insert(r.settings);
  for (const std::string& settings : all) {
    const std::string whose = settings.empty() ? "" : fmt::format("{}: ", settings);
    for (const std::string& claim : faims_claims(records, settings)) {
      notes.push_back(fmt::format("{}{}.", whose, claim));
    }
  }
}

}  // namespace

Report faims_report(const std::vector<Record>& records, const std::string& variant,
                    const std::string& command) {
  ReportOptions options;
  options.title = fmt::format("FAIMS, {}", variant);
  options.command = command;
  options.scores = {{"auc", "all", false},
                    {"auc1", "run 1", false},
                    {"auc2", "run 2", false},
                    {"auc3", "run 3", false},
                    {"log_loss", "log loss"}};
  if (variant == "parkinson" && !records.empty()) {
    options.targets = {{"auc", records.front().size, 0.85}};
  }
  options.paper = faims_paper_figures(records.empty() ? 0 : records.front().size);
  options.size_label = "subjects";
  options.side_by_side = true;
  options.notes = notes(variant);
  add_claims(records, options.notes);
  options.tasks = {"run 1", "run 2", "run 3"};
  return make_report(records, options);
}

}  // namespace mdgp::experiments
