// Layers in sequence. A row's values at one layer are sampled and become its inputs at the next;
// the last layer gives each task's f (paper.tex, figure 2; Salimbeni and Deisenroth 2017).
#pragma once

#include <cstdint>
#include <vector>

#include "mdgp/layers/process.h"

namespace mdgp {

// Of the inner layers, in the bound and in predictions: as draws are named (propagate.cc).
constexpr Index kMaxSamples = Index{1} << 13;

// Processes side by side. A task sees the outputs of those that serve it, in order.
struct Layer {
  std::vector<Process> processes;

  // Made by finish_cascade():
  std::vector<Index> width;                // [T] outputs that a task sees
  std::vector<std::vector<Index>> offset;  // [process][T]: its first column there, -1: not served
  std::vector<Index> first_pair;           // [process]: of its draws, over the whole layer
  bool by_row = false;  // all shared and none coregionalised: outputs do not depend on the task
};

struct Cascade {
  Index inputs = 0;               // D
  Index tasks = 0;                // T
  bool propagate_inputs = false;  // every layer but the first sees x beside the layer below
  double jitter = 1e-6;           // first tried; see Prepared
  std::vector<Layer> layers;

  bool deep() const { return layers.size() > 1; }
};

// Fills in the layers' derived fields. Throws where widths do not fit each other or a task is not
// served.
void finish_cascade(Cascade& cascade);

// f(process, layer, index among all processes), in the order that ProcessAdjoints and Prepared
// have.
template <class CascadeRef, class F>
void for_processes(CascadeRef& cascade, F f) {
  std::size_t index = 0;
  for (std::size_t l = 0; l < cascade.layers.size(); ++l) {
    for (auto& process : cascade.layers[l].processes) f(process, l, index++);
  }
}

// Some rows on their way through the cascade, and the observations made on them. A row may be
// observed for one task, several or all; observations are sorted by task.
struct RowBlock {
  ConstView x;              // [rows, D]
  const std::uint64_t* id;  // [rows] names the row in random draws
  const Index* batch_row;   // [rows] its place in the batch
  const int* first_task;    // [rows] of its observations
  Index observations = 0;
  const int* row;           // [observations] of this block
  const int* task;          // [observations]
  const Index* task_begin;  // [T + 1]: observations of task t are [task_begin[t], task_begin[t+1])
  bool one_to_one = false;  // observation i is the only one of row i
};

// The standard normal draws of the inner layers: counter-based or, for tests, given.
struct Noise {
  std::uint64_t seed = 0;
  std::uint32_t step = 0;
  // [layer][sample]: [batch rows, width of the row's task]
  const std::vector<std::vector<Matrix>>* given = nullptr;
};

// q(f) of every observation and sample: row i * samples + s of [observations * samples, width],
// where task t uses the first width[t] columns. A shallow cascade needs no sample: samples is 1.
struct TopMoments {
  Var mean;
  Var variance;
  Index samples;
};

TopMoments propagate(Tape& tape, const Cascade& cascade, const std::vector<Prepared>& prepared,
                     const std::vector<ProcessAdjoints>& adjoints, const RowBlock& rows,
                     const Noise& noise, Index samples);

}  // namespace mdgp
