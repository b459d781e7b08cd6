// The text files of the "variations on the MNIST digits" (LISA, Larochelle et al. 2007): a line is
// 784 pixels from 0 to 1 and the label, separated by blanks; also gzipped.
#pragma once

#include <string>

#include "images.h"

namespace mdgp::experiments {

// Pixels are kept in the 256 levels that they were made with, k / 256. Throws TableError, one line
// that names the file and the line.
LabelledImages read_amat(const std::string& path);

}  // namespace mdgp::experiments
