// Where a command writes: checked before the work, whole or not there after it.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mdgp/io/atomic_file.h"

namespace mdgp::program {

// Throws FileError where a file could not be written there, or would replace one that is read:
// `read` has the paths and what they are ("the table").
void check_output(const std::string& out,
                  const std::vector<std::pair<std::string, std::string>>& read);

// To a file that appears whole at the end; to standard output, a pipe or a device as it comes.
class Output {
 public:
  explicit Output(const std::string& path);  // empty: standard output
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  void write(const std::string& text);
  void close();

 private:
  std::string name_;
  std::unique_ptr<AtomicFile> file_;
  std::FILE* stream_ = nullptr;
};

// Throws where what was printed did not all arrive.
void flush_standard_output();

}  // namespace mdgp::program
