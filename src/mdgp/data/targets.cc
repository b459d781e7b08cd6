#include "mdgp/data/targets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "mdgp/data/table_source.h"

namespace mdgp {
namespace {

constexpr std::size_t kMostLabels = 1000;
constexpr std::size_t kManyLabels = 10;     // so many that most are there again in a sample of them
constexpr double kMostMeanOfCounts = 30.0;  // above it whole numbers are taken as measurements

bool is_count(double value) { return value >= 0.0 && value == std::floor(value) && value < 1e9; }

// What a look at all targets of a task shows.
struct Look {
  Index count = 0;
  bool numbers = true, counts = true, zero = false;
  Index words = 0;                          // targets that are not numbers
  Index first_word = -1, first_other = -1;  // the rows of the first such, and of the first no count
  double sum = 0.0, squares = 0.0;
  std::set<std::string> labels;  // up to kMostLabels + 1
};

Look look_at(const TargetCells& cells, Index rows) {
  Look look;
  for (Index r = 0; r < rows; ++r) {
    if (!cells.observed(r)) continue;
    ++look.count;
    const std::optional<double> number = cells.number(r);
    if (look.labels.size() <= kMostLabels) look.labels.insert(cells.word(r));
    if (!number && look.words++ == 0) look.first_word = r;
    if (look.first_other < 0 && !(number && is_count(*number))) look.first_other = r;
    look.numbers = look.words == 0;
    look.counts = look.first_other < 0;
    look.zero = look.zero || (number && *number == 0.0);
    if (number) look.sum += *number;
  }
  return look;
}

bool two_labels(const Look& look) {
  using Labels = std::set<std::string>;
  return look.labels == Labels{"0", "1"} || look.labels == Labels{"-1", "1"} ||
         look.labels == Labels{"1", "2"};
}

TaskKind detect(const Look& look) {
  if (!look.numbers) return look.labels.size() <= 2 ? TaskKind::binary : TaskKind::classes;
  if (two_labels(look)) return TaskKind::binary;
  const double mean = look.sum / static_cast<double>(look.count);
  if (look.counts && look.zero && mean <= kMostMeanOfCounts) return TaskKind::count;
  return TaskKind::regression;
}

[[noreturn]] void refuse_task(const Table& table, const std::string& name,
                              const std::string& what) {
  throw TableError(fmt::format("{}: task '{}' {}", table.source, name, what));
}

[[noreturn]] void refuse_target(const Table& table, const std::string& name,
                                const TargetCells& cells, Index row, const std::string& what) {
  throw TableError(fmt::format("{}: the target '{}' of task '{}' is not {}", table.where(row),
                               printable(cells.word(row)), name, what));
}

void check_kind(const Table& table, const std::string& name, std::optional<TaskKind> wanted,
                TaskKind kind, const TargetCells& cells, const Look& look) {
  const std::size_t labels = look.labels.size();
  if (!wanted && !look.numbers && 2 * look.words < look.count) {
    refuse_target(
        table, name, cells, look.first_word,
        fmt::format("a number, but most others are; leave it empty, or say --types {}=classes",
                    name));
  }
  // "$18.48", "61%", a date.
  if (!wanted && !look.numbers && labels > kManyLabels &&
      2 * std::ssize(look.labels) > look.count) {
    refuse_target(table, name, cells, look.first_word,
                  fmt::format("a number, and few others are the same; write plain numbers, or say "
                              "--types {}=classes",
                              name));
  }
  if (kind == TaskKind::regression && !look.numbers) {
    refuse_target(table, name, cells, look.first_word, "a number, which regression needs");
  }
  if (kind == TaskKind::count && !look.counts) {
    refuse_target(table, name, cells, look.first_other, "a count (0, 1, 2, …)");
  }
  if (kind == TaskKind::binary && labels != 2) {
    refuse_task(table, name,
                fmt::format("has {} different label{}; binary needs two",
                            labels > kMostLabels ? "too many" : fmt::format("{}", labels),
                            labels == 1 ? "" : "s"));
  }
  if (kind == TaskKind::classes && (labels < 2 || labels > kMostLabels)) {
    refuse_task(
        table, name,
        fmt::format("has {} labels; classes need 2 to {}",
                    labels > kMostLabels ? "too many" : fmt::format("{}", labels), kMostLabels));
  }
}

// By number where all are numbers, else by letter.
std::vector<std::string> sorted(const std::set<std::string>& labels) {
  std::vector<std::string> list(labels.begin(), labels.end());
  const auto number = [](const std::string& s) { return number_of(s); };
  if (std::all_of(list.begin(), list.end(), number)) {
    std::sort(list.begin(), list.end(),
              [&](const auto& a, const auto& b) { return *number(a) < *number(b); });
  }
  return list;
}

}  // namespace

std::optional<double> number_of(const std::string& word) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) return {};
  return value;
}

