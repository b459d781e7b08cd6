// The sums that the chunks of rows add to. Each lane has its own (linalg/parallel.h); they are added up
// in the order of the lanes.
#pragma once

#include <vector>

#include "mdgp/models/model.h"

namespace mdgp {

struct Lane {
  Vector sums;                            // adjoints of the parameters, then every process's S
  std::vector<ProcessAdjoints> adjoints;  // [process] views of sums
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

  // The adjoints of all parameters, and S of each process, summed over the lanes.
  void sum(double* gradient);
  View S(std::size_t process);

 private:
  // Consecutive columns of a matrix of triangles [M, M * P] (linalg/blas.h), or a plain range (P = 0).
  struct Segment {
    std::size_t process;
    Index offset;      // of the matrix or range in Lane::sums
    Index begin, end;  // columns or elements
    Index triangles;   // P
  };
  void add_lane();
  void add_segments(std::size_t process, Index offset, Index columns, Index column_size,
                    Index triangles);
  void sum_segment(const Segment& segment, double* gradient);

  const Model& model_;
  Index parameters_;
  Index count_ = 0;
  std::vector<const Process*> processes_;
  std::vector<Index> S_begin_;  // [process] in Lane::sums
  std::vector<Segment> segments_;
  std::vector<Lane> lanes_;
  Vector S_;  // of all processes
};

}  // namespace mdgp
