#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "commands.h"
#include "mdgp/baselines/forest.h"
#include "mdgp/baselines/network.h"
#include "mdgp/io/model_file.h"
#include "mdgp/posterior/inspect.h"
#include "mdgp/report/hinton.h"

namespace mdgp::program {
namespace {

std::string size_of(const Process& process) {
  return fmt::format("{:<6} {:>3} functions of {:>3} inputs, {:>4} inducing points, {}",
                     process.name, process.width, process.inputs, process.inducing,
                     to_string(process.kernel));
}

std::string served(const Process& process, const Schema& schema) {
  if (process.shared()) return "all tasks";
  std::vector<std::string> names;
  for (const int task : process.tasks)
    names.push_back(schema.tasks[static_cast<std::size_t>(task)].name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void print_network(const FittedModel& fitted) {
  const NetworkSpec& network = fitted.spec.network;
  Index inputs = fitted.spec.inputs;
  fmt::print("\nnetwork{}\n", is_bayesian_network(fitted.spec.model)
                                  ? ", Bayesian: every weight has a deviation"
                                  : "");
  for (const Index units : network.units) {
    fmt::print("  hidden {:>4} units of {:>4} inputs; all tasks\n", units, inputs);
    inputs = units;
  }
  for (std::size_t t = 0; t < fitted.schema.tasks.size(); ++t) {
    fmt::print("  head   {:>4} outputs of {:>2} units; {}\n",
               fitted.model.likelihoods[t].latent_width(), inputs, fitted.schema.tasks[t].name);
  }
}

void print_forest(const FittedModel& fitted) {
  const ForestSpec& forest = fitted.spec.forest;
  fmt::print("\nrandom forests\n");
  for (std::size_t t = 0; t < fitted.schema.tasks.size(); ++t) {
    fmt::print("  {} trees, {} nodes each; {}\n", forest.trees, forest.nodes[t] / forest.trees,
               fitted.schema.tasks[t].name);
  }
}

void print_structure(const FittedModel& fitted) {
  if (is_forest(fitted.spec.model)) print_forest(fitted);
  if (is_network(fitted.spec.model)) print_network(fitted);
  const Cascade& cascade = fitted.model.cascade;
  for (std::size_t l = 0; l < cascade.layers.size(); ++l) {
    const bool top = l + 1 == cascade.layers.size();
    fmt::print("\nlayer {}{}{}\n", l + 1, top ? ", the targets'" : "",
               l > 0 && cascade.propagate_inputs ? ", which sees the inputs too" : "");
    for (const Process& process : cascade.layers[l].processes) {
      fmt::print("  {}; {}\n", size_of(process), served(process, fitted.schema));
    }
  }
}

std::string noise_of(const FittedModel& fitted, std::size_t t) {
  const Likelihood& likelihood = fitted.model.likelihoods[t];
  const TaskColumn& task = fitted.schema.tasks[t];
  const auto value = [&](std::size_t i) {
    return fitted.model.parameters.view(likelihood.parameters[i])(0, 0);
  };
  if (likelihood.type->name == "gaussian") {
    return fmt::format("noise sd {:.4g}", task.deviation * std::sqrt(value(0)));
  }
  if (likelihood.type->name == "heavy_tailed") {
    return fmt::format("noise sd {:.4g}, tails of {:.3g} degrees of freedom",
                       task.deviation * std::sqrt(value(0)), value(1));
  }
  if (likelihood.type->name == "student_t") {
    return fmt::format("noise scale {:.4g}, {:.3g} degrees of freedom", task.deviation * value(0),
                       value(1));
  }
  if (task.labelled()) return fmt::format("labels {}", fmt::join(task.labels, ", "));
  return std::string();
}

void print_tasks(const FittedModel& fitted) {
  fmt::print("\ntasks\n");
  std::size_t width = 4;
  for (const TaskColumn& task : fitted.schema.tasks) width = std::max(width, task.name.size());
  for (std::size_t t = 0; t < fitted.schema.tasks.size(); ++t) {
    const TaskColumn& task = fitted.schema.tasks[t];
    fmt::print("  {:<{}}  {:<10} {:<10} {:>7} targets  {}\n", task.name, width,
               kind_name(task.kind), fitted.spec.tasks[t].likelihood, task.observed,
               noise_of(fitted, t));
  }
}

void print_inputs(const Schema& schema) {
  std::vector<std::string> names;
  for (const InputColumn& input : schema.inputs) {
    names.push_back(input.text ? fmt::format("{} ({} words)", input.name, input.words.size())
                               : input.name);
  }
  fmt::print("inputs    {}\n", fmt::join(names, ", "));
  if (schema.projection.size() > 0) {
    fmt::print("          reduced to {} components ({})\n", schema.input_width(), schema.reduction);
  }
  if (!schema.wide) {
    fmt::print("columns   task in '{}', target in '{}'\n", schema.task_column,
               schema.target_column);
  }
}

// One name per column of x: that of the table's column, with the word where it is one-hot; "pc1",
// "pc2", … where they are components.
std::vector<std::string> input_names(const Schema& schema) {
  std::vector<std::string> names;
  if (schema.projection.size() > 0) {
    for (Index k = 1; k <= schema.input_width(); ++k) names.push_back(fmt::format("pc{}", k));
    return names;
  }
  for (const InputColumn& input : schema.inputs) {
    if (!input.text) names.push_back(input.name);
    for (const std::string& word : input.words)
      names.push_back(fmt::format("{}={}", input.name, word));
  }
  return names;
}

void print_weights(const FittedModel& fitted) {
  const ArdWeights ard = ard_weights(fitted.model);
  std::vector<std::string> tasks;
  for (const TaskColumn& task : fitted.schema.tasks) tasks.push_back(task.name);
  // Columns of x last, under their names in the table; shared, then private functions before.
  const std::vector<std::string> inputs = input_names(fitted.schema);
  std::vector<std::string> columns;
  std::vector<int> group;
  for (const std::string& column : ard.columns) {
    if (column.starts_with("x[")) {
      columns.push_back(inputs[static_cast<std::size_t>(std::stol(column.substr(2)))]);
      group.push_back(2);
      continue;
    }
    const auto process =
        std::find(ard.processes.begin(), ard.processes.end(), column.substr(0, column.find('[')));
    columns.push_back(column);
    group.push_back(ard.shared[static_cast<std::size_t>(process - ard.processes.begin())] ? 0 : 1);
  }
  fmt::print("\nwhat each task listens to (g shared, h private, then the inputs)\n{}",
             hinton_text(tasks, columns, group, ard.weights));
}

// The bound over the steps as a line of blocks.
std::string sparkline(const std::vector<TrainingPoint>& points) {
  constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::size_t kWidth = 60;
  // The first points are so low that they would flatten the rest.
  std::vector<double> bounds;
  for (std::size_t i = points.size() / 20; i < points.size(); ++i) {
    if (std::isfinite(points[i].bound)) bounds.push_back(points[i].bound);
  }
  const auto [low, high] = std::minmax_element(bounds.begin(), bounds.end());
  if (bounds.size() < 2 || !(*high > *low) || !std::isfinite(*high - *low)) return "";
  const std::size_t width = std::min(kWidth, bounds.size());
  std::string line;
  for (std::size_t i = 0; i < width; ++i) {
    const double v = bounds[i * (bounds.size() - 1) / (width - 1)];
    line += kBlocks[static_cast<std::size_t>(7.999 * (v - *low) / (*high - *low))];
  }
  return line;
}

void print_training(const TrainingNotes& notes) {
  fmt::print("\ntraining\n  {}: {} rows, {} targets; {} steps ({})\n", notes.source, notes.rows,
             notes.observations, notes.steps, notes.outcome);
  if (!notes.points.empty()) {
    fmt::print("  bound {:.1f}  {}\n", notes.points.back().bound, sparkline(notes.points));
  }
  if (!notes.held_out.empty()) {
    std::vector<std::string> scores;
    for (const auto& [name, value] : notes.held_out)
      scores.push_back(fmt::format("{} {:.3f}", name, value));
    fmt::print("  held-out rows: {}\n", fmt::join(scores, ", "));
  }
}

void print_settings(const FittedModel& fitted) {
  std::vector<std::string> texts;
  for (const auto& [key, text] : fitted.settings) {
    if (!text.empty()) texts.push_back(fmt::format("{}={}", key, text));
  }
  fmt::print("\nsettings\n  {}\n", fmt::join(texts, " "));
}

}  // namespace

int info(const std::string& path) {
  const FittedModel fitted = load_model(path);
  fmt::print("{}\nmodel     {}, {} numbers\n", path, fitted.spec.model,
             fitted.model.parameters.size());
  if (!fitted.model.members.empty()) {
    fmt::print("averages  {} draws of the hyperparameters; below are the best ones\n",
               fitted.model.members.size());
  }
  print_inputs(fitted.schema);
  print_tasks(fitted);
  print_structure(fitted);
  if (!fitted.model.cascade.layers.empty()) print_weights(fitted);
  print_training(fitted.training);
  print_settings(fitted);
  return 0;
}

}  // namespace mdgp::program
