#include "mdgp/layers/cascade.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "mdgp/linalg/check.h"

namespace mdgp {
namespace {

// A draw is named by row and task (44 and 20 bits) and by layer, sample and pair (5, 13, 14 bits).
constexpr Index kMaxLayers = 32, kMaxPairs = Index{1} << 14, kMaxTasks = (Index{1} << 20) - 1;
constexpr Index kMaxOffsets = Index{1} << 25;  // a few thousand tasks with a process each

void place_outputs(Layer& layer, Index tasks) {
  layer.width.assign(static_cast<std::size_t>(tasks), 0);
  layer.offset.clear();
  layer.first_pair.clear();
  if (std::ssize(layer.processes) * tasks > kMaxOffsets) {
    refuse("finish_cascade", "number of a layer's processes",
           fmt::format("{}", layer.processes.size()),
           fmt::format("at most {} with {} tasks", kMaxOffsets / tasks, tasks));
  }
  Index pairs = 0;
  for (const Process& process : layer.processes) {
    std::vector<Index> offset(static_cast<std::size_t>(tasks), -1);
    for (Index t = 0; t < tasks; ++t) {
      if (!process.serves(static_cast<int>(t))) continue;
      auto& width = layer.width[static_cast<std::size_t>(t)];
      offset[static_cast<std::size_t>(t)] = width;
      width += process.width;
    }
    layer.offset.push_back(std::move(offset));
    layer.first_pair.push_back(pairs);
    pairs += (process.width + 1) / 2;
  }
  if (pairs > kMaxPairs) {
    refuse("finish_cascade", "width of a layer", fmt::format("{}", 2 * pairs),
           fmt::format("at most {}", 2 * kMaxPairs));
  }
}

}  // namespace

void finish_cascade(Cascade& cascade) {
  constexpr const char* kHere = "finish_cascade";
  check_positive(kHere, "inputs", static_cast<double>(cascade.inputs));
  check_positive(kHere, "jitter", cascade.jitter);
  if (cascade.tasks < 1 || cascade.tasks > kMaxTasks) {
    refuse(kHere, "tasks", fmt::format("{}", cascade.tasks),
           fmt::format("from 1 to {}", kMaxTasks));
  }
  const auto depth = static_cast<Index>(cascade.layers.size());
  if (depth < 1 || depth > kMaxLayers) {
    refuse(kHere, "number of layers", fmt::format("{}", depth),
           fmt::format("from 1 to {}", kMaxLayers));
  }
  std::vector<Index> inputs(static_cast<std::size_t>(cascade.tasks), cascade.inputs);
  bool by_row = true;
  for (std::size_t l = 0; l < cascade.layers.size(); ++l) {
    Layer& layer = cascade.layers[l];
    for (const Process& process : layer.processes) {
      by_row = by_row && process.shared() && !is_coregionalised(process.kernel);
      for (const int t : process.tasks)
        check_index(kHere, process.name + ".tasks", t, cascade.tasks);
      if (!std::is_sorted(process.tasks.begin(), process.tasks.end())) {
        throw std::invalid_argument(
            fmt::format("{}: tasks of {} are not ascending", kHere, process.name));
      }
    }
    layer.by_row = by_row;
    place_outputs(layer, cascade.tasks);
    for (std::size_t t = 0; t < inputs.size(); ++t) {
      if (layer.width[t] == 0) {
        throw std::invalid_argument(
            fmt::format("{}: no process of layer {} serves task {}", kHere, l, t));
      }
      for (std::size_t p = 0; p < layer.processes.size(); ++p) {
        if (layer.offset[p][t] < 0) continue;
        check_size(kHere, fmt::format("inputs of {} for task {}", layer.processes[p].name, t),
                   layer.processes[p].inputs, inputs[t]);
      }
      inputs[t] = layer.width[t] + (cascade.propagate_inputs ? cascade.inputs : 0);
    }
  }
}

}  // namespace mdgp
