// Model files.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "mdgp/linalg/parallel.h"
#include "use_model.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  mdgp::set_num_threads(1);
  return 0;
}

// Three times in four changes the header or the numbers and keeps the header's length right: a
// change anywhere mostly ends at the length.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::uint64_t length = 0;
  constexpr std::size_t kLength = sizeof(length);
  if (size > kLength) std::memcpy(&length, data, kLength);
  if (size <= kLength || length == 0 || length >= size - kLength || seed % 4 == 0) {
    return LLVMFuzzerMutate(data, size, most);
  }
  const std::size_t numbers = size - kLength - length;
  if (seed % 4 == 1) {
    std::uint8_t* begin = data + kLength + length;
    return kLength + length + LLVMFuzzerMutate(begin, numbers, numbers);
  }
  const std::string tail(reinterpret_cast<const char*>(data) + kLength + length, numbers);
  length = LLVMFuzzerMutate(data + kLength, length, most - kLength - numbers);
  std::memcpy(data, &length, kLength);
  std::memcpy(data + kLength + length, tail.data(), numbers);
  return kLength + length + numbers;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mdgp::fuzz::use_model({reinterpret_cast<const char*>(data), size});
  return 0;
}
