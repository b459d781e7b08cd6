// Reading tables: a CSV file of the shape of SARCOS (28 columns) and about 100 MB, on one thread.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "mdgp/data/read_table.h"
#include "mdgp/random/normal.h"

namespace mdgp::bench {
namespace {

constexpr int kColumns = 28;
constexpr std::uint64_t kRows = 400000;

// Rows of the file in pieces, so that writing it does not raise the peak of memory.
std::string rows_text(std::uint64_t begin, std::uint64_t end) {
  const DrawKey key{1, Purpose::data, 0};
  std::string text;
  for (std::uint64_t r = begin; r < end; ++r) {
    for (std::uint32_t c = 0; c < kColumns; ++c) {
      fmt::format_to(std::back_inserter(text), "{:.6g}{}", normal(key, r, c),
                     c + 1 < kColumns ? ',' : '\n');
    }
  }
  return text;
}

std::string header_text() {
  std::string text;
  for (int c = 0; c < kColumns; ++c) text += fmt::format("c{}{}", c, c + 1 < kColumns ? ',' : '\n');
  return text;
}

// Two files, plain and gzipped, that last as long as the program.
struct Files {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("mdgp_table_bench_{}", getpid());
  std::string plain = folder / "rows.csv", packed = folder / "rows.csv.gz";

  Files() {
    std::filesystem::create_directory(folder);
    std::ofstream file(plain, std::ios::binary);
    const gzFile gzip = gzopen(packed.c_str(), "wb6");
    const auto write = [&](const std::string& text) {
      file << text;
      gzwrite(gzip, text.data(), static_cast<unsigned>(text.size()));
    };
    write(header_text());
    for (std::uint64_t r = 0; r < kRows; r += 1000) write(rows_text(r, r + 1000));
    gzclose(gzip);
  }
  ~Files() { std::filesystem::remove_all(folder); }
};

const Files& files() {
  static const Files the_files;
  return the_files;
}

// Of the process, in MB: the most memory it ever had (VmHWM), or has now (VmRSS).
double memory(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::stod(line.substr(field.size() + 1)) / 1024.0;
  }
  return 0.0;
}

void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

// bytes_per_second counts the bytes of the plain file, also where it is read packed.
void read(benchmark::State& state, const std::string& path, int columns) {
  const auto choice = [columns](std::string_view name) {
    const bool kept = std::stoi(std::string(name.substr(1))) < columns;
    return kept ? ColumnKind::detect : ColumnKind::skip;
  };
  reset_peak();
  const double before = memory("VmRSS:");
  for (auto _ : state) benchmark::DoNotOptimize(read_table(path, choice));
  state.counters["peak_MB"] = memory("VmHWM:") - before;
  state.counters["kept_MB"] = static_cast<double>(kRows) * (8.0 * columns + 4.0) / (1 << 20);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRows));
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(std::filesystem::file_size(files().plain)));
}

const int kRegistered = [] {
  const auto add = [](const char* name, bool packed, int columns) {
    benchmark::RegisterBenchmark(name, [packed, columns](auto& state) {
      read(state, packed ? files().packed : files().plain, columns);
    })->Unit(benchmark::kMillisecond);
  };
  add("table/csv", false, kColumns);
  add("table/csv/3_columns", false, 3);
  add("table/csv_gz", true, kColumns);
  return 0;
}();

}  // namespace
}  // namespace mdgp::bench
