#include "mdgp/data/schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "mdgp/data/near_name.h"
#include "mdgp/data/table_source.h"
#include "mdgp/data/targets.h"

namespace mdgp {
namespace {

constexpr std::array<std::string_view, 4> kKindNames = {"regression", "binary", "classes", "count"};
constexpr std::size_t kMostWords = 500;  // of a text column that is one-hot encoded

std::vector<std::string_view> split(std::string_view list, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = list.find(separator);
    parts.push_back(list.substr(0, end));
    if (end == std::string_view::npos) return parts;
    list.remove_prefix(end + 1);
  }
}

bool contains(std::span<const std::string> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void no_column(std::string_view name, std::span<const std::string> names,
                            std::string_view source, std::string_view option) {
  throw TableError(fmt::format("{}: there is no column '{}' ({}){}", source, name, option,
                               did_you_mean(name, names)));
}

void require_column(std::string_view name, std::span<const std::string> names,
                    std::string_view source, std::string_view option) {
  if (!contains(names, name)) no_column(name, names, source, option);
}

// Marks the columns that one part of a list means; false where there are none.
bool mark(std::string_view part, std::span<const std::string> names, std::vector<bool>& chosen) {
  const auto position = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  if (const std::size_t at = position(part); at < names.size()) {
    chosen[at] = true;
    return true;
  }
  if (const std::size_t colon = part.find(':'); colon != std::string_view::npos) {
    std::size_t first = position(part.substr(0, colon)), last = position(part.substr(colon + 1));
    if (first > last) std::swap(first, last);
    if (last < names.size()) {
      for (std::size_t i = first; i <= last; ++i) chosen[i] = true;
      return true;
    }
  }
  bool any = false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (fnmatch(std::string(part).c_str(), names[i].c_str(), 0) == 0) any = chosen[i] = true;
  }
  return any;
}

// The columns of the targets, whatever the form.
std::vector<std::string> target_columns(const ColumnRoles& roles,
                                        std::span<const std::string> names,
                                        std::string_view source) {
  if (!roles.targets.empty()) return select_columns(roles.targets, names, source, "--targets");
  require_column(roles.target, names, source, "--target");
  return {roles.target};
}

void check_roles(const ColumnRoles& roles) {
  if (!roles.target.empty() && !roles.targets.empty()) {
    throw TableError(
        "--target and --targets exclude each other; --targets is for tables where every task has a "
        "column of its own");
  }
  if (!roles.task.empty() && roles.target.empty() && roles.targets.empty()) {
    throw TableError(fmt::format(
        "--task {}: say with --target COLUMN where the values of the tasks stand", roles.task));
  }
  if (!roles.task.empty() && roles.task == roles.target) {
    throw TableError(
        fmt::format("--task and --target are both '{}'; the one names the task of a row, "
                    "the other has its value",
                    roles.task));
  }
  if (roles.target.empty() && roles.targets.empty()) {
    throw TableError(
        "say what to predict: --target COLUMN (with --task COLUMN where a column names the task), "
        "or "
        "--targets A,B,… where every task has a column of its own");
  }
  if (!roles.task.empty() && !roles.targets.empty()) {
    throw TableError("--task goes with --target; with --targets every column is a task");
  }
}

std::vector<std::string> table_names(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  return names;
}

// A word among numbers is a slip more often than a category.
void check_words(const Column& column, const Table& table) {
  std::vector<bool> number;
  for (const std::string& word : column.words) number.push_back(number_of(word).has_value());
  Index words = 0, numbers = 0, first = -1;
  for (std::size_t r = 0; r < column.code.size(); ++r) {
    if (column.code[r] < 0) continue;
    const bool is_number = number[static_cast<std::size_t>(column.code[r])];
    ++(is_number ? numbers : words);
    if (!is_number && first < 0) first = static_cast<Index>(r);
  }
  if (words == 0 || words >= numbers) return;
  const auto code = static_cast<std::size_t>(column.code[static_cast<std::size_t>(first)]);
  throw TableError(
      fmt::format("{}, column '{}': '{}' is not a number, but most others are; leave it empty, or "
                  "the column out "
                  "with --inputs",
                  table.where(first), column.name, printable(column.words[code])));
}

InputColumn input_column(const Column& column, const Table& table) {
  InputColumn input{.name = column.name, .text = column.text, .words = {}};
  if (column.text) {
    check_words(column, table);
    if (column.words.size() > kMostWords) {
      throw TableError(fmt::format(
          "{}: column '{}' is text with {} different words; as an input it may have {} at most",
          table.source, column.name, column.words.size(), kMostWords));
    }
    input.words = column.words;
    std::sort(input.words.begin(), input.words.end());
    return input;
  }
  const Moments1 moments = moments_of(column.numbers);
  if (moments.count == 0) {
    throw TableError(fmt::format("{}: column '{}' is empty; leave it out with --inputs",
                                 table.source, column.name));
  }
  if (!std::isfinite(moments.deviation)) {
    throw TableError(fmt::format("{}: column '{}' has numbers too large to work with; scale it",
                                 table.source, column.name));
  }
  input.mean = moments.mean;
  input.deviation = moments.deviation > 0.0 ? moments.deviation : 1.0;
  return input;
}

bool varies(const InputColumn& input, const Column& column) {
  if (input.text) return input.words.size() > 1;
  std::optional<double> first;
  for (const double x : column.numbers) {
    if (std::isnan(x)) continue;
    if (x != first.value_or(x)) return true;
    first = x;
  }
  return false;
}

// A column that is the same in every row says nothing, beside others that do.
void leave_out_constants(const Table& table, Schema& schema, SchemaNotes* notes) {
  const auto constant = [&](const InputColumn& input) {
    return !varies(input, *table.find(input.name));
  };
  std::vector<InputColumn>& inputs = schema.inputs;
  if (std::all_of(inputs.begin(), inputs.end(), constant)) {
    if (notes != nullptr) notes->all_constant = true;
    return;
  }
  for (const InputColumn& input : inputs) {
    if (notes != nullptr && constant(input)) notes->constant.push_back(input.name);
  }
  std::erase_if(inputs, constant);
}

// Names and words go into the model file, whose text is UTF-8.
bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = byte < 0x80             ? 1
                               : (byte & 0xe0) == 0xc0 ? 2
                               : (byte & 0xf0) == 0xe0 ? 3
                               : (byte & 0xf8) == 0xf0 ? 4
                                                       : 0;
    if (length == 0 || i + length > text.size()) return false;
    unsigned code = length == 1 ? byte : byte & (0x7fU >> length);
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0) != 0x80) return false;
      code = (code << 6) | (next & 0x3fU);
    }
    // Neither longer than it need be, nor half of a pair, nor beyond the last character.
    constexpr unsigned kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < kLeast[length] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) return false;
    i += length;
  }
  return true;
}

