// Options from text and back: a read() and a write() for each type that a setting can have.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <system_error>
#include <type_traits>

#include "mdgp/data/near_name.h"
#include "mdgp/io/options.h"

namespace mdgp {
namespace {

std::optional<double> parse_real(std::string_view text) {
  double value = 0.0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last) return std::nullopt;
  return value + 0.0;  // no -0
}

template <class Whole>
std::optional<Whole> parse_whole(std::string_view text) {
  Whole value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error == std::errc() && end == last) return value;
  // "1e4". Beyond 2^53 a double need not be the number that was written.
  constexpr double kMost = 9007199254740992.0, kLeast = std::is_signed_v<Whole> ? -kMost : 0.0;
  const double real = parse_real(text).value_or(NAN);
  if (!(real >= kLeast && real <= kMost) || real != std::floor(real)) return std::nullopt;
  return static_cast<Whole>(real);
}

std::optional<double> parse_duration(std::string_view text) {
  double unit = 1.0;
  if (text.ends_with('s') || text.ends_with('m') || text.ends_with('h')) {
    unit = text.back() == 's' ? 1.0 : text.back() == 'm' ? 60.0 : 3600.0;
    text.remove_suffix(1);
  }
  const std::optional<double> value = parse_real(text);
  return value ? std::optional(*value * unit) : std::nullopt;
}

bool has_range(const Option& option) { return option.least != 0.0 || option.most != 0.0; }

bool in_range(const Option& option, double value) {
  if (!std::isfinite(value)) return false;
  if (!has_range(option)) return true;
  return (option.above ? value > option.least : value >= option.least) && value <= option.most;
}

std::string range_words(const Option& option, std::string_view kind) {
  if (!has_range(option)) return std::string(kind);
  const std::string_view words = option.above ? "{} above {} and at most {}" : "{} from {} to {}";
  return fmt::format(fmt::runtime(words), kind, option.least, option.most);
}

// What was given, and where.
struct Given {
  const Option& option;
  std::string_view text, where;

  // "--width" where that is the place; in a file, the place and the key.
  std::string subject() const {
    if (where == fmt::format("--{}", option.key)) return std::string(where);
    return fmt::format("{}: {}", where, option.key);
  }
};

[[noreturn]] void refuse_value(const Given& given) {
  std::string value = shown(given.text);
  if (!parse_real(given.text)) value = fmt::format("'{}'", value);
  throw OptionError(
      fmt::format("{} is {}, but must be {}", given.subject(), value, option_range(given.option)));
}

[[noreturn]] void refuse_choice(const Given& given) {
  const std::string_view near = nearest(given.text, given.option.choices);
  const std::string hint = near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
  throw OptionError(fmt::format("{}: '{}' is not known{} ({})", given.subject(), shown(given.text),
                                hint, option_range(given.option)));
}

void read(const Given& given, std::string& value) {
  const Option& option = given.option;
  const auto is_given = [&](std::string_view choice) { return choice == given.text; };
  if (!option.choices.empty() && std::ranges::none_of(option.choices, is_given)) {
    refuse_choice(given);
  }
  try {
    if (option.check != nullptr) option.check(given.text);
  } catch (const std::invalid_argument& e) {
    throw OptionError(fmt::format("{}: {}", given.subject(), shown(e.what(), 300)));
  }
  value = given.text;
}

void read(const Given& given, Index& value) {
  const auto parsed = parse_whole<Index>(given.text);
  if (!parsed || !in_range(given.option, static_cast<double>(*parsed))) refuse_value(given);
  value = *parsed;
}

void read(const Given& given, std::uint64_t& value) {
  const auto parsed = parse_whole<std::uint64_t>(given.text);
  if (!parsed) refuse_value(given);
  value = *parsed;
}

void read(const Given& given, double& value) {
  const auto parsed = given.option.duration ? parse_duration(given.text) : parse_real(given.text);
  if (!parsed || !in_range(given.option, *parsed)) refuse_value(given);
  value = *parsed;
}

void read(const Given& given, bool& value) {
  if (given.text != "true" && given.text != "false") refuse_value(given);
  value = given.text == "true";
}

template <class T>
void read(const Given& given, std::optional<T>& value) {
  T parsed{};
  read(given, parsed);
  value = std::move(parsed);
}

template <class T>
std::string write(const T& value) {
  return fmt::format("{}", value);  // of a double, the shortest that reads back as the same
}

template <class T>
std::string write(const std::optional<T>& value) {
  return value ? write(*value) : std::string();
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; }

}  // namespace

void set_option(FitSettings& settings, const Option& option, std::string_view text,
                std::string_view where) {
  const FitSettings defaults;
  const bool unset = text.empty() && option_text(defaults, option).empty();
  const auto set = [&](auto member) {
    if (unset) {
      settings.*member = defaults.*member;
    } else {
      read(Given{option, text, where}, settings.*member);
    }
  };
  std::visit(set, option.member);
}

std::string option_text(const FitSettings& settings, const Option& option) {
  return std::visit([&](auto member) { return write(settings.*member); }, option.member);
}

bool takes_text(const Option& option) {
  return std::holds_alternative<std::string FitSettings::*>(option.member) ||
         std::holds_alternative<std::optional<std::string> FitSettings::*>(option.member);
}

std::string option_range(const Option& option) {
  if (!option.choices.empty()) return fmt::format("one of {}", fmt::join(option.choices, ", "));
  if (takes_text(option)) return "text";
  if (option.duration) return "a time such as 90, 90s, 10m or 1.5h";
  if (std::holds_alternative<std::optional<bool> FitSettings::*>(option.member)) {
    return "true or false";
  }
  if (std::holds_alternative<std::uint64_t FitSettings::*>(option.member)) {
    return "a whole number from 0 to 2^64 - 1";
  }
  const bool real = std::holds_alternative<double FitSettings::*>(option.member) ||
                    std::holds_alternative<std::optional<double> FitSettings::*>(option.member);
  return range_words(option, real ? "a number" : "a whole number");
}

std::string shown(std::string_view text, std::size_t most_bytes) {
  const bool cut = text.size() > most_bytes;
  if (cut) {
    while (most_bytes > 0 && continues_character(text[most_bytes])) --most_bytes;
    text = text.substr(0, most_bytes);
  }
  std::string out;
  for (const char c : text) out += is_control(c) ? ' ' : c;
  return cut ? fmt::format("{}…", out) : out;
}

}  // namespace mdgp
