#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace mdgp::program {
namespace {

std::string duration(double seconds) {
  if (seconds < 120.0) return fmt::format("{:.0f} s", seconds);
  const auto minutes = std::lround(seconds / 60.0);
  return minutes < 120 ? fmt::format("{} min", minutes)
                       : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0), start_(Clock::now()) {
  if (!terminal_) last_ = start_;  // short work says nothing
}

Progress::~Progress() {
  if (terminal_ && last_ != Clock::time_point()) fmt::print(stderr, "\r\033[K");
}

double Progress::elapsed() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void Progress::show(const std::string& label, double fraction, const std::string& note) {
  const double done = std::clamp(fraction, 0.0, 1.0);
  draw(label, done, note, done > 0.02 ? elapsed() * (1.0 - done) / done : NAN);
}

void Progress::show_left(const std::string& label, double seconds_left, const std::string& note) {
  const bool known = std::isfinite(seconds_left);
  draw(label, known ? elapsed() / (elapsed() + seconds_left) : 0.0, note, seconds_left);
}

void Progress::draw(const std::string& label, double fraction, const std::string& note,
                    double seconds_left) {
  const auto now = Clock::now();
  const Clock::duration pause = terminal_ ? Clock::duration(std::chrono::milliseconds(100))
                                          : Clock::duration(std::chrono::minutes(1));
  if (now - last_ < pause) return;
  last_ = now;
  const std::string left =
      std::isfinite(seconds_left) ? fmt::format("{} left", duration(seconds_left)) : "";
  if (!terminal_) {
    fmt::print(stderr, "{} {:.0f} %  {}  {}\n", label, 100.0 * fraction, note, left);
    return;
  }
  constexpr int kWidth = 24;
  const int filled = static_cast<int>(fraction * kWidth);
  fmt::print(stderr, "\r\033[K{} [{}{}] {:3.0f} %  {}  {}", label,
             std::string(static_cast<std::size_t>(filled), '#'),
             std::string(static_cast<std::size_t>(kWidth - filled), '-'), 100.0 * fraction, note,
             left);
  std::fflush(stderr);
}

}  // namespace mdgp::program
