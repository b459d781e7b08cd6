// read_config(). The only file that sees toml++, which is therefore compiled in rather than linked.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <tuple>

#include "mdgp/io/options.h"

// Some malformed dates fail an assertion of toml++ 3.3, which would end the program or, with
// NDEBUG, go on regardless. Here it throws. toml++ comes last, so that no other header is meant.
namespace mdgp {
struct ParserFailure {};
[[noreturn]] static void fail_to_parse() { throw ParserFailure(); }
}  // namespace mdgp
#undef NDEBUG
#define TOML_ASSERT(expression) ((expression) ? void() : ::mdgp::fail_to_parse())
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "mdgp/data/near_name.h"

namespace mdgp {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;  // a table given by mistake, or /dev/zero

std::string read_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw OptionError(fmt::format("{}: no such file", path));
  }
  if (std::filesystem::is_directory(path, ignored)) {
    throw OptionError(fmt::format("{}: is a directory, but must be a file", path));
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) throw OptionError(fmt::format("{}: cannot be read", path));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() <= kMostBytes) return text;
  throw OptionError(fmt::format("{}: is larger than 1 MiB, which no configuration is", path));
}

std::string place(const std::string& path, std::size_t line) {
  return fmt::format("{}, line {}", path, line);
}

// toml++ begins with "Error while parsing value: " or the like; what it says of a value, it says
// most often because text stands there without quotes.
std::string syntax_message(std::string_view description) {
  constexpr std::string_view kPrefix = "Error while parsing ";
  if (!description.starts_with(kPrefix)) return shown(description, 300);
  description.remove_prefix(kPrefix.size());
  const bool value = !description.starts_with("key") && !description.starts_with("string") &&
                     description.find("representable") == std::string_view::npos;
  return fmt::format("cannot read {}{}", shown(description, 300),
                     value ? "; text must be in quotes" : "");
}

bool fails_to_parse(std::string_view text) {
  try {
    static_cast<void>(toml::parse(text));
  } catch (const toml::parse_error&) {
    return false;  // because the rest is missing
  } catch (const ParserFailure&) {
    return true;
  }
  return false;
}

// A ParserFailure does not say where: at the last of the fewest lines that have it.
std::size_t failing_line(std::string_view text) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') ends.push_back(i + 1);
  }
  const auto passes = [&](std::size_t end) { return !fails_to_parse(text.substr(0, end)); };
  const auto first = std::ranges::partition_point(ends, passes);
  return static_cast<std::size_t>(first - ends.begin()) + 1;
}

toml::table parse(const std::string& path) {
  const std::string text = read_file(path);
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& e) {
    throw OptionError(
        fmt::format("{}: {}", place(path, e.source().begin.line), syntax_message(e.description())));
  } catch (const ParserFailure&) {
    throw OptionError(fmt::format("{}: is not TOML, which has a key, '=' and a value in each line",
                                  place(path, failing_line(text))));
  }
}

// One "key = value" of the file.
struct Entry {
  const toml::key* key;
  const toml::node* value;
  std::string where;
};

// In the order of the file (toml++ sorts by key), so that the first mistake is the one reported.
std::vector<Entry> entries(const toml::table& table, const std::string& path) {
  std::vector<Entry> all;
  for (const auto& [key, value] : table)
    all.push_back({&key, &value, place(path, key.source().begin.line)});
  const auto position = [](const Entry& entry) {
    const toml::source_position& begin = entry.key->source().begin;
    return std::tuple(begin.line, begin.column);
  };
  std::ranges::sort(all, {}, position);
  return all;
}

[[noreturn]] void refuse_key(const Entry& entry) {
  std::vector<std::string_view> keys;
  for (const Option& option : fit_options()) keys.push_back(option.key);
  const std::string_view near = nearest(entry.key->str(), keys);
  throw OptionError(fmt::format(
      "{}: unknown key '{}'; {}", entry.where, shown(entry.key->str()),
      near.empty() ? "'mdgp fit --help' lists them" : fmt::format("did you mean '{}'?", near)));
}

[[noreturn]] void refuse_section(const Entry& entry) {
  throw OptionError(
      fmt::format("{}: '{}' is a section, but a configuration has none; keys stand alone, as in "
                  "'width = 5'",
                  entry.where, shown(entry.key->str())));
}

[[noreturn]] void refuse_kind(const Entry& entry, const Option& option, std::string_view is,
                              std::string_view how = "") {
  throw OptionError(fmt::format("{}: {} is {}, but must be {}{}", entry.where, option.key, is,
                                option_range(option), how));
}

std::string joined(const Entry& entry, const Option& option, const toml::array& list) {
  if (!option.list) refuse_kind(entry, option, "a list");
  std::vector<std::string_view> words;
  for (const toml::node& node : list) {
    const toml::value<std::string>* word = node.as_string();
    if (word == nullptr)
      refuse_kind(entry, option, "a list with other things than text", ", in quotes");
    words.push_back(word->get());
  }
  return fmt::format("{}", fmt::join(words, ","));
}

// A number or truth value as text; text must not be among them.
template <class T>
std::string plain(const Entry& entry, const Option& option, const T& value) {
  std::string text = fmt::format("{}", value);
  if (takes_text(option)) refuse_kind(entry, option, text, ", in quotes");
  return text;
}

// Durations may be "10m" or 600.
std::string quoted(const Entry& entry, const Option& option, const std::string& text) {
  if (takes_text(option) || option.duration) return text;
  refuse_kind(entry, option, fmt::format("\"{}\"", shown(text)), ", without quotes");
}

std::string value_text(const Entry& entry, const Option& option) {
  const toml::node& node = *entry.value;
  if (const auto* text = node.as_string()) return quoted(entry, option, text->get());
  if (const auto* whole = node.as_integer()) return plain(entry, option, whole->get());
  if (const auto* real = node.as_floating_point()) return plain(entry, option, real->get());
  if (const auto* truth = node.as_boolean()) return plain(entry, option, truth->get());
  if (const auto* list = node.as_array()) return joined(entry, option, *list);
  refuse_kind(entry, option, "a date or time of day");
}

}  // namespace

void read_config(const std::string& path, FitSettings& settings) {
  const toml::table table = parse(path);
  FitSettings read = settings;
  for (const Entry& entry : entries(table, path)) {
    if (entry.value->is_table() || entry.value->is_array_of_tables()) refuse_section(entry);
    const Option* option = find_option(entry.key->str());
    if (option == nullptr) refuse_key(entry);
    set_option(read, *option, value_text(entry, *option), entry.where);
  }
  settings = std::move(read);
}

}  // namespace mdgp
