#include "flops.h"

#include <numeric>

namespace mdgp::bench {
namespace {

// n points through a process with M inducing inputs, D inputs and P outputs
// (layers/conditional.cc).
double process_flops(const Process& process, double n, bool inner_inputs, bool gradient) {
  const auto M = static_cast<double>(process.inducing), D = static_cast<double>(process.inputs),
             P = static_cast<double>(process.width);
  const double triangle =
      M * (M + 1);  // twice the elements of a triangle: a product with one, per row
  // A Matérn-5/2 kernel of a distance, with its derivative: s = sqrt(5 r²), e = v exp(-s),
  // (1 + s + s²/3) e, -5/6 (1 + s) e.
  constexpr double kKernel = 11;
  double flops = triangle / 2 * (2 * D + kKernel) + M * M * M / 3;  // K(Z, Z), Cholesky
  flops += n * (M * (2 * D + kKernel)                               // K(X, Z)
                + triangle                                          // A
                + P * triangle                                      // B
                + 2 * M * P                                         // mean
                + 2 * M * (P + 1));                                 // variance
  if (process.mean_weights.size() > 0) flops += n * 2 * D * P;
  if (!gradient) return flops;
  flops += n * (M * P                                           // C
                + 2 * P * triangle + 4 * M * P + 2 * M          // L̄_p, Ā, q̄_mu
                + 2 * triangle                                  // S, K̄
                + 5 * M + 2 * M * D * (inner_inputs ? 2 : 1));  // w, its sums; U and, inside, V
  flops += 2 * M * M * M / 3 + 2 * triangle * D;                // K̄zz, Z̄ from it
  return flops;
}

}  // namespace

double bound_flops(const Model& model, const std::vector<Index>& observations, Index samples,
                   bool gradient) {
  const Index all = std::accumulate(observations.begin(), observations.end(), Index{0});
  double flops = 0.0;
  for_processes(model.cascade, [&](const Process& process, std::size_t layer, std::size_t) {
    Index n = process.shared() ? all : 0;
    for (const int t : process.tasks) n += observations[static_cast<std::size_t>(t)];
    if (layer > 0) n *= samples;
    flops += process_flops(process, static_cast<double>(n), layer > 0, gradient);
  });
  return flops;
}

}  // namespace mdgp::bench
