#include "sarcos/paper_tables.h"

#include <cstddef>

namespace mdgp::experiments {
namespace {

struct Figure {
  double mean, error;
};

struct Row {
  const char* model;
  std::array<Figure, kPaperSizes.size()> figures;
};

// clang-format off
// paper.tex, table:nlpp.
constexpr Row kNlpp[] = {
    {"smdgp", {{{1.47, 0.26}, {0.98, 0.11}, {0.74, 0.05}, {0.15, 0.1}, {-0.01, 0.1}, {-0.16, 0.1}}}},
    {"mmdgp", {{{1.34, 0.21}, {1.05, 0.10}, {0.67, 0.12}, {0.16, 0.10}, {0.01, 0.11}, {-0.12, 0.10}}}},
    {"cmdgp", {{{1.32, 0.21}, {0.95, 0.1}, {0.72, 0.06}, {0.24, 0.11}, {0.05, 0.10}, {-0.09, 0.10}}}},
    {"idgp", {{{1.32, 0.17}, {0.99, 0.11}, {0.75, 0.06}, {0.64, 0.04}, {0.36, 0.09}, {0.02, 0.08}}}},
    {"cgp", {{{1.51, 0.06}, {1.42, 0.04}, {1.35, 0.04}, {1.27, 0.08}, {0.12, 0.11}, {0.02, 0.11}}}},
    {"igp", {{{1.43, 0.03}, {1.38, 0.02}, {1.34, 0.03}, {1.28, 0.07}, {1.17, 0.09}, {0.91, 0.12}}}},
    {"mann2", {{{28.22, 5.39}, {10.56, 1.69}, {3.20, 0.53}, {1.66, 0.33}, {1.26, 0.30}, {1.16, 0.31}}}},
    {"mann3", {{{21.72, 4.20}, {9.53, 1.70}, {3.14, 0.51}, {1.92, 0.33}, {1.48, 0.34}, {1.42, 0.33}}}},
    {"mbnn2", {{{1.58, 0.22}, {1.11, 0.20}, {0.55, 0.09}, {0.31, 0.06}, {0.16, 0.04}, {0.05, 0.03}}}},
    {"mbnn3", {{{1.71, 0.28}, {1.18, 0.18}, {0.63, 0.09}, {0.37, 0.06}, {0.21, 0.04}, {0.09, 0.03}}}},
};

// paper.tex, table:rmse.
constexpr Row kRmse[] = {
    {"smdgp", {{{0.78, 0.05}, {0.64, 0.05}, {0.53, 0.03}, {0.31, 0.03}, {0.26, 0.02}, {0.22, 0.02}}}},
    {"mmdgp", {{{0.80, 0.05}, {0.69, 0.05}, {0.51, 0.05}, {0.31, 0.03}, {0.26, 0.03}, {0.23, 0.02}}}},
    {"cmdgp", {{{0.78, 0.07}, {0.64, 0.05}, {0.52, 0.03}, {0.33, 0.03}, {0.27, 0.03}, {0.23, 0.02}}}},
    {"idgp", {{{0.78, 0.06}, {0.64, 0.05}, {0.53, 0.03}, {0.47, 0.02}, {0.36, 0.03}, {0.26, 0.02}}}},
    {"cgp", {{{0.98, 0.01}, {0.96, 0.01}, {0.93, 0.03}, {0.86, 0.06}, {0.29, 0.03}, {0.26, 0.03}}}},
    {"igp", {{{0.98, 0.02}, {0.95, 0.02}, {0.92, 0.02}, {0.89, 0.05}, {0.80, 0.07}, {0.63, 0.07}}}},
    {"mann2", {{{0.73, 0.06}, {0.58, 0.04}, {0.41, 0.03}, {0.34, 0.02}, {0.31, 0.02}, {0.30, 0.02}}}},
    {"mann3", {{{0.77, 0.07}, {0.62, 0.05}, {0.45, 0.03}, {0.39, 0.02}, {0.36, 0.02}, {0.35, 0.02}}}},
    {"mbnn2", {{{0.80, 0.07}, {0.62, 0.05}, {0.44, 0.03}, {0.34, 0.02}, {0.27, 0.02}, {0.22, 0.02}}}},
    {"mbnn3", {{{0.79, 0.07}, {0.64, 0.05}, {0.46, 0.03}, {0.36, 0.02}, {0.29, 0.02}, {0.24, 0.02}}}},
};

// paper.tex, table:timing: milliseconds of one bound, batch of 500.
constexpr struct {
  const char* model;
  Figure figure;
} kBoundMs[] = {
    {"smdgp", {7.89, 0.15}},
    {"mmdgp", {8.89, 0.25}},
    {"cmdgp", {7.67, 0.29}},
    {"idgp", {6.43, 0.16}},
    {"cgp", {2.41, 0.04}},
    {"igp", {3.22, 0.06}},
};
// clang-format on

template <std::size_t n>
void append(const char* score, const Row (&rows)[n], std::vector<PaperFigure>& figures) {
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < kPaperSizes.size(); ++i) {
      figures.push_back(
          {score, row.model, kPaperSizes[i], row.figures[i].mean, row.figures[i].error});
    }
  }
}

}  // namespace

std::vector<PaperFigure> sarcos_paper_figures() {
  std::vector<PaperFigure> figures;
  append("nlpp", kNlpp, figures);
  append("rmse", kRmse, figures);
  append("relative_rmse", kRmse, figures);
  for (const auto& row : kBoundMs) {
    figures.push_back({"bound_ms", row.model, 0, row.figure.mean, row.figure.error});
  }
  return figures;
}

}  // namespace mdgp::experiments
