#include "wrong_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "mdgp/data/near_name.h"

namespace mdgp::program {
namespace {

// The command that was called, as deep as it goes.
const CLI::App& called(const CLI::App& app) {
  const std::vector<CLI::App*> below = app.get_subcommands();
  return below.empty() ? app : called(*below.front());
}

// "--width=3" is the flag --width.
std::string flag_name(std::string_view word) { return std::string(word.substr(0, word.find('='))); }

const CLI::Option* find_flag(const CLI::App& command, const std::string& word) {
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional() && option->check_name(word)) return option;
  }
  return nullptr;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view near = nearest(word, views);
  return near.empty() ? std::string() : fmt::format("; did you mean '{}'?", near);
}

std::string no_such_flag(const CLI::App& command, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return fmt::format("there is no flag '{}'{}", word, suggestion(word, names));
}

std::string no_such_command(const CLI::App& command, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* sub : command.get_subcommands(nullptr)) names.push_back(sub->get_name());
  return fmt::format("there is no command '{}'{}", word, suggestion(word, names));
}

// Our words for the commonest mistakes; empty where CLI11's own say it.
std::string mistake(const CLI::App& app, const CLI::App& command, int argc, char** argv) {
  const bool wants_command = !command.get_subcommands(nullptr).empty();
  bool below = &command == &app;  // past the names of the commands that were found
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.size() > 1 && word[0] == '-' && !(word[1] >= '0' && word[1] <= '9') &&
        word[1] != '.') {
      const CLI::Option* option = find_flag(command, flag_name(word));
      if (option == nullptr && word.starts_with("--"))
        return no_such_flag(command, flag_name(word));
      if (option == nullptr || option->get_items_expected() == 0 || word.find('=') != word.npos)
        continue;
      if (i + 1 < argc && std::string_view(argv[i + 1]).starts_with("--")) {
        return fmt::format("{} needs a value, but '{}' follows", word, argv[i + 1]);
      }
      ++i;
    } else if (wants_command && below) {
      return no_such_command(command, word);
    }
    below = below || word == command.get_name();
  }
  if (&command == &app && wants_command) {
    return "say what to do: fit, predict, evaluate, info, demo or experiment";
  }
  return "";
}

// "experiment toy ": the names from the program's down.
std::string path_of(const CLI::App& app, const CLI::App& command) {
  if (&command == &app) return "";
  return fmt::format("{}{} ", path_of(app, *command.get_parent()), command.get_name());
}

}  // namespace

int wrong_call(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const CLI::App& command = called(app);
  std::string what = mistake(app, command, argc, argv);
  if (what.empty()) {
    what = error.what();
    what.resize(std::min(what.size(), what.find('\n')));
  }
  fmt::print(stderr, "mdgp: {}; see mdgp {}--help\n", what, path_of(app, command));
  return 2;
}

}  // namespace mdgp::program
