// Scores as a table for people.
#pragma once

#include "mdgp/metrics/evaluate.h"

namespace mdgp::program {

void print_scores(const Evaluation& evaluation);

}  // namespace mdgp::program
