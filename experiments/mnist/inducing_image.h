// The paper's figure 4: what training makes of one inducing image of mmdgp in the private process
// of the standard task and in the shared one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mdgp/models/model.h"
#include "mnist_data.h"

namespace mdgp::experiments {

constexpr const char* kInducingImages[] = {"private_before", "private_after", "shared_before",
                                           "shared_after"};

// [784] grey levels by these names. The two processes have inducing inputs of their own: of all
// pairs, the one whose images are nearest to each other before training is taken, so that they
// begin (almost) as one image, as in the paper. Empty where the model has no such processes.
std::map<std::string, std::vector<double>> inducing_images(const MnistDraw& draw,
                                                           const Model& before, const Model& after);

}  // namespace mdgp::experiments
