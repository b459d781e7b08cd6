#include "paper_table.h"

namespace mdgp::experiments {
namespace {

struct Figure {
  double mean, error;
};
struct Row {
  const char* model;
  Figure figures[4];  // runs 1 to 3, all
};
constexpr const char* kScores[] = {"auc1", "auc2", "auc3", "auc"};

// clang-format off
constexpr Row kRows[] = {
    {"smdgp", {{0.73, 0.03}, {0.80, 0.02}, {0.80, 0.02}, {0.78, 0.02}}},
    {"mmdgp", {{0.75, 0.03}, {0.81, 0.02}, {0.80, 0.02}, {0.78, 0.02}}},
    {"cmdgp", {{0.72, 0.02}, {0.81, 0.02}, {0.79, 0.02}, {0.77, 0.01}}},
    {"idgp",  {{0.62, 0.02}, {0.75, 0.02}, {0.76, 0.03}, {0.71, 0.02}}},
    {"cgp",   {{0.58, 0.03}, {0.64, 0.02}, {0.66, 0.02}, {0.63, 0.02}}},
    {"igp",   {{0.57, 0.02}, {0.56, 0.03}, {0.61, 0.04}, {0.58, 0.02}}},
    {"irf",   {{0.71, 0.03}, {0.71, 0.02}, {0.72, 0.02}, {0.71, 0.01}}},
    {"mann2", {{0.54, 0.03}, {0.54, 0.02}, {0.50, 0.03}, {0.53, 0.02}}},
    {"mann3", {{0.54, 0.01}, {0.52, 0.03}, {0.53, 0.03}, {0.53, 0.02}}},
    {"mbnn2", {{0.47, 0.02}, {0.48, 0.02}, {0.43, 0.03}, {0.46, 0.01}}},
    {"mbnn3", {{0.44, 0.04}, {0.48, 0.04}, {0.45, 0.02}, {0.45, 0.02}}},
};
// clang-format on

}  // namespace

std::vector<PaperFigure> faims_paper_figures(Index size) {
  std::vector<PaperFigure> figures;
  for (const Row& row : kRows) {
    for (std::size_t i = 0; i < std::size(kScores); ++i) {
      figures.push_back({kScores[i], row.model, size, row.figures[i].mean, row.figures[i].error});
    }
  }
  return figures;
}

}  // namespace mdgp::experiments
