// CSV, plain and gzipped.
#include "read_all.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return mdgp::fuzz::test_one_input(data, size);
}
