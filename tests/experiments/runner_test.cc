#include "runner.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "mdgp/io/atomic_file.h"
#include "testing/temporary_folder.h"

namespace mdgp::experiments {
namespace {

using fixture::TemporaryFolder;

std::vector<Job> some_jobs(int runs) {
  std::vector<Job> jobs;
  for (const char* model : {"a", "b"}) {
    for (int run = 0; run < runs; ++run) jobs.push_back({"test", "", "", model, 10 + run, run, 1});
  }
  return jobs;
}

// Work whose result tells which job it was.
Record worked(const Job& job) {
  Record record = record_of(job);
  record.scores["rmse"] = static_cast<double>(job.size) + (job.model == "a" ? 0.0 : 0.5);
  return record;
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

struct Here {
  TemporaryFolder folder;
  std::string results = folder.file("results.jsonl");
  RunnerOptions options{.out = folder.file("")};
};

// A fit that must not be called.
Record forbidden(const Job& job) { throw std::logic_error(name_of(job)); }

TEST(Runner, RunsEveryJobOnce) {
  Here here;
  here.options.jobs = 3;
  std::vector<Job> jobs = some_jobs(4);
  jobs.push_back(jobs.front());
  const RunnerResult result = run_jobs(jobs, worked, here.options);
  ASSERT_EQ(result.records.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(job_of(result.records[i]), jobs[i]);
    EXPECT_EQ(result.records[i].scores, worked(jobs[i]).scores);
  }
  EXPECT_EQ(read_records(here.results).size(), 8U);
}

TEST(Runner, BeginsWithOneRunOfEverySize) {
  Here here;
  std::vector<Job> jobs;
  for (const Index size : {10, 20}) {
    for (int run = 0; run < 3; ++run) jobs.push_back({"test", "", "", "a", size, run, 1});
  }
  std::vector<std::string> started;
  here.options.progress = [&](const RunnerStatus& status) {
    if (started.empty() || started.back() != status.running) started.push_back(status.running);
  };
  run_jobs(jobs, worked, here.options);
  const std::vector<std::string> order = {"a, N = 20, run 0", "a, N = 10, run 0",
                                          "a, N = 20, run 1", "a, N = 20, run 2",
                                          "a, N = 10, run 1", "a, N = 10, run 2"};
  EXPECT_EQ(started, order);
}

TEST(Runner, DoesNotRepeatWhatIsDone) {
  Here here;
  run_jobs(some_jobs(2), worked, here.options);
  const std::string before = text_of(here.results);
  const RunnerResult again = run_jobs(some_jobs(2), forbidden, here.options);
  EXPECT_EQ(again.records.size(), 4U);
  EXPECT_EQ(again.found, 4U);
  EXPECT_TRUE(again.failed.empty());
  EXPECT_EQ(text_of(here.results), before);
}

TEST(Runner, RunsOnlyWhatIsNew) {
  Here here;
  run_jobs(some_jobs(2), worked, here.options);
  const RunnerResult more = run_jobs(some_jobs(3), worked, here.options);
  EXPECT_EQ(more.records.size(), 6U);
  EXPECT_EQ(more.found, 4U);
}

TEST(Runner, RunsATornLineAgain) {
  Here here;
  run_jobs(some_jobs(2), worked, here.options);
  const std::string whole = text_of(here.results);
  for (const std::size_t cut : {std::size_t{1}, std::size_t{20}}) {
    std::ofstream(here.results) << whole.substr(0, whole.size() - cut);
    EXPECT_EQ(read_records(here.results).size(), 3U);
    EXPECT_EQ(run_jobs(some_jobs(2), worked, here.options).records.size(), 4U);
    EXPECT_EQ(text_of(here.results), whole);
  }
}

TEST(Runner, RefusesALineThatIsNoRecord) {
  Here here;
  std::ofstream(here.results) << "{}\n" << to_json(worked(some_jobs(1)[0])) << "\n";
  EXPECT_THROW(run_jobs(some_jobs(1), forbidden, here.options), FileError);
}

TEST(Runner, KeepsWhatWentWrongAndGoesOn) {
  Here here;
  const Fit fit = [](const Job& job) {
    if (job == some_jobs(3)[1]) throw std::runtime_error("it went wrong");
    if (job == some_jobs(3)[2]) raise(SIGKILL);
    if (job == some_jobs(3)[3]) _exit(7);
    return worked(job);
  };
  const RunnerResult result = run_jobs(some_jobs(3), fit, here.options);
  EXPECT_EQ(result.records.size(), 3U);
  ASSERT_EQ(result.failed.size(), 3U);
  EXPECT_EQ(result.failed[0].error, "it went wrong");
  EXPECT_EQ(result.failed[1].error, "ended by signal 9 (Killed)");
  EXPECT_EQ(result.failed[2].error, "ended with code 7");
  // Tried again by the next call, whose records then stand.
  EXPECT_EQ(run_jobs(some_jobs(3), worked, here.options).records.size(), 6U);
  for (const Record& record : read_records(here.results)) EXPECT_TRUE(record.error.empty());
}

TEST(Runner, StopsWithWhatIsDone) {
  Here here;
  int shown = 0;
  here.options.progress = [&](const RunnerStatus& status) {
    shown = static_cast<int>(status.done);
  };
  here.options.stop = [&] { return shown >= 2; };
  const Fit fit = [](const Job& job) {
    if (job.run > 0) pause();  // the first runs come first
    return worked(job);
  };
  const RunnerResult result = run_jobs(some_jobs(3), fit, here.options);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.records.size(), 2U);
  EXPECT_TRUE(result.failed.empty());
  EXPECT_EQ(read_records(here.results).size(), 2U);
}

TEST(Runner, RefusesRecordsOfOtherData) {
  Here here;
  run_jobs(some_jobs(1), worked, here.options);  // of data that are not known
  here.options.data = "00000001";
  here.options.program = "0000000a";
  EXPECT_EQ(run_jobs(some_jobs(2), worked, here.options).found, 2U);
  const std::string before = text_of(here.results);
  EXPECT_EQ(read_records(here.results).back().data, "00000001");
  EXPECT_EQ(read_records(here.results).back().program, "0000000a");

  here.options.data = "00000002";
  EXPECT_THROW(run_jobs(some_jobs(2), forbidden, here.options), FileError);
  EXPECT_EQ(text_of(here.results), before);
  Job other = some_jobs(1)[0];
  other.variant = "other";  // is not compared with them
  EXPECT_EQ(run_jobs({other}, worked, here.options).records.size(), 1U);
}

TEST(Runner, WritesAlone) {
  Here here;
  bool refused = false;
  here.options.progress = [&](const RunnerStatus&) {
    try {
      run_jobs(some_jobs(1), forbidden, {.out = here.options.out});
    } catch (const FileError&) {
      refused = true;
    }
  };
  run_jobs(some_jobs(1), worked, here.options);
  EXPECT_TRUE(refused);
}

}  // namespace
}  // namespace mdgp::experiments
