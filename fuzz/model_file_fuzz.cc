// Model files.
#include <cstddef>
#include <cstdint>

#include "mdgp/linalg/parallel.h"
#include "use_model.h"

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  mdgp::set_num_threads(1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mdgp::fuzz::use_model({reinterpret_cast<const char*>(data), size});
  return 0;
}
