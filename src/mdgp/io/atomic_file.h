// A file that is whole or not there: written under a temporary name, flushed to the disk, renamed.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mdgp {

// A file that is not there, may not be opened or is not what it should be: wrong input. Where
// writing itself fails (a full disk) a plain std::runtime_error is thrown.
struct FileError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();  // without commit(): nothing remains, and what was at the path is as it was
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  [[noreturn]] void fail(std::string_view what);

  void open_temporary();
  bool name_it() const;

  std::string path_, temporary_;
  std::FILE* file_ = nullptr;
  bool nameless_ = false;
};

void write_whole_file(const std::string& path, std::string_view bytes);

// Throws FileError, also where the file has more than `most` bytes.
std::string read_whole_file(const std::string& path, std::size_t most = std::size_t{1} << 34);

}  // namespace mdgp
