#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "mdgp/data/read_table.h"
#include "mdgp/io/options.h"
#include "mdgp/random/order.h"
#include "mnist_data.h"

namespace mdgp::experiments {
namespace {

// The columns of draws (random/normal.h) of one image; 0 is that of their order.
constexpr std::uint32_t kPatch = 1, kNoise = 4096;
constexpr int kMostPatches = 1000;
constexpr std::uint32_t kTestStep = std::numeric_limits<std::uint32_t>::max();  // runs are below
constexpr int kOnNoise = 1, kOnPhotographs = 2;                                 // tasks

// The training images that a run gives a task, by their numbers.
std::vector<Index> chosen(const MnistData& data, int task, Index size, int run,
                          std::uint64_t seed) {
  const DrawKey key{seed, Purpose::data, static_cast<std::uint32_t>(run)};
  const LabelledImages& pool = data.train[data.rebuilt() ? 0 : static_cast<std::size_t>(task)];
  const std::vector<Index> order = random_order(key, pool.count());
  const auto begin = order.begin() + (data.rebuilt() ? task * size : 0);  // none serves two tasks
  return {begin, begin + size};
}

// A place from 0 to n - 1.
Index place(const DrawKey& key, std::uint64_t row, std::uint32_t column, Index n) {
  return static_cast<Index>(static_cast<double>(n) * uniform(key, row, column));
}

double deviation(const Pixel* patch, Index stride) {
  double sum = 0.0, squares = 0.0;
  for (Index r = 0; r < kSide; ++r) {
    for (Index c = 0; c < kSide; ++c) {
      const double value = patch[r * stride + c];
      sum += value;
      squares += value * value;
    }
  }
  const double mean = sum / kPixels;
  return std::sqrt(std::max(squares / kPixels - mean * mean, 0.0));
}

// The upper left corner of a patch that is not too even.
const Pixel* draw_patch(const Images& photographs, const DrawKey& key, std::uint64_t row) {
  for (std::uint32_t attempt = 0; attempt < kMostPatches; ++attempt) {
    const std::uint32_t column = kPatch + 3 * attempt;
    const Index number = place(key, row, column, photographs.count);
    const Index top = place(key, row, column + 1, photographs.rows - kSide + 1);
    const Index left = place(key, row, column + 2, photographs.cols - kSide + 1);
    const Pixel* patch = photographs.image(number) + top * photographs.cols + left;
    if (deviation(patch, photographs.cols) >= kLeastDeviation) return patch;
  }
  throw TableError(
      fmt::format("the photographs: none of {} patches of {} x {} pixels has a standard deviation "
                  "of {} or more",
                  kMostPatches, kSide, kSide, kLeastDeviation));
}

// One image of a task as numbers from 0 to 1, into a row of x.
void put_image(const MnistData& data, const LabelledImages& pool, int task, Index number,
               const DrawKey& key, Matrix& x, Index to) {
  const Pixel* digit = pool.images.image(number);
  const auto row = static_cast<std::uint64_t>(number);
  const bool on_photograph = data.rebuilt() && task == kOnPhotographs;
  const bool on_noise = data.rebuilt() && task == kOnNoise;
  const Pixel* patch = on_photograph ? draw_patch(data.photographs, key, row) : nullptr;
  for (Index i = 0; i < kPixels; ++i) {
    Pixel value = digit[i];
    if (on_photograph) {
      value = std::max(value, patch[i / kSide * data.photographs.cols + i % kSide]);
    }
    if (on_noise) {
      const double noise = 256.0 * uniform(key, row, kNoise + static_cast<std::uint32_t>(i));
      value = std::max(value, static_cast<Pixel>(noise));
    }
    x(to, i) = static_cast<double>(value) / 255.0;
  }
}

void put_train(const MnistData& data, Index size, int run, std::uint64_t seed, MnistDraw& out) {
  out.train.x.resize(kMnistTaskCount * size, kPixels);
  Index row = 0;
  for (int task = 0; task < kMnistTaskCount; ++task) {
    const LabelledImages& pool = data.train[data.rebuilt() ? 0 : static_cast<std::size_t>(task)];
    const DrawKey key{seed, Purpose::data, static_cast<std::uint32_t>(run)};
    for (const Index number : chosen(data, task, size, run, seed)) {
      put_image(data, pool, task, number, key, out.train.x, row);
      const int label = pool.labels[static_cast<std::size_t>(number)];
      out.train.observations.push_back({row++, task, static_cast<double>(label)});
    }
  }
}

void put_test(const MnistData& data, std::uint64_t seed, MnistDraw& out) {
  const DrawKey key{seed, Purpose::data, kTestStep};
  for (int task = 0; task < kMnistTaskCount; ++task) {
    const LabelledImages& pool = data.test[data.rebuilt() ? 0 : static_cast<std::size_t>(task)];
    Matrix x(pool.count(), kPixels);
    for (Index i = 0; i < pool.count(); ++i) put_image(data, pool, task, i, key, x, i);
    out.test_x.push_back(std::move(x));
    out.test_y.push_back(pool.labels);
  }
}

// What the inputs are made of pixels is decided here, and only here.
void scale_inputs(MnistDraw& out) {
  Matrix& x = out.train.x;
  const Eigen::RowVectorXd mean = x.colwise().mean();
  x.rowwise() -= mean;
  const double spread = std::sqrt(x.squaredNorm() / static_cast<double>(x.size()));
  const double common = spread > 0.0 ? spread : 1.0;
  x /= common;
  for (Matrix& test : out.test_x) {
    test.rowwise() -= mean;
    test /= common;
  }
  out.pixel_mean = mean;
  out.pixel_deviation = common;
  for (Index i = 0; i < kPixels; ++i) {
    InputColumn input;
    input.name = fmt::format("p{}", i);
    input.mean = mean[i];
    input.deviation = common;
    out.schema.inputs.push_back(input);
  }
}

Schema schema_of(Index size) {
  Schema schema;
  schema.wide = false;
  schema.task_column = "task";
  schema.target_column = "digit";
  for (const char* name : kMnistTasks) {
    TaskColumn task;
    task.name = name;
    task.kind = TaskKind::classes;
    for (int digit = 0; digit < kDigits; ++digit) task.labels.push_back(fmt::format("{}", digit));
    task.observed = size;
    schema.tasks.push_back(task);
  }
  return schema;
}

}  // namespace

void check_draws(const MnistData& data, Index size, int runs, std::uint64_t seed) {
  for (int run = 0; run < runs; ++run) {
    for (int task = 0; task < kMnistTaskCount; ++task) {
      const auto& labels = data.train[data.rebuilt() ? 0 : static_cast<std::size_t>(task)].labels;
      std::vector<Index> count(kDigits, 0);
      for (const Index number : chosen(data, task, size, run, seed)) {
        ++count[static_cast<std::size_t>(labels[static_cast<std::size_t>(number)])];
      }
      const auto absent = std::find(count.begin(), count.end(), 0);
      if (absent == count.end()) continue;
      throw OptionError(fmt::format(
          "--size {}: run {} has no training image of the digit {} for the task {}; ask "
          "for more images or another --seed",
          size, run, absent - count.begin(), kMnistTasks[task]));
    }
  }
}

MnistDraw draw(const MnistData& data, Index size, int run, std::uint64_t seed) {
  if (size < 1 || size > drawable(data)) {
    throw std::invalid_argument(
        fmt::format("draw: size is {}, but must be from 1 to {}", size, drawable(data)));
  }
  MnistDraw out;
  out.schema = schema_of(size);
  put_train(data, size, run, seed, out);
  put_test(data, seed, out);
  scale_inputs(out);
  return out;
}

Vector to_pixels(const MnistDraw& draw, const Vector& x) {
  const Vector deviations = draw.back.size() > 0 ? Vector(draw.back.transpose() * x) : x;
  return draw.pixel_mean + draw.pixel_deviation * deviations;
}

}  // namespace mdgp::experiments