void check_utf8(const Table& table) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    if (!is_utf8(column.name)) {
      throw TableError(fmt::format(
          "{}: the name of column {} is not UTF-8; save the table as UTF-8", table.source, c + 1));
    }
    if (!std::all_of(column.words.begin(), column.words.end(), is_utf8)) {
      throw TableError(
          fmt::format("{}: column '{}' has text that is not UTF-8; save the table as UTF-8",
                      table.source, column.name));
    }
  }
}

// "a=count,b=binary" as a map; every name must be a task's.
std::map<std::string, TaskKind, std::less<>> parse_types(std::string_view types,
                                                         std::span<const std::string> tasks) {
  std::map<std::string, TaskKind, std::less<>> kinds;
  if (types.empty()) return kinds;
  for (const std::string_view part : split(types, ',')) {
    const std::size_t equals = part.rfind('=');
    const std::string_view name = part.substr(0, equals);
    const std::string_view kind =
        equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1);
    const auto found = std::find(kKindNames.begin(), kKindNames.end(), kind);
    if (found == kKindNames.end()) {
      throw TableError(fmt::format("--types: '{}' is not NAME=KIND with a kind of {}", part,
                                   fmt::join(kKindNames, ", ")));
    }
    if (!contains(tasks, name)) {
      throw TableError(
          fmt::format("--types: there is no task '{}'{}", name, did_you_mean(name, tasks)));
    }
    kinds[std::string(name)] = static_cast<TaskKind>(found - kKindNames.begin());
  }
  return kinds;
}

}  // namespace

