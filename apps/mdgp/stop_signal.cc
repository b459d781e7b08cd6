#include "stop_signal.h"

#include <csignal>

namespace mdgp::program {
namespace {

volatile std::sig_atomic_t wanted = 0;

extern "C" void on_signal(int signal) {
  wanted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

StopSignal::StopSignal() {
  wanted = 0;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

StopSignal::~StopSignal() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool stop_wanted() { return wanted != 0; }

}  // namespace mdgp::program
