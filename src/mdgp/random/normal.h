// Counter-based random numbers: a draw is a pure function of its coordinates (Philox4x32-10 of
// Random123; Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"). No state, so no
// order of evaluation and no number of threads can change a draw.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mdgp {

// What a draw is for: two purposes never share a number.
enum class Purpose : std::uint32_t { latent = 1, initialisation, minibatch, data, prediction };

// The coordinates of a draw.
struct DrawKey {
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::latent;
  std::uint32_t step = 0;
};

// A uniform in (0, 1), 52 bits.
double uniform(const DrawKey& key, std::uint64_t row, std::uint32_t column);

// A standard normal (Box-Muller; columns 2i and 2i + 1 are the two of one pair).
double normal(const DrawKey& key, std::uint64_t row, std::uint32_t column);
// Those of `count` columns from `column` on, `stride` apart in out.
void normals(const DrawKey& key, std::uint64_t row, std::uint32_t column, std::uint32_t count,
             double* out, std::ptrdiff_t stride);

}  // namespace mdgp
