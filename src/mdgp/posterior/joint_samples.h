// Draws of whole functions. Posterior::latent gives every row's own distribution; a decision that
// compares rows ("which one is best?") or tasks ("how do they differ?") needs them together. Sample
// s is one draw of every process of the model, evaluated at all rows for all the tasks asked for,
// so what tasks share they share in every sample.
//
// Layer by layer, a process with inputs H at its n points draws, for each of its columns p,
//   v ~ q(v_p),   f = mean(H) + A v + chol(K(H, H) - A Aᵀ + jitter I) e,   A = K(H, Z) L⁻ᵀ.
// Its points are the rows as long as nothing below depends on the task, then a point for each row
// and task that it serves. The jitter escalates as in Prepared. White noise is drawn anew at each
// point: two equal rows differ by it, and by the jitter.
//
// The factor is dense: O(n³) time and O(n²) memory per process; once in the first layer, where H is
// x, but for every sample (and, in memory, every thread) in the layers above it. Meant for up to a
// few thousand points.
#pragma once

#include <cstdint>
#include <vector>

#include "mdgp/posterior/posterior.h"

namespace mdgp {

// f of each task asked for, in that order: [rows, samples]. For a multi-class task
// [rows * classes, samples], where f of class c at row i is in row i * classes + c.
//
// A seed gives the same samples whatever the number of threads, the order of the tasks and the
// number of samples (more samples begin with the same ones). Asking for other tasks, or for more
// rows, gives another draw from the same distribution. Throws NumericalError where no jitter up to
// 1e-2 makes a covariance positive definite.
std::vector<Matrix> joint_samples(const Posterior& posterior, const ConstView& x,
                                  const std::vector<int>& tasks, Index samples, std::uint64_t seed);

// y of each task asked for, [rows, samples]: one draw from p(y | f) on top of each of the samples
// above, independent between rows and tasks given f. For a multi-class task y is the class's
// number.
std::vector<Matrix> joint_targets(const Posterior& posterior, const ConstView& x,
                                  const std::vector<int>& tasks, Index samples, std::uint64_t seed);

}  // namespace mdgp
