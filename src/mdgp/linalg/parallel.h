// Parallel loops. Which thread runs which index is left to chance; what a loop computes must not
// depend on it. Sums are therefore made over *lanes*: the indices of a loop are dealt to a number
// of lanes that depends on the work only, each lane adds in the order of its indices, and the lanes
// are added in order. The same bits come out with 1 thread or 16.
#pragma once

#include <cstddef>
#include <type_traits>

#include "mdgp/linalg/matrix.h"

namespace mdgp {

// Threads that parallel loops use, the calling one included. Default: the hardware's, at most
// max_threads(). Not to be called from within a loop.
void set_num_threads(int threads);
int num_threads();
int max_threads();

namespace internal {
using LoopBody = void (*)(const void* body, Index index, int worker);
void run_parallel(Index count, const void* body, LoopBody call);
}  // namespace internal

// body(index, worker) for index in [0, count), worker in [0, num_threads()): a worker runs one
// index at a time, so scratch memory per worker is safe. An exception thrown by a body stops the
// loop and is thrown here (that of the smallest index that threw). Loops do not nest: an inner one
// runs on its caller's thread.
template <class Body>
void parallel_for(Index count, const Body& body) {
  internal::run_parallel(count, &body, [](const void* b, Index index, int worker) {
    (*static_cast<const Body*>(b))(index, worker);
  });
}

}  // namespace mdgp
