// The figures of the paper's experiment on MNIST variations (paper.tex, "Further results").
#pragma once

#include <vector>

#include "report.h"

namespace mdgp::experiments {

// Scores acc_standard, acc_random, acc_images and accuracy, of size 1000.
std::vector<PaperFigure> mnist_paper_figures();

}  // namespace mdgp::experiments
