#include "results_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <utility>

#include "mdgp/io/atomic_file.h"
#include "runner.h"

namespace mdgp::experiments {
namespace {

// Where a whole last line ends: a kill leaves a line without its end.
std::size_t whole_bytes(std::string_view text) {
  const std::size_t last = text.rfind('\n');
  return last == text.npos ? 0 : last + 1;
}

}  // namespace

std::vector<Record> read_records(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  const std::string text = read_whole_file(path);
  std::map<Job, std::size_t> place;
  std::vector<Record> records;
  const std::string_view whole = std::string_view(text).substr(0, whole_bytes(text));
  int number = 0;
  for (std::size_t begin = 0; begin < whole.size();) {
    const std::size_t end = whole.find('\n', begin);
    ++number;
    try {
      Record record = from_json(whole.substr(begin, end - begin));
      const auto [at, added] = place.try_emplace(job_of(record), records.size());
      if (added) {
        records.push_back(std::move(record));
      } else {
        records[at->second] = std::move(record);
      }
    } catch (const std::invalid_argument& e) {
      throw FileError(fmt::format("{}, line {}: {}; delete that line or choose another --out", path,
                                  number, e.what()));
    }
    begin = end + 1;
  }
  return records;
}

ResultsFile::ResultsFile(std::string path) : path_(std::move(path)) {
  file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) throw FileError(fmt::format("{}: {}", path_, std::strerror(errno)));
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    ::close(std::exchange(file_, -1));
    throw FileError(fmt::format("{}: another mdgp is writing to it; choose another --out", path_));
  }
  try {
    found_ = read_records(path_);
    cut_torn_line();
  } catch (...) {
    close();
    throw;
  }
}

void ResultsFile::cut_torn_line() {
  const std::string text = read_whole_file(path_);
  const std::size_t whole = whole_bytes(text);
  if (whole < text.size() && ftruncate(file_, static_cast<off_t>(whole)) != 0) {
    throw FileError(fmt::format("{}: {}", path_, std::strerror(errno)));
  }
}

ResultsFile::~ResultsFile() { close(); }

void ResultsFile::close() {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
}

void ResultsFile::append(const Record& record) {
  const std::string line = to_json(record) + "\n";
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t n = write(file_, line.data() + written, line.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw std::runtime_error(fmt::format("{}: {}", path_, std::strerror(errno)));
    written += static_cast<std::size_t>(n);
  }
  fdatasync(file_);
}

}  // namespace mdgp::experiments
