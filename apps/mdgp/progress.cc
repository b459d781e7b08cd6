#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace mdgp::program {

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0), start_(Clock::now()), last_() {}

Progress::~Progress() {
  if (terminal_ && last_ != Clock::time_point()) fmt::print(stderr, "\r\033[K");
}

void Progress::show(const std::string& label, double fraction, const std::string& note) {
  const auto now = Clock::now();
  if (!terminal_ || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  constexpr int kWidth = 24;
  const double done = std::clamp(fraction, 0.0, 1.0);
  const int filled = static_cast<int>(done * kWidth);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const std::string left =
      done > 0.02 ? fmt::format("{:.0f} s left", elapsed * (1.0 - done) / done) : "";
  fmt::print(stderr, "\r\033[K{} [{}{}] {:3.0f} %  {}  {}", label,
             std::string(static_cast<std::size_t>(filled), '#'),
             std::string(static_cast<std::size_t>(kWidth - filled), '-'), 100.0 * done, note, left);
  std::fflush(stderr);
}

}  // namespace mdgp::program
