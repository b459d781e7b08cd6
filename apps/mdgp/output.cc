#include "output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace mdgp::program {
namespace {

namespace fs = std::filesystem;

bool is_stream(const std::string& path) {
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

}  // namespace

void check_output(const std::string& out,
                  const std::vector<std::pair<std::string, std::string>>& read) {
  if (out.empty()) throw FileError("-o: the name of the file is empty");
  if (out == "-") throw FileError("-o -: a model goes into a file; give its name");
  const fs::path path = out, folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code none;
  if (fs::is_directory(path, none)) {
    throw FileError(fmt::format("-o {}: is a directory; give the name of a file", out));
  }
  if (!fs::is_directory(folder, none)) {
    throw FileError(fmt::format("-o {}: there is no directory {}", out, folder.string()));
  }
  if (access(folder.c_str(), W_OK) != 0) {
    throw FileError(fmt::format("-o {}: {} is not writable", out, folder.string()));
  }
  for (const auto& [other, what] : read) {
    if (!is_stream(out) && fs::equivalent(path, other, none)) {
      throw FileError(
          fmt::format("-o {}: is {} itself, which it would replace; give another name", out, what));
    }
  }
}

Output::Output(const std::string& path) : name_(path.empty() ? "standard output" : path) {
  if (path.empty()) {
    stream_ = stdout;
  } else if (is_stream(path)) {
    stream_ = std::fopen(path.c_str(), "wb");
    if (stream_ == nullptr) throw FileError(fmt::format("-o {}: {}", path, std::strerror(errno)));
  } else {
    file_ = std::make_unique<AtomicFile>(path);
  }
}

Output::~Output() {
  if (stream_ != nullptr && stream_ != stdout) std::fclose(stream_);
}

void Output::write(const std::string& text) {
  if (file_) {
    file_->write(text);
  } else if (std::fwrite(text.data(), 1, text.size(), stream_) != text.size()) {
    throw std::runtime_error(fmt::format("{} cannot be written", name_));
  }
}

void Output::close() {
  if (file_) {
    file_->commit();
  } else if (std::fflush(stream_) != 0) {
    throw std::runtime_error(fmt::format("{} cannot be written", name_));
  }
}

void flush_standard_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw std::runtime_error("standard output cannot be written");
  }
}

}  // namespace mdgp::program
