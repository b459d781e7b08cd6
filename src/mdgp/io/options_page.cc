#include <fmt/format.h>

#include "mdgp/io/options.h"

namespace mdgp {
namespace {

constexpr std::string_view kIntroduction = R"(# Options of `mdgp fit`

Every option is a flag of `mdgp fit`:

```
mdgp fit rows.csv --targets torque1:torque7 --model mmdgp --time 10m -o arm.mdgp
```

It is also a key of a configuration file, which is TOML: a key, `=`, a value; text in quotes; no
sections. A list of columns may be written as a list. Where both set an option, the flag counts.

```toml
# mdgp fit rows.csv --config fit.toml -o arm.mdgp
targets = ["torque1", "torque2"]
model = "mmdgp"
width = 5
learning-rate = 0.01
propagate-inputs = true
time = "10m"
```

What is not set comes from the preset if there is one, else from the size of the data. `mdgp fit`
says what it chose, and the model remembers it.
)";

constexpr struct {
  std::string_view group, title;
} kSections[] = {{"table", "The table"}, {"model", "The model"}, {"training", "Training"}};

// What stands in the columns "default" and "meaning".
std::string default_cell(const Option& option) {
  const std::string text = option_text(FitSettings{}, option);
  return text.empty() ? std::string(option.automatic) : fmt::format("`{}`", text);
}

std::string meaning_cell(const Option& option) {
  const bool any_text = takes_text(option) && option.choices.empty();
  if (any_text || option.duration) return std::string(option.help);
  return fmt::format("{}; {}", option.help, option_range(option));
}

// No text in the table has a bar, which would end a cell.
std::string table_row(const Option& option) {
  return fmt::format("| `--{}` | {} | {} | {} |\n", option.key, option.value, default_cell(option),
                     meaning_cell(option));
}

}  // namespace

std::string options_markdown() {
  std::string page(kIntroduction);
  for (const auto& section : kSections) {
    page += fmt::format("\n## {}\n\n| flag | value | default | meaning |\n", section.title);
    page += "| --- | --- | --- | --- |\n";
    for (const Option& option : fit_options()) {
      if (option.group == section.group) page += table_row(option);
    }
  }
  return page;
}

}  // namespace mdgp
