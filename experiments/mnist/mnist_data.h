// Three tasks of ten classes: handwritten digits as they are (`standard`), on noise (`random`) and
// on patches of photographs (`images`), after the "variations on the MNIST digits" of Larochelle et
// al. (2007).
//
// The original files of the variations are read where they are. Otherwise the tasks are rebuilt
// from MNIST and photographs by the published recipe: in `random` every background pixel is uniform
// in 0 … 255; in `images` the background is a patch at a random place of one of 20 photographs,
// where patches whose standard deviation is below kLeastDeviation are passed over. What the recipe
// does not say: digit and background are combined as max(digit, background).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "images.h"
#include "mdgp/data/schema.h"
#include "mdgp/inference/minibatch.h"

namespace mdgp::experiments {

constexpr const char* kMnistTasks[] = {"standard", "random", "images"};
constexpr int kMnistTaskCount = 3;
constexpr Index kMostPhotographs = 20;
constexpr double kLeastDeviation = 10.0;

struct MnistData {
  // One of each task or, where `photographs` has any, one for all, without backgrounds yet.
  std::vector<LabelledImages> train, test;
  Images photographs;
  std::string origin;  // "original", "rebuilt" or "drawn"

  bool rebuilt() const { return photographs.count > 0; }
};

// From the six .amat files or, where there are none, from the IDX files; in the directory or its
// folders `mnist_variations`, `mnist` and `mnist_backgrounds`. `asked` begins messages: "--data".
// Throws FileError or TableError: one line with the path and the remedy.
MnistData load_mnist(const std::string& directory, const std::string& asked);

// Without any file: digits and textures that are drawn by rule. Always the same.
MnistData draw_mnist();

// Tells data of other files apart; empty where they are drawn.
std::string checksum(const MnistData& data);

// The most training images that each task can have.
Index drawable(const MnistData& data);

// Throws OptionError where a task would have no training image of some digit in one of the runs.
void check_draws(const MnistData& data, Index size, int runs, std::uint64_t seed);

struct MnistDraw {
  Schema schema;                         // inputs p0 … p783, or pc0 … where they are components
  DataSet train;                         // 3 * size rows, task by task
  std::vector<Matrix> test_x;            // [task]: [m, D]
  std::vector<std::vector<int>> test_y;  // [task]: [m]

  // From inputs back to pixels from 0 to 1.
  Vector pixel_mean;             // [784]
  double pixel_deviation = 1.0;  // the one that all pixels have in common
  Matrix back;                   // [D, 784] to pixels in deviations; empty: inputs are these
};

// `size` training images of each task, a function of data, size, run and seed; no digit serves two
// tasks. Test images and their backgrounds depend on the seed only. Inputs are pixels from 0 to 1,
// less their mean over the training images, over one deviation that all pixels have in common: a
// pixel at the margin, which hardly varies, must not weigh as much as one in the middle.
MnistDraw draw(const MnistData& data, Index size, int run, std::uint64_t seed);

// Puts the leading principal components of the training inputs in place of the inputs. Component k
// is divided by its deviation to the power `whitening` (0: as it is, 1: all of one deviation), then
// all by one number, so that their mean square over training rows and components is 1. Throws
// std::invalid_argument where there are not so many components.
void use_components(MnistDraw& draw, Index components, double whitening);

// A point of the models' inputs as grey levels from 0 to 1 (not clipped), [784].
Vector to_pixels(const MnistDraw& draw, const Vector& x);

}  // namespace mdgp::experiments
