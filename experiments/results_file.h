// results.jsonl: records line by line, one process at a time.
#pragma once

#include <string>
#include <vector>

#include "record.h"

namespace mdgp::experiments {

class ResultsFile {
 public:
  // Opens for appending, after reading what is there and cutting off what a kill left of a line.
  // Throws FileError where that cannot be done, or another process has it open.
  explicit ResultsFile(std::string path);
  ~ResultsFile();
  ResultsFile(const ResultsFile&) = delete;
  ResultsFile& operator=(const ResultsFile&) = delete;

  const std::vector<Record>& found() const { return found_; }
  void append(const Record& record);  // on the disk when it returns
  void close();                       // for a process that was forked

 private:
  void cut_torn_line();

  std::string path_;
  int file_ = -1;
  std::vector<Record> found_;
};

}  // namespace mdgp::experiments
