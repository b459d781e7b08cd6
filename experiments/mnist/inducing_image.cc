#include "inducing_image.h"

#include <cmath>
#include <limits>

namespace mdgp::experiments {
namespace {

// Of the inner layer: the shared process, or the one of the standard task alone. Null: none.
const Process* find_process(const Model& model, bool shared) {
  if (!model.cascade.deep()) return nullptr;
  for (const Process& process : model.cascade.layers.front().processes) {
    const bool found = shared ? process.shared() : process.tasks == std::vector<int>{0};
    if (found && process.Z_task.empty()) return &process;
  }
  return nullptr;
}

struct Pair {
  Index a = 0, b = 0;
};

Pair nearest(const ConstView& a, const ConstView& b) {
  Pair pair;
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < a.rows(); ++i) {
    Index j = 0;
    const double distance = (b.rowwise() - a.row(i)).rowwise().squaredNorm().minCoeff(&j);
    if (distance < least) least = distance, pair = {i, j};
  }
  return pair;
}

// To three decimals: results.jsonl keeps them.
std::vector<double> image_of(const MnistDraw& draw, const Model& model, const Process& process,
                             Index row) {
  const Vector pixels = to_pixels(draw, model.parameters.view(process.Z).row(row));
  std::vector<double> image;
  for (const double p : pixels) image.push_back(std::round(1000.0 * p) / 1000.0);
  return image;
}

}  // namespace

std::map<std::string, std::vector<double>> inducing_images(const MnistDraw& draw,
                                                           const Model& before,
                                                           const Model& after) {
  const Process* own = find_process(before, false);
  const Process* shared = find_process(before, true);
  const Process* own_after = find_process(after, false);
  const Process* shared_after = find_process(after, true);
  if (!own || !shared || !own_after || !shared_after) return {};
  const Pair pair = nearest(before.parameters.view(own->Z), before.parameters.view(shared->Z));
  return {{"private_before", image_of(draw, before, *own, pair.a)},
          {"private_after", image_of(draw, after, *own_after, pair.a)},
          {"shared_before", image_of(draw, before, *shared, pair.b)},
          {"shared_after", image_of(draw, after, *shared_after, pair.b)}};
}

}  // namespace mdgp::experiments
