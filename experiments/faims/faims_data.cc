#include "faims_data.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "checksum.h"
#include "mdgp/data/near_name.h"
#include "mdgp/data/table_source.h"
#include "mdgp/io/atomic_file.h"

namespace mdgp::experiments {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "parkinson_replicated.csv";
constexpr const char* kFolder = "parkinson_replicated";
constexpr const char* kNotInputs[] = {"ID", "Recording", "Status", "Gender"};
constexpr Index kFewest = 4;  // cases, and controls: some to train on and some to test on

bool is_input(std::string_view name) {
  return std::find(std::begin(kNotInputs), std::end(kNotInputs), name) == std::end(kNotInputs);
}

fs::path find_file(const std::string& directory, const std::string& asked) {
  if (!fs::is_directory(directory)) {
    throw FileError(fmt::format("{} {}: no such directory; without data a study is simulated",
                                asked, directory));
  }
  for (const fs::path& folder : {fs::path(directory) / kFolder, fs::path(directory)}) {
    if (fs::exists(folder / kFile)) return folder / kFile;
  }
  throw FileError(
      fmt::format("{} {}: {} is not there or in its folder {}; give the directory that holds it",
                  asked, directory, kFile, kFolder));
}

Table read(const fs::path& path) {
  TableReader reader(path.string());
  for (const char* name : {"ID", "Recording", "Status"}) {
    const auto& names = reader.names();
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw TableError(
        fmt::format("{}: there is no column '{}'{}; it must have ID, Recording, "
                    "Status and columns of features",
                    reader.source(), name, did_you_mean(name, names)));
  }
  Table table = reader.next(std::numeric_limits<Index>::max(), [](std::string_view name) {
    return name == "ID"       ? ColumnKind::text
           : name == "Gender" ? ColumnKind::skip
                              : ColumnKind::number;
  });
  if (table.rows == 0) throw TableError(fmt::format("{}: no rows", table.source));
  return table;
}

double number_at(const Table& table, const Column& column, Index row) {
  const double value = column.numbers[static_cast<std::size_t>(row)];
  if (std::isfinite(value)) return value;
  throw TableError(fmt::format("{}: no number in column '{}'", table.where(row), column.name));
}

// A subject's rows by the run, -1 where one is missing.
struct Subject {
  std::string name;
  std::array<Index, kFaimsRuns> row;
  int label = 0;
};

int whole_number_at(const Table& table, const char* name, Index row, int least, int most) {
  const double value = number_at(table, *table.find(name), row);
  if (value == std::floor(value) && value >= least && value <= most) {
    return static_cast<int>(value);
  }
  throw TableError(fmt::format("{}: {} is {}, but must be a whole number from {} to {}",
                               table.where(row), name, shortest(value), least, most));
}

void take(const Table& table, Index row, Subject& subject) {
  const int run = whole_number_at(table, "Recording", row, 1, kFaimsRuns);
  const int label = whole_number_at(table, "Status", row, 0, 1);
  Index& place = subject.row[static_cast<std::size_t>(run - 1)];
  if (place >= 0) {
    throw TableError(fmt::format("{}: a second recording {} of subject '{}'", table.where(row), run,
                                 printable(subject.name)));
  }
  const bool first = subject.row == std::array<Index, kFaimsRuns>{-1, -1, -1};
  if (!first && label != subject.label) {
    throw TableError(
        fmt::format("{}: Status of subject '{}' is {}, but was {} in another recording",
                    table.where(row), printable(subject.name), label, subject.label));
  }
  subject.label = label;
  place = row;
}

void check_subjects(const Table& table, const std::vector<Subject>& subjects) {
  std::array<Index, 2> count{};
  for (int run = 0; run < kFaimsRuns; ++run) {
    const auto r = static_cast<std::size_t>(run);
    const bool any = std::any_of(subjects.begin(), subjects.end(),
                                 [r](const Subject& s) { return s.row[r] >= 0; });
    if (!any) throw TableError(fmt::format("{}: no row has Recording {}", table.source, run + 1));
    for (const Subject& s : subjects) {
      if (s.row[r] >= 0) continue;
      throw TableError(fmt::format(
          "{}: subject '{}' has no recording {}; every subject must have recordings 1 to {}",
          table.source, printable(s.name), run + 1, kFaimsRuns));
    }
  }
  for (const Subject& s : subjects) ++count[static_cast<std::size_t>(s.label)];
  for (const int label : {0, 1}) {
    if (count[static_cast<std::size_t>(label)] >= kFewest) continue;
    throw TableError(fmt::format("{}: {} subjects with Status {}, but must have at least {}",
                                 table.source, count[static_cast<std::size_t>(label)], label,
                                 kFewest));
  }
}

std::vector<Subject> subjects_of(const Table& table) {
  const Column& id = *table.find("ID");
  std::map<std::int32_t, std::size_t> place;
  std::vector<Subject> subjects;
  for (Index row = 0; row < table.rows; ++row) {
    const std::int32_t code = id.code[static_cast<std::size_t>(row)];
    if (code < 0) throw TableError(fmt::format("{}: no ID", table.where(row)));
    const auto [at, is_new] = place.try_emplace(code, subjects.size());
    if (is_new) subjects.push_back({id.words[static_cast<std::size_t>(code)], {-1, -1, -1}});
    take(table, row, subjects[at->second]);
  }
  check_subjects(table, subjects);
  return subjects;
}

}  // namespace

std::string checksum(const FaimsData& data) {
  return checksum(
      {bytes_of(data.x[0]), bytes_of(data.x[1]), bytes_of(data.x[2]), bytes_of(data.label)});
}

FaimsData load_parkinson(const std::string& directory, const std::string& asked) {
  const Table table = read(find_file(directory, asked));
  const std::vector<Subject> subjects = subjects_of(table);
  FaimsData data;
  data.origin = "parkinson";
  for (const Subject& s : subjects) data.label.push_back(s.label);
  std::vector<const Column*> columns;
  for (const Column& column : table.columns) {
    if (!is_input(column.name)) continue;
    columns.push_back(&column);
    data.features.push_back(column.name);
  }
  if (columns.empty()) throw TableError(fmt::format("{}: no features", table.source));
  for (std::size_t run = 0; run < data.x.size(); ++run) {
    data.x[run].resize(static_cast<Index>(subjects.size()), static_cast<Index>(columns.size()));
    for (std::size_t s = 0; s < subjects.size(); ++s) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        data.x[run](static_cast<Index>(s), static_cast<Index>(c)) =
            number_at(table, *columns[c], subjects[s].row[run]);
      }
    }
  }
  return data;
}

}  // namespace mdgp::experiments