Moments1 moments_of(std::span<const double> values) {
  Moments1 m;
  double sum = 0.0;
  for (const double v : values) {
    if (std::isnan(v)) continue;
    ++m.count;
    sum += v;
  }
  if (m.count == 0) return m;
  m.mean = sum / static_cast<double>(m.count);
  double squares = 0.0;
  for (const double v : values) {
    if (!std::isnan(v)) squares += (v - m.mean) * (v - m.mean);
  }
  m.deviation = std::sqrt(squares / static_cast<double>(m.count));
  // A constant column may differ from its mean by rounding.
  if (m.deviation < 1e-12 * std::abs(m.mean)) m.deviation = 0.0;
  return m;
}

TargetCells::TargetCells(const Column& target, const Column* task, std::string_view name)
    : target_(target), task_(task) {
  if (task != nullptr) {
    const auto found = std::find(task->words.begin(), task->words.end(), name);
    if (found != task->words.end()) {
      code_ = static_cast<std::int32_t>(found - task->words.begin());
    }
  }
  for (const std::string& word : target.words) word_number_.push_back(number_of(word));
}

bool TargetCells::observed(Index row) const {
  const auto r = static_cast<std::size_t>(row);
  if (task_ != nullptr && (code_ < 0 || task_->code[r] != code_)) return false;
  return target_.text ? target_.code[r] >= 0 : !std::isnan(target_.numbers[r]);
}

std::optional<double> TargetCells::number(Index row) const {
  const auto r = static_cast<std::size_t>(row);
  return target_.text ? word_number_[static_cast<std::size_t>(target_.code[r])]
                      : std::optional(target_.numbers[r]);
}

std::string TargetCells::word(Index row) const {
  const auto r = static_cast<std::size_t>(row);
  return target_.text ? target_.words[static_cast<std::size_t>(target_.code[r])]
                      : shortest(target_.numbers[r] + 0.0);  // no -0
}

TaskColumn make_task(const Table& table, const Column& target, const Column* task_column,
                     const std::string& name, std::optional<TaskKind> kind) {
  const TargetCells cells(target, task_column, name);
  const Look look = look_at(cells, table.rows);
  if (look.count == 0) refuse_task(table, name, "has no target");
  TaskColumn task{
      .name = name, .kind = kind.value_or(detect(look)), .labels = {}, .observed = look.count};
  check_kind(table, name, kind, task.kind, cells, look);
  if (task.labelled()) {
    task.labels = sorted(look.labels);
    return task;
  }
  std::vector<double> values;
  for (Index r = 0; r < table.rows; ++r) {
    if (cells.observed(r)) values.push_back(*cells.number(r));
  }
  const Moments1 moments = moments_of(values);
  if (!std::isfinite(moments.deviation)) {
    refuse_task(table, name, "has numbers too large to work with; scale it");
  }
  task.mean = moments.mean;
  task.deviation = moments.deviation > 0.0 ? moments.deviation : 1.0;
  return task;
}

double target_value(const TaskColumn& task, const TargetCells& cells, const Table& table,
                    Index row) {
  if (task.labelled()) {
    const std::string word = cells.word(row);
    const auto found = std::find(task.labels.begin(), task.labels.end(), word);
    if (found != task.labels.end()) return static_cast<double>(found - task.labels.begin());
    throw TableError(fmt::format("{}: task '{}' has no label '{}'; it has {}", table.where(row),
                                 task.name, printable(word), fmt::join(task.labels, ", ")));
  }
  const std::optional<double> number = cells.number(row);
  if (!number) {
    throw TableError(fmt::format("{}: the target '{}' of task '{}' is not a number",
                                 table.where(row), printable(cells.word(row)), task.name));
  }
  if (task.kind == TaskKind::regression) return (*number - task.mean) / task.deviation;
  if (is_count(*number)) return *number;
  throw TableError(fmt::format("{}: the target {} of task '{}' is not a count (0, 1, 2, …)",
                               table.where(row), *number, task.name));
}

}  // namespace mdgp
