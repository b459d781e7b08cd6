// Every file that the fuzzers begin with, and those that once broke a reader.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "mdgp/data/read_table.h"

namespace mdgp {
namespace {

void read_in_pieces(const std::string& path, ColumnKind kind) {
  TableReader reader(path);
  const auto choice = [kind](std::string_view) { return kind; };
  while (reader.next(2, choice).rows > 0) continue;
}

TEST(FuzzSeeds, AreReadOrRefused) {
  int files = 0;
  for (const char* format : {"csv", "npy", "mat"}) {
    const std::filesystem::path folder = std::filesystem::path(MDGP_FUZZ_CORPUS) / format;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      ++files;
      for (const ColumnKind kind :
           {ColumnKind::skip, ColumnKind::number, ColumnKind::text, ColumnKind::detect}) {
        try {
          read_in_pieces(entry.path().string(), kind);
        } catch (const TableError& e) {
          EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
        }
      }
    }
  }
  EXPECT_GT(files, 50);
}

}  // namespace
}  // namespace mdgp
