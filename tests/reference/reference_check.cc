// reference_check FILE_OR_DIR…: the bound, its parts, the top moments and all gradients of each
// case against what an independent program computed. Exit code 0: all within their limits; 1: some
// are not; 2: the call or a file is wrong.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "case.h"

namespace {

std::vector<std::string> find_files(int argc, char** argv) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : fs::directory_iterator(argv[i])) {
      if (entry.path().extension() == ".json") inside.push_back(entry.path().string());
    }
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

// Prints a line per quantity; the number of those beyond their limit.
int check_file(const std::string& file) {
  const mdgp::reference::Case c = mdgp::reference::read_case(file);
  fmt::print("{} ({})\n", c.name, file);
  int beyond = 0;
  for (const auto& error : mdgp::reference::compare(c)) {
    const bool good = error.relative <= error.limit;
    beyond += good ? 0 : 1;
    fmt::print("  {:<44} {:8.1e}{}\n", error.quantity, error.relative,
               good ? "" : fmt::format("  exceeds {:.0e}", error.limit));
  }
  return beyond;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> files = find_files(argc, argv);
    if (files.empty()) {
      fmt::print(stderr, "reference_check: no case; usage: reference_check FILE_OR_DIR…\n");
      return 2;
    }
    int beyond = 0;
    for (const std::string& file : files) beyond += check_file(file);
    fmt::print("{} cases, {} quantities beyond their limit\n", files.size(), beyond);
    return beyond == 0 ? 0 : 1;
  } catch (const std::exception& e) {
    fmt::print(stderr, "reference_check: {}\n", e.what());
    return 2;
  }
}
