// The sums that the chunks of rows add to. Each lane has its own (linalg/parallel.h); they are
// added up in the order of the lanes.
#pragma once

#include <vector>

#include "mdgp/models/model.h"

namespace mdgp {

struct Lane {
  Vector sums;                            // adjoints of the parameters but the processes' q_sqrt
  Tape triangles;                         // memory of every process's q_sqrt and S
  std::vector<ProcessAdjoints> adjoints;  // [process] views of these
  std::vector<char> started;              // [process] see ProcessAdjoints
  double expected_log_likelihood = 0.0;
};

class Lanes {
 public:
  explicit Lanes(const Model& model);

  // Makes `count` lanes ready, all sums zero.
  void start(Index count);
  Lane& operator[](Index l) { return lanes_[static_cast<std::size_t>(l)]; }
  Index count() const { return count_; }

  // Consecutive columns of one process's q_sqrt or S, few enough to stay in the cache.
  struct Segment {
    std::size_t process;
    bool is_S;
    Index begin, end;
  };
  const std::vector<Segment>& segments() const { return segments_; }

  // The adjoints of the parameters and S of each process, summed over the lanes: those of a
  // segment, and of all parameters but q_sqrt.
  void sum_segment(const Segment& segment, double* gradient);
  void sum_others(double* gradient);
  const View& S(std::size_t process) const { return S_[process]; }

 private:
  void add_lane();
  void add_segments(std::size_t process, bool is_S, Index columns);

  const Model& model_;
  Index count_ = 0;
  std::vector<const Process*> processes_;
  std::vector<Segment> segments_;
  std::vector<Lane> lanes_;
  Tape storage_;  // of S_
  std::vector<View> S_;
};

}  // namespace mdgp
