// What an experiment found, as markdown, as JSON and as one HTML page: tables of scores with the
// paper's figures beside ours, a summary of who is ahead and by how much, times, intervals and
// figures. It copes with an experiment that is still running: cells without a fit are left open,
// and those with fewer runs than others, or failed ones, say so.
#pragma once

#include <string>
#include <vector>

#include "record.h"
#include "table.h"

namespace mdgp::experiments {

struct ScoreColumn {
  std::string name;   // in Record::scores
  std::string label;  // "NLPP"; "": the name
  bool lower_is_better = true;
  int decimals = 3;
};

struct PaperFigure {
  std::string score, model;
  Index size = 0;  // 0: of no size in particular
  double mean = 0.0, error = 0.0;
};

// What the best of our models shall reach.
struct Target {
  std::string score;
  Index size = 0;
  double value = 0.0;
};

struct IntervalColumn {
  std::string name;  // in Record::scores: the share of test targets inside
  double nominal = 0.0;
};

struct ReportOptions {
  std::string title;
  std::string command;  // shown beside the tables
  std::vector<ScoreColumn> scores;
  std::vector<PaperFigure> paper;
  std::vector<Target> targets;
  std::string size_label = "N";
  std::vector<std::string> notes;  // paragraphs at the top

  std::vector<std::string> ours = {"smdgp", "mmdgp", "cmdgp"};  // the best of them is compared
  std::string ours_label = "MDGP";
  std::vector<IntervalColumn> intervals = {
      {"inside50", 0.5}, {"inside80", 0.8}, {"inside95", 0.95}};
  double interval_tolerance = 0.03;
  std::string paper_times = "paper";  // heading of the paper's figures of bound_ms with size 0
  std::vector<std::string> hinton = {"mmdgp", "smdgp"};  // models
  std::vector<std::string> tasks;  // names; those that are not given are numbered
  // Where there is one size only: a column for every score rather than a table.
  bool side_by_side = false;
  std::vector<Section> more;  // the experiment's own, after the scores
};

struct Report {
  std::string markdown, html, json;
};

// Records of one variant; of several with the same model, size, run and settings the last counts.
// Rows are models, each once per settings; a test is made from six common runs on, below which it
// could not find anything at 5 %. Throws std::invalid_argument for records of several variants.
Report make_report(const std::vector<Record>& records, const ReportOptions& options);

// report.md, report.html and report.json; the folder is made where it is not there.
void write_report(const Report& report, const std::string& folder);

}  // namespace mdgp::experiments
