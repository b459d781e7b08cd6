// Runs the fits of an experiment over the cores, each in a process of its own, and keeps what they
// scored: OUT/results.jsonl grows by a line with every fit that is done, so that an experiment that
// was stopped or killed goes on where it was. What is written does not depend on how many run at
// once, except the times.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "record.h"

namespace mdgp::experiments {

// What tells one fit from another.
struct Job {
  std::string experiment, variant, settings, model;
  Index size = 0;
  int run = 0;
  std::uint64_t seed = 1;

  auto operator<=>(const Job&) const = default;
};

Job job_of(const Record& record);
Record record_of(const Job& job);     // without scores yet
std::string name_of(const Job& job);  // "smdgp, N = 500, run 3": for messages

struct RunnerStatus {
  std::size_t done = 0, total = 0;  // fits; those of earlier calls count as done
  double seconds_left = 0.0;        // from fits that are done; NaN before each model has one
  std::string running;              // the fit that was started last
};

struct RunnerOptions {
  std::string out;                      // directory; it must be there
  int jobs = 1;                         // processes at once
  int threads = 0;                      // of each process; 0: as set_num_threads() left it
  std::string data = {}, program = {};  // checksums, for the records
  std::function<void(const RunnerStatus&)> progress = {};  // a few times a second
  std::function<bool()> stop = {};  // true: ends the fits that run, which are then not done
};

struct RunnerResult {
  std::vector<Record> records;  // of the jobs that are done, in the order of the jobs
  std::size_t found = 0;        // so many of them were done before this call
  std::vector<Record> failed;   // of this call, with what went wrong
  bool stopped = false;
};

using Fit = std::function<Record(const Job&)>;

// The records in a file, the last of each job; a last line that a kill tore is not one. None where
// there is no file. Throws FileError where another line is no record.
std::vector<Record> read_records(const std::string& path);

// Jobs that failed before are run again. The first run of every model and size comes first, after
// which it is known how long all will take; else larger ones do, so that none is left alone at the
// end. To be called before the process has any other thread (it forks): mdgp's own begin with the
// first parallel loop. Throws FileError where results.jsonl cannot be written, another process
// does, or its records of the same experiment and variant are of other data.
RunnerResult run_jobs(const std::vector<Job>& jobs, const Fit& fit, const RunnerOptions& options);

}  // namespace mdgp::experiments
