// Reverse mode on whole matrices. An operation computes its value and, in the next statement,
// leaves on the tape what carries its adjoint back:
//
//   Var multiply(Tape& tape, Var a, Var b) {
//     Var c = tape.variable(a.value.rows(), b.value.cols());
//     gemm(…, a.value, b.value, …, c.value);
//     tape.on_reverse([=] { gemm(…, c.adjoint, b.value, …, a.adjoint); … });
//     return c;
//   }
//
// Matrices and callbacks live in one arena that is rewound, never freed, so a step allocates
// nothing once the first step has found out how much it needs.
#pragma once

#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "mdgp/linalg/matrix.h"

namespace mdgp {

// A matrix and the derivative of the result with respect to it. Without storage for the adjoint
// (null), it is a constant.
struct Var {
  View value;
  View adjoint;

  Var(const View& v, const View& a) : value(v), adjoint(a) {}
  Var(const Var&) = default;
  // Assigning a View copies elements; binding a Var anew is never meant.
  Var& operator=(const Var&) = delete;

  Index rows() const { return value.rows(); }
  Index cols() const { return value.cols(); }
  bool differentiable() const { return adjoint.data() != nullptr; }
};

inline View no_view() { return make_view(static_cast<double*>(nullptr), 0, 0); }
// A constant; operations never write to the value of an argument.
inline Var constant(const ConstView& value) {
  return {View(const_cast<double*>(value.data()), value.rows(), value.cols(),
               Eigen::OuterStride<>(value.outerStride())),
          no_view()};
}
inline Var block(const Var& v, Index row, Index col, Index rows, Index cols) {
  return {block(v.value, row, col, rows, cols),
          v.differentiable() ? block(v.adjoint, row, col, rows, cols) : no_view()};
}

// Memory that grows to what is needed and is then used again and again. Everything in it is aligned
// to a cache line.
class Arena {
 public:
  void* allocate(std::size_t bytes);
  void clear();                     // rewinds; several blocks become one
  void reserve(std::size_t bytes);  // an empty arena only
  std::size_t capacity() const;

 private:
  struct Free {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  struct Block {
    std::unique_ptr<std::byte[], Free> data;
    std::size_t size = 0;
  };
  void add_block(std::size_t size);

  std::vector<Block> blocks_;
  std::size_t used_ = 0;  // of the last block
};

class Tape {
 public:
  // Whether operations leave callbacks and their results have adjoints. Cleared tapes only.
  void set_recording(bool recording) { recording_ = recording; }
  bool recording() const { return recording_; }

  // Every column begins at a cache line (the outer stride is rows, rounded up): BLAS is up to a
  // third faster so.
  View matrix(Index rows, Index cols);   // uninitialised
  Var variable(Index rows, Index cols);  // value uninitialised, adjoint zero
  // For a result that is used exactly once, by an operation that assigns its adjoint instead of
  // adding to it: value and adjoint uninitialised.
  Var used_once(Index rows, Index cols);
  template <class T>
  T* array(Index count) {
    static_assert(std::is_trivially_destructible_v<T>);
    return static_cast<T*>(arena_.allocate(static_cast<std::size_t>(count) * sizeof(T)));
  }

  template <class F>
  void on_reverse(F callback) {
    static_assert(std::is_trivially_destructible_v<F>, "capture views and plain values only");
    if (!recording_) return;
    F* stored = new (arena_.allocate(sizeof(F))) F(std::move(callback));
    callbacks_.push_back({[](void* f) { (*static_cast<F*>(f))(); }, stored});
  }

  void reverse();  // runs the callbacks, last first
  void clear();
  // Clears it and makes it as large as the other, so that it can do the same work without
  // allocating.
  void match(const Tape& other);

 private:
  struct Callback {
    void (*call)(void*);
    void* state;
  };
  Arena arena_;
  std::vector<Callback> callbacks_;
  bool recording_ = true;
};

}  // namespace mdgp
