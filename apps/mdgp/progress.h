// How far long work is, on standard error: a bar on a terminal, one line that is drawn over;
// elsewhere a plain line every minute.
#pragma once

#include <chrono>
#include <string>

namespace mdgp::program {

class Progress {
 public:
  Progress();
  ~Progress();  // wipes the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // At most ten times a second, or once a minute: "label [#####-----]  50 %  note  3 s left".
  void show(const std::string& label, double fraction, const std::string& note);
  // Where the time left is known instead (NaN: not yet).
  void show_left(const std::string& label, double seconds_left, const std::string& note);

 private:
  using Clock = std::chrono::steady_clock;
  double elapsed() const;
  void draw(const std::string& label, double fraction, const std::string& note,
            double seconds_left);

  bool terminal_;
  Clock::time_point start_, last_;
};

}  // namespace mdgp::program
