#include "paper_table.h"

#include "mnist.h"

namespace mdgp::experiments {
namespace {

struct Accuracy {
  double mean, error;
};

struct AccuracyRow {
  const char* model;
  Accuracy standard, random, images, all;
};

// The table in the paper has models across. \sharedmtldgp is smdgp, \mtldgp mmdgp, \icmdgp cmdgp,
// \stldgp idgp, \icmgp cgp, \stlgp igp.
constexpr AccuracyRow kRows[] = {
    {"smdgp", {0.89, 0.00}, {0.64, 0.00}, {0.78, 0.00}, {0.77, 0.00}},
    {"mmdgp", {0.87, 0.00}, {0.61, 0.01}, {0.74, 0.00}, {0.74, 0.00}},
    {"cmdgp", {0.80, 0.08}, {0.61, 0.03}, {0.70, 0.07}, {0.70, 0.06}},
    {"idgp", {0.85, 0.00}, {0.18, 0.00}, {0.19, 0.01}, {0.41, 0.01}},
    {"cgp", {0.87, 0.00}, {0.59, 0.04}, {0.58, 0.06}, {0.68, 0.04}},
    {"igp", {0.87, 0.00}, {0.19, 0.00}, {0.21, 0.01}, {0.42, 0.00}},
    {"mann2", {0.88, 0.00}, {0.59, 0.00}, {0.62, 0.00}, {0.70, 0.00}},
    {"mann3", {0.88, 0.00}, {0.59, 0.00}, {0.61, 0.00}, {0.69, 0.00}},
    {"mbnn2", {0.83, 0.00}, {0.51, 0.01}, {0.53, 0.01}, {0.63, 0.01}},
    {"mbnn3", {0.83, 0.00}, {0.49, 0.01}, {0.53, 0.01}, {0.61, 0.01}},
};

}  // namespace

std::vector<PaperFigure> mnist_paper_figures() {
  std::vector<PaperFigure> figures;
  for (const AccuracyRow& r : kRows) {
    figures.push_back({"accuracy", r.model, kMnistSize, r.all.mean, r.all.error});
    figures.push_back({"acc_standard", r.model, kMnistSize, r.standard.mean, r.standard.error});
    figures.push_back({"acc_random", r.model, kMnistSize, r.random.mean, r.random.error});
    figures.push_back({"acc_images", r.model, kMnistSize, r.images.mean, r.images.error});
  }
  return figures;
}

}  // namespace mdgp::experiments