std::string_view kind_name(TaskKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

Index Schema::column_width() const {
  Index width = 0;
  for (const InputColumn& input : inputs) width += input.width();
  return width;
}

Index Schema::input_width() const {
  return projection.size() > 0 ? projection.cols() : column_width();
}

Matrix Schema::reduce(const Matrix& columns) const {
  if (projection.size() == 0) return columns;
  return columns * projection;
}

int Schema::find_task(std::string_view name) const {
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    if (tasks[t].name == name) return static_cast<int>(t);
  }
  return -1;
}

std::vector<std::string> select_columns(std::string_view list, std::span<const std::string> names,
                                        std::string_view source, std::string_view option) {
  std::vector<bool> chosen(names.size(), false);
  while (true) {
    // A name may hold a comma itself: the longest beginning that is a name, else up to a comma.
    std::size_t length = std::min(list.find(','), list.size());
    for (std::size_t end = list.size(); end != std::string_view::npos && end > length;
         end = list.rfind(',', end - 1)) {
      if (contains(names, list.substr(0, end))) length = end;
    }
    if (!mark(list.substr(0, length), names, chosen)) {
      no_column(list.substr(0, length), names, source, option);
    }
    if (length == list.size()) break;
    list.remove_prefix(length + 1);
  }
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (chosen[i]) columns.push_back(names[i]);
  }
  return columns;
}

ColumnChoice training_columns(const ColumnRoles& roles, std::span<const std::string> names,
                              std::string_view source) {
  check_roles(roles);
  if (!roles.task.empty()) require_column(roles.task, names, source, "--task");
  std::vector<std::string> detect = target_columns(roles, names, source);
  const bool all = roles.inputs.empty();
  if (!all) {
    for (std::string& name : select_columns(roles.inputs, names, source, "--inputs")) {
      if (contains(detect, name) || name == roles.task) {
        throw TableError(fmt::format("{}: column '{}' cannot be an input: it is the {}", source,
                                     name, name == roles.task ? "task" : "target"));
      }
      detect.push_back(std::move(name));
    }
  }
  return [=, task = roles.task](std::string_view name) {
    if (!task.empty() && name == task) return ColumnKind::text;
    return all || contains(detect, name) ? ColumnKind::detect : ColumnKind::skip;
  };
}

Schema make_schema(const Table& table, const ColumnRoles& roles, SchemaNotes* notes) {
  check_roles(roles);
  if (table.rows == 0) throw TableError(fmt::format("{}: no rows", table.source));
  check_utf8(table);
  const std::vector<std::string> names = table_names(table);
  const std::vector<std::string> targets = target_columns(roles, names, table.source);
  Schema schema;
  schema.wide = roles.task.empty();
  std::vector<std::string> tasks = targets;
  if (!schema.wide) {
    schema.task_column = roles.task;
    schema.target_column = roles.target;
    tasks = table.find(roles.task)->words;
    std::sort(tasks.begin(), tasks.end());
    if (tasks.empty()) {
      throw TableError(fmt::format("{}: column '{}' names no task", table.source, roles.task));
    }
  }
  const auto kinds = parse_types(roles.types, tasks);
  for (const std::string& task : tasks) {
    const auto kind = kinds.find(task);
    schema.tasks.push_back(
        schema.wide ? make_task(table, *table.find(task), nullptr, task,
                                kind == kinds.end() ? std::nullopt : std::optional(kind->second))
                    : make_task(table, *table.find(roles.target), table.find(roles.task), task,
                                kind == kinds.end() ? std::nullopt : std::optional(kind->second)));
  }
  for (const Column& column : table.columns) {
    if (column.name == roles.task || contains(targets, column.name)) continue;
    if (column.text && roles.inputs.empty()) {
      check_words(column, table);
      if (notes != nullptr) notes->left_out.push_back(column.name);
      continue;
    }
    schema.inputs.push_back(input_column(column, table));
  }
  if (schema.inputs.empty()) {
    throw TableError(
        fmt::format("{}: no column is left to be an input; inputs are all other columns of "
                    "numbers, or those of "
                    "--inputs",
                    table.source));
  }
  leave_out_constants(table, schema, notes);
  return schema;
}

}  // namespace mdgp
