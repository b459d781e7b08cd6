#include "runner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <deque>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "durations.h"
#include "mdgp/io/atomic_file.h"
#include "mdgp/linalg/parallel.h"
#include "results_file.h"

namespace mdgp::experiments {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMilliseconds = 200;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Ends the process; never returns.
[[noreturn]] void be_child(int pipe, const Job& job, const Fit& fit, int threads, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it was gone before that took effect
  std::signal(SIGINT, SIG_IGN);       // Ctrl-C is the parent's to see to
  std::signal(SIGTERM, SIG_DFL);
  Record record = record_of(job);
  try {
    if (threads > 0) set_num_threads(threads);
    record = fit(job);
  } catch (const std::exception& e) {
    record.error = e.what();
    if (record.error.empty()) record.error = "an exception without a message";
  }
  const std::string line = to_json(record) + "\n";
  for (std::size_t written = 0; written < line.size();) {
    const ssize_t n = write(pipe, line.data() + written, line.size() - written);
    if (n < 0 && errno != EINTR) _exit(1);
    if (n > 0) written += static_cast<std::size_t>(n);
  }
  _exit(0);
}

struct Child {
  Job job;
  pid_t id = 0;
  int pipe = -1;
  std::string output;
  Clock::time_point start = Clock::now();
};

std::string how_it_ended(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("ended with code {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  return fmt::format("ended by signal {} ({})", signal, strsignal(signal));
}

class Runner {
 public:
  Runner(const Fit& fit, const RunnerOptions& options)
      : fit_(fit), options_(options), file_(options.out + "/results.jsonl") {
    for (const Record& record : file_.found()) {
      if (record.error.empty()) durations_.add(record.model, record.size, record.seconds);
    }
  }

  ~Runner() {
    for (const Child& child : children_) kill(child.id, SIGKILL);
    for (const Child& child : children_) {
      waitpid(child.id, nullptr, 0);
      close(child.pipe);
    }
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  const std::vector<Record>& found() const { return file_.found(); }

  void run(std::vector<Job> jobs, RunnerStatus status, RunnerResult& result) {
    waiting_.assign(jobs.begin(), jobs.end());
    while (!waiting_.empty() || !children_.empty()) {
      result.stopped = options_.stop && options_.stop();
      if (result.stopped) return;
      while (!waiting_.empty() && static_cast<int>(children_.size()) < std::max(options_.jobs, 1)) {
        status.running = name_of(waiting_.front());
        start(waiting_.front());
        waiting_.pop_front();
      }
      for (Record& record : wait_a_moment()) {
        record.data = options_.data;
        record.program = options_.program;
        file_.append(record);
        ++status.done;
        (record.error.empty() ? result.records : result.failed).push_back(std::move(record));
      }
      status.seconds_left = seconds_left();
      if (options_.progress) options_.progress(status);
    }
  }

 private:
  void start(const Job& job) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
      throw std::runtime_error(fmt::format("run_jobs: no pipe: {}", std::strerror(errno)));
    }
    const pid_t parent = getpid(), id = fork();
    if (id == 0) {
      file_.close();
      close(ends[0]);
      be_child(ends[1], job, fit_, options_.threads, parent);
    }
    close(ends[1]);
    if (id < 0) {
      close(ends[0]);
      throw std::runtime_error(fmt::format("run_jobs: no process: {}", std::strerror(errno)));
    }
    Child child;
    child.job = job;
    child.id = id;
    child.pipe = ends[0];
    children_.push_back(std::move(child));
  }

  // Returns what has ended.
  std::vector<Record> wait_a_moment() {
    std::vector<pollfd> ready;
    for (const Child& child : children_) ready.push_back({child.pipe, POLLIN, 0});
    if (poll(ready.data(), ready.size(), kPollMilliseconds) <= 0) return {};
    std::vector<Record> ended;
    for (std::size_t i = children_.size(); i-- > 0;) {
      if (ready[i].revents == 0 || read_some(children_[i])) continue;
      ended.push_back(finish(children_[i]));
      children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return ended;
  }

  // False at the end.
  static bool read_some(Child& child) {
    char bytes[4096];
    const ssize_t n = ::read(child.pipe, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) return true;
    if (n > 0) child.output.append(bytes, static_cast<std::size_t>(n));
    return n > 0;
  }

  Record finish(Child& child) {
    close(child.pipe);
    int status = 0;
    while (waitpid(child.id, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && child.output.ends_with('\n')) {
      Record record = from_json(child.output);
      if (record.error.empty()) {
        durations_.add(child.job.model, child.job.size, seconds_since(child.start));
      }
      return record;
    }
    Record record = record_of(child.job);
    record.error = how_it_ended(status);
    return record;
  }

  double seconds_left() const {
    double left = 0.0;
    for (const Job& job : waiting_) left += durations_.estimate(job.model, job.size);
    for (const Child& child : children_) {
      const Job& job = child.job;
      const double more = durations_.estimate(job.model, job.size) - seconds_since(child.start);
      left += more < 0.0 ? 0.0 : more;  // NaN stays
    }
    return left / std::max(options_.jobs, 1);
  }

  const Fit& fit_;
  const RunnerOptions& options_;
  ResultsFile file_;
  std::deque<Job> waiting_;
  std::vector<Child> children_;
  Durations durations_;
};

// What other data gave cannot stand beside what these give.
void check_data(const std::vector<Record>& found, const std::vector<Job>& jobs,
                const RunnerOptions& options) {
  for (const Record& record : found) {
    const auto alike = [&](const Job& job) {
      return job.experiment == record.experiment && job.variant == record.variant;
    };
    if (record.data.empty() || record.data == options.data ||
        std::none_of(jobs.begin(), jobs.end(), alike)) {
      continue;
    }
    throw FileError(
        fmt::format("{}/results.jsonl: its fits are of other data than these; choose another --out",
                    options.out));
  }
}

// In the order of the jobs.
void sort_as(const std::vector<Job>& jobs, std::vector<Record>& records) {
  std::map<Job, std::size_t> place;
  for (std::size_t i = 0; i < jobs.size(); ++i) place.try_emplace(jobs[i], i);
  std::sort(records.begin(), records.end(), [&](const Record& a, const Record& b) {
    return place.at(job_of(a)) < place.at(job_of(b));
  });
}

}  // namespace

Job job_of(const Record& r) {
  return {r.experiment, r.variant, r.settings, r.model, r.size, r.run, r.seed};
}

Record record_of(const Job& job) {
  Record record;
  record.experiment = job.experiment;
  record.variant = job.variant;
  record.settings = job.settings;
  record.model = job.model;
  record.size = job.size;
  record.run = job.run;
  record.seed = job.seed;
  return record;
}

std::string name_of(const Job& job) {
  return fmt::format("{}, N = {}, run {}", job.model, job.size, job.run);
}

RunnerResult run_jobs(const std::vector<Job>& jobs, const Fit& fit, const RunnerOptions& options) {
  Runner runner(fit, options);
  check_data(runner.found(), jobs, options);
  std::map<Job, bool> is_done;
  for (const Job& job : jobs) is_done[job] = false;
  RunnerResult result;
  for (const Record& record : runner.found()) {
    const auto at = is_done.find(job_of(record));
    if (at == is_done.end() || !record.error.empty()) continue;
    at->second = true;
    result.records.push_back(record);
  }
  result.found = result.records.size();
  std::vector<Job> open;
  for (const Job& job : jobs) {
    if (!std::exchange(is_done[job], true)) open.push_back(job);
  }
  const auto place = [](const Job& job) { return std::tuple(job.run > 0, -job.size, job.run); };
  std::stable_sort(open.begin(), open.end(),
                   [&](const Job& a, const Job& b) { return place(a) < place(b); });
  RunnerStatus status;
  status.total = is_done.size();
  status.done = status.total - open.size();
  runner.run(std::move(open), status, result);
  sort_as(jobs, result.records);
  sort_as(jobs, result.failed);
  return result;
}

}  // namespace mdgp::experiments
