#include "checksum.h"

#include <fmt/format.h>
#include <zlib.h>

namespace mdgp::experiments {

std::string checksum(const std::vector<std::string_view>& parts) {
  uLong sum = crc32_z(0, nullptr, 0);
  for (const std::string_view part : parts) {
    if (part.empty()) continue;  // without bytes, zlib would begin again
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(part.data()), part.size());
  }
  return fmt::format("{:08x}", sum);
}

}  // namespace mdgp::experiments
