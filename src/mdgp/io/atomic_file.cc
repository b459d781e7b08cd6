#include "mdgp/io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace mdgp {

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  struct stat status = {};
  if (stat(path_.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) {
      throw FileError(fmt::format("{}: is a directory, not a file", path_));
    }
    if (!S_ISREG(status.st_mode)) throw FileError(fmt::format("{}: is not a regular file", path_));
    // A link stays one: what it leads to is replaced.
    std::error_code none;
    const std::filesystem::path real = std::filesystem::canonical(path_, none);
    if (!none) path_ = real.string();
  }
  open_temporary();
  if (file_ == nullptr) throw FileError(fmt::format("{}: {}", path_, std::strerror(errno)));
}

// Without a name where the file system can do that: whatever ends the program before commit(), even
// kill -9, nothing remains.
void AtomicFile::open_temporary() {
  temporary_ = fmt::format("{}.tmp{}", path_, getpid());
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  const int nameless =
      open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  nameless_ = nameless >= 0;
  file_ = nameless_ ? fdopen(nameless, "wb") : std::fopen(temporary_.c_str(), "wb");
}

bool AtomicFile::name_it() const {
  std::remove(temporary_.c_str());  // of a program that had the same number
  const std::string nameless = fmt::format("/proc/self/fd/{}", fileno(file_));
  return linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

AtomicFile::~AtomicFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  if (!nameless_) std::remove(temporary_.c_str());
}

void AtomicFile::fail(std::string_view what) {
  throw std::runtime_error(fmt::format("{}: {} ({})", path_, what, std::strerror(errno)));
}

void AtomicFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail("cannot be written");
}

void AtomicFile::commit() {
  if (std::fflush(file_) != 0 || fsync(fileno(file_)) != 0) fail("cannot be written");
  if (nameless_ && !name_it()) fail("cannot be written");
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int error = errno;
    std::remove(temporary_.c_str());
    errno = error;
    fail("cannot be written");
  }
}

void write_whole_file(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

std::string read_whole_file(const std::string& path, std::size_t most) {
  struct stat status = {};
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr || fstat(fileno(file), &status) != 0) {
    const int error = errno;
    if (file != nullptr) std::fclose(file);
    throw FileError(
        fmt::format("{}: {}", path, error == ENOENT ? "no such file" : std::strerror(error)));
  }
  std::string bytes;
  if (!S_ISREG(status.st_mode) || static_cast<std::size_t>(status.st_size) > most) {
    std::fclose(file);
    throw FileError(fmt::format("{}: {}", path,
                                S_ISREG(status.st_mode) ? "too large" : "is not a regular file"));
  }
  bytes.resize(static_cast<std::size_t>(status.st_size));
  const std::size_t count = std::fread(bytes.data(), 1, bytes.size(), file);
  const bool failed = std::ferror(file) != 0;
  std::fclose(file);
  if (failed) throw FileError(fmt::format("{}: cannot be read", path));
  bytes.resize(count);
  return bytes;
}

}  // namespace mdgp
