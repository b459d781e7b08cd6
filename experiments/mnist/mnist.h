// One fit of the MNIST experiment: draw, choose, train, score on the test images of the three
// tasks.
#pragma once

#include "mdgp/io/options.h"
#include "mnist_data.h"
#include "record.h"
#include "runner.h"

namespace mdgp::experiments {

constexpr Index kMnistSize = 1000;  // training images of each task, as in the paper

// Every model of the experiment, in the order of the report. The last ones are yardsticks that do
// not know of tasks: they are trained on the images of all three as one.
std::vector<std::string> mnist_models();
const std::vector<std::string>& mnist_yardsticks();  // svm-pooled, forest-pooled

// How a model is fitted here. What is not said follows from the data (io/choose.h).
struct MnistSettings {
  FitSettings fit;
  Index components = 0;    // principal components of the pixels as inputs; 0: the pixels
  double whitening = 0.0;  // of these, see use_components()
};

// `preset`: paper-mnist, or empty for ours.
MnistSettings mnist_settings(const std::string& model, const std::string& preset,
                             std::uint64_t seed);

struct MnistOptions {
  Index samples = 20;  // of the inner layers, in predictions
  Index steps = 0;     // of training; 0: as the settings say
};

// scores: acc_standard, acc_random, acc_images, accuracy (their mean), log_loss (mean over tasks,
// where the model has probabilities), bound and steps. lists: log_loss_by_task; run 0 of mmdgp also
// has one inducing image of the standard task's private process and one of the shared process, both
// before and after training (inducing_image.h).
Record fit_mnist(const MnistData& data, const Job& job, const MnistOptions& options);

}  // namespace mdgp::experiments
