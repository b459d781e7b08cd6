// Counter-based random numbers: a draw is a pure function of its coordinates (Philox4x32-10 of
// Random123; Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"). No state, so no
// order of evaluation and no number of threads can change a draw.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mdgp {

// What a draw is for: with one seed, two purposes never share a number. (Within a purpose,
// uniform() and normal() do: use one of them, or different columns.)
enum class Purpose : std::uint32_t {
  latent = 1,
  initialisation,
  minibatch,
  data,
  prediction,
  bootstrap,
  hyperparameters,
  simulation,  // of data; what is drawn from them is Purpose::data
};

// The coordinates of a draw: these and those of a point.
struct DrawKey {
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::latent;
  std::uint32_t step = 0;
};
struct DrawPoint {
  std::uint64_t row = 0;
  std::uint32_t column = 0;
};

// A uniform in (0, 1), 52 bits.
double uniform(const DrawKey& key, std::uint64_t row, std::uint32_t column);

// A standard normal. Columns 2i and 2i + 1 are the two of pair i (Box-Muller).
double normal(const DrawKey& key, std::uint64_t row, std::uint32_t column);

// Pairs of standard normals at many points: even[k] and odd[k] are pair points[k].column + offset
// of row points[k].row. The memory of even and odd reaches to the next multiple of 8 beyond count.
void normal_pairs(const DrawKey& key, const DrawPoint* points, std::ptrdiff_t count,
                  std::uint32_t offset, double* even, double* odd);

}  // namespace mdgp
