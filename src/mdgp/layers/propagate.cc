// Rows through the cascade.
//
// A layer's inputs are *points*: the rows themselves as long as nothing below depended on the task,
// then one point per observation; and one per sample of each from the first sampling on, the
// samples of a point next to each other. So a row observed for several tasks goes through the
// shared processes of the first layers once, and the first layer's posterior is computed once for
// all samples.
#include <algorithm>
#include <cmath>

#include "mdgp/layers/cascade.h"
#include "mdgp/random/normal.h"

namespace mdgp {
namespace {

// Points of one layer. Where every row has one observation, rows and observations are the same
// list.
struct LayerInput {
  Var values;     // [count * samples, D]
  Index samples;  // of each point
  bool by_row;    // else by observation
};

struct Pass {
  Tape& tape;
  const Cascade& cascade;
  const std::vector<Prepared>& prepared;
  const std::vector<ProcessAdjoints>& adjoints;
  const RowBlock& rows;
  const Noise& noise;
  Index samples;
};

// out row i * samples + s = from row index[i] * samples + s, for the columns of from.
void gather(Tape& tape, Var from, const int* index, Index count, Index samples, Var out) {
  const auto each = [=](auto f) {
    for (Index c = 0; c < from.cols(); ++c) {
      for (Index i = 0; i < count; ++i) {
        for (Index s = 0; s < samples; ++s) f(index[i] * samples + s, i * samples + s, c);
      }
    }
  };
  each([&](Index a, Index b, Index c) { out.value(b, c) = from.value(a, c); });
  if (!from.differentiable()) return;
  tape.on_reverse([=]() mutable {
    each([&](Index a, Index b, Index c) { from.adjoint(a, c) += out.adjoint(b, c); });
  });
}

void copy(Tape& tape, Var from, Var out) {
  out.value = from.value;
  tape.on_reverse([=]() mutable { from.adjoint += out.adjoint; });
}

// The points of `input` that are observations [begin, end). Tasks may see different numbers of
// columns; those of the tasks in question are the first `columns`.
Var observation_points(const Pass& pass, const LayerInput& input, Index columns, Index begin,
                       Index end) {
  const Index s = input.samples;
  if (!input.by_row || pass.rows.one_to_one) {
    return block(input.values, begin * s, 0, (end - begin) * s, columns);
  }
  Var points = input.values.differentiable()
                   ? pass.tape.variable((end - begin) * s, columns)
                   : Var(pass.tape.matrix((end - begin) * s, columns), no_view());
  gather(pass.tape, input.values, pass.rows.row + begin, end - begin, s, points);
  return points;
}

const int* point_tasks(const Pass& pass, const LayerInput& input, Index begin, Index end) {
  if (input.samples == 1) return pass.rows.task + begin;
  int* tasks = pass.tape.array<int>((end - begin) * input.samples);
  for (Index i = 0; i < (end - begin) * input.samples; ++i) {
    tasks[i] = pass.rows.task[begin + i / input.samples];
  }
  return tasks;
}

// The draws for process p of layer l at `count` points from `begin` on, [count * samples, width].
View draw(const Pass& pass, std::size_t l, std::size_t p, Index begin, Index count, bool by_row) {
  const Layer& layer = pass.cascade.layers[l];
  const Index width = layer.processes[p].width, n = count * pass.samples;
  View eps = pass.tape.matrix(n, width + width % 2);
  DrawPoint* points = pass.tape.array<DrawPoint>(n);
  for (Index i = 0; i < count; ++i) {
    const Index r = by_row ? begin + i : pass.rows.row[begin + i];
    const int task = by_row ? -1 : pass.rows.task[begin + i];
    for (Index s = 0; s < pass.samples; ++s) {
      points[i * pass.samples + s] = {
          pass.rows.id[r] << 20U | static_cast<std::uint64_t>(task + 1),
          static_cast<std::uint32_t>(static_cast<Index>(l) << 27 | s << 14 | layer.first_pair[p])};
    }
  }
  const DrawKey key{pass.noise.seed, Purpose::latent, pass.noise.step};
  for (Index c = 0; c < width; c += 2) {
    normal_pairs(key, points, n, static_cast<std::uint32_t>(c / 2), column(eps, c),
                 column(eps, c + 1));
  }
  return block(eps, 0, 0, n, width);
}

// The same, given (Noise::given).
View look_up(const Pass& pass, std::size_t l, std::size_t p, Index begin, Index count,
             bool by_row) {
  const Layer& layer = pass.cascade.layers[l];
  View eps = pass.tape.matrix(count * pass.samples, layer.processes[p].width);
  for (Index i = 0; i < count; ++i) {
    const Index r = by_row ? begin + i : pass.rows.row[begin + i];
    const int task = by_row ? pass.rows.first_task[r] : pass.rows.task[begin + i];
    const Index offset = layer.offset[p][static_cast<std::size_t>(task)];
    for (Index s = 0; s < pass.samples; ++s) {
      const Matrix& given = (*pass.noise.given)[l][static_cast<std::size_t>(s)];
      for (Index c = 0; c < eps.cols(); ++c) {
        eps(i * pass.samples + s, c) = given(pass.rows.batch_row[r], offset + c);
      }
    }
  }
  return eps;
}

// h = mean + sqrt(variance) eps (Kingma and Welling's reparameterisation); where the moments are
// those of a point, every sample of it has them.
Var sample(const Pass& pass, Moments f, View eps, Index moment_samples) {
  const Index repeat = pass.samples / moment_samples;
  Var h = pass.tape.variable(eps.rows(), eps.cols());
  for (Index c = 0; c < h.cols(); ++c) {
    for (Index i = 0; i < h.rows(); ++i) {
      h.value(i, c) =
          f.mean.value(i / repeat, c) + std::sqrt(f.variance.value(i / repeat, c)) * eps(i, c);
    }
  }
  pass.tape.on_reverse([=]() mutable {
    for (Index c = 0; c < h.cols(); ++c) {
      for (Index i = 0; i < h.rows(); ++i) {
        const Index k = i / repeat;
        f.mean.adjoint(k, c) += h.adjoint(i, c);
        f.variance.adjoint(k, c) +=
            0.5 * h.adjoint(i, c) * eps(i, c) / std::sqrt(f.variance.value(k, c));
      }
    }
  });
  return h;
}

// One evaluation of a process: at all rows, or at observations [begin, end).
struct Piece {
  Moments f;
  bool by_row;
  Index begin, end;
};

// Calls use(piece, process index in the layer) for every process of layer l and the points it
// serves.
template <class Use>
void evaluate_layer(const Pass& pass, std::size_t l, std::size_t first_process,
                    const LayerInput& input, Use use) {
  const Layer& layer = pass.cascade.layers[l];
  const Index all = pass.rows.observations;
  for (std::size_t p = 0; p < layer.processes.size(); ++p) {
    const Process& process = layer.processes[p];
    const bool coregionalised = is_coregionalised(process.kernel);
    const auto evaluate = [&](Points points) {
      return conditional(pass.tape, process, pass.prepared[first_process + p],
                         pass.adjoints[first_process + p], points);
    };
    const auto at_observations = [&](Index begin, Index end) {
      if (begin == end) return;
      use(Piece{evaluate({observation_points(pass, input, process.inputs, begin, end),
                          coregionalised ? point_tasks(pass, input, begin, end) : nullptr}),
                false, begin, end},
          p);
    };
    if (process.shared() && input.by_row && !coregionalised) {
      use(Piece{evaluate({input.values, nullptr}), true, 0, pass.rows.x.rows()}, p);
    } else if (process.shared()) {
      at_observations(0, all);
    } else {
      for (const int t : process.tasks) {
        at_observations(pass.rows.task_begin[t], pass.rows.task_begin[t + 1]);
      }
    }
  }
}

// Puts a piece's values [points * samples, width] where each task finds them in `out`, whose points
// are rows or observations.
void place(const Pass& pass, const Layer& layer, std::size_t p, const Piece& piece, Var values,
           Index samples, bool out_by_row, Var out) {
  const Index width = values.cols();
  if (out_by_row) {  // all shared: one offset for all tasks
    copy(pass.tape, values, block(out, 0, layer.offset[p][0], values.rows(), width));
    return;
  }
  for (std::size_t t = 0; t < layer.width.size(); ++t) {
    const Index begin = std::max(piece.by_row ? 0 : piece.begin, pass.rows.task_begin[t]);
    const Index end =
        std::min(piece.by_row ? pass.rows.observations : piece.end, pass.rows.task_begin[t + 1]);
    if (begin >= end) continue;
    Var target = block(out, begin * samples, layer.offset[p][t], (end - begin) * samples, width);
    if (piece.by_row && !pass.rows.one_to_one) {
      gather(pass.tape, values, pass.rows.row + begin, end - begin, samples, target);
    } else {
      const Index first = (begin - piece.begin) * samples;
      copy(pass.tape, block(values, first, 0, (end - begin) * samples, width), target);
    }
  }
}

// x beside the layer's outputs, in the columns after each task's own.
void place_inputs(const Pass& pass, const Layer& layer, bool by_row, Var out) {
  const RowBlock& rows = pass.rows;
  const Index count = by_row ? rows.x.rows() : rows.observations;
  for (Index i = 0; i < count; ++i) {
    const Index r = by_row ? i : rows.row[i];
    const auto task = static_cast<std::size_t>(by_row ? 0 : rows.task[i]);
    for (Index d = 0; d < rows.x.cols(); ++d) {
      for (Index s = 0; s < pass.samples; ++s) {
        out.value(i * pass.samples + s, layer.width[task] + d) = rows.x(r, d);
      }
    }
  }
}

Index widest(const Layer& layer) {
  return *std::max_element(layer.width.begin(), layer.width.end());
}

LayerInput inner_layer(const Pass& pass, std::size_t l, std::size_t first_process,
                       const LayerInput& input) {
  const Layer& layer = pass.cascade.layers[l];
  const Index points = layer.by_row ? pass.rows.x.rows() : pass.rows.observations;
  const Index extra = pass.cascade.propagate_inputs ? pass.cascade.inputs : 0;
  Var out = pass.tape.variable(points * pass.samples, widest(layer) + extra);
  evaluate_layer(pass, l, first_process, input, [&](const Piece& piece, std::size_t p) {
    const auto noise = pass.noise.given != nullptr ? look_up : draw;
    View eps = noise(pass, l, p, piece.begin, piece.end - piece.begin, piece.by_row);
    place(pass, layer, p, piece, sample(pass, piece.f, eps, input.samples), pass.samples,
          layer.by_row, out);
  });
  if (extra > 0) place_inputs(pass, layer, layer.by_row, out);
  return {out, pass.samples, layer.by_row};
}

TopMoments top_layer(const Pass& pass, std::size_t l, std::size_t first_process,
                     const LayerInput& input) {
  const Layer& layer = pass.cascade.layers[l];
  const Index points = pass.rows.observations * input.samples;
  TopMoments top{pass.tape.variable(points, widest(layer)),
                 pass.tape.variable(points, widest(layer)), input.samples};
  evaluate_layer(pass, l, first_process, input, [&](const Piece& piece, std::size_t p) {
    place(pass, layer, p, piece, piece.f.mean, input.samples, false, top.mean);
    place(pass, layer, p, piece, piece.f.variance, input.samples, false, top.variance);
  });
  return top;
}

LayerInput up_to_layer(const Pass& pass, std::size_t depth, std::size_t& first_process) {
  if (depth == 0) return {constant(pass.rows.x), 1, true};
  const LayerInput below = up_to_layer(pass, depth - 1, first_process);
  LayerInput out = inner_layer(pass, depth - 1, first_process, below);
  first_process += pass.cascade.layers[depth - 1].processes.size();
  return out;
}

}  // namespace

TopMoments propagate(Tape& tape, const Cascade& cascade, const std::vector<Prepared>& prepared,
                     const std::vector<ProcessAdjoints>& adjoints, const RowBlock& rows,
                     const Noise& noise, Index samples) {
  const Pass pass{tape, cascade, prepared, adjoints, rows, noise, samples};
  std::size_t first_process = 0;
  const std::size_t top = cascade.layers.size() - 1;
  const LayerInput input = up_to_layer(pass, top, first_process);
  return top_layer(pass, top, first_process, input);
}

}  // namespace mdgp
