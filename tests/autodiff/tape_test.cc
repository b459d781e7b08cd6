#include "mdgp/autodiff/tape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mdgp/linalg/blas.h"

namespace mdgp {
namespace {

TEST(Tape, RunsCallbacksLastFirst) {
  Tape tape;
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) tape.on_reverse([i, out = &order] { out->push_back(i); });
  tape.reverse();
  EXPECT_EQ(order, (std::vector{2, 1, 0}));
}

TEST(Tape, RunsNothingBeforeReverse) {
  Tape tape;
  int runs = 0;
  tape.on_reverse([out = &runs] { ++*out; });
  EXPECT_EQ(runs, 0);
}

TEST(Tape, ClearForgetsTheCallbacks) {
  Tape tape;
  int runs = 0;
  tape.on_reverse([out = &runs] { ++*out; });
  tape.clear();
  tape.reverse();
  EXPECT_EQ(runs, 0);
}

TEST(Tape, VariableStartsWithAZeroAdjoint) {
  Tape tape;
  for (int round = 0; round < 2; ++round) {  // the second round finds used memory
    Var v = tape.variable(3, 4);
    ASSERT_EQ(v.rows(), 3);
    ASSERT_EQ(v.cols(), 4);
    ASSERT_TRUE(v.differentiable());
    EXPECT_TRUE(v.adjoint.isZero(0.0));
    v.value.setConstant(5.0);
    v.adjoint.setConstant(7.0);
    tape.clear();
  }
}

TEST(Tape, UsedOnceHasValueAndAdjointOfItsShape) {
  Tape tape;
  const Var v = tape.used_once(3, 4);
  EXPECT_EQ(v.value.rows(), 3);
  EXPECT_EQ(v.value.cols(), 4);
  EXPECT_EQ(v.adjoint.rows(), 3);
  EXPECT_EQ(v.adjoint.cols(), 4);
}

TEST(Tape, MatricesDoNotOverlap) {
  Tape tape;
  std::vector<View> matrices;
  for (Index i = 0; i < 50; ++i) {
    matrices.push_back(tape.matrix(i, 7));
    matrices.back().setConstant(static_cast<double>(i));
  }
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    EXPECT_TRUE((matrices[i].array() == static_cast<double>(i)).all()) << i;
  }
}

TEST(Tape, EveryColumnBeginsAtACacheLine) {
  Tape tape;
  for (const Index rows : {1, 7, 8, 9, 100}) {
    const View m = tape.matrix(rows, 3);
    for (Index j = 0; j < 3; ++j) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(column(m, j)) % 64, 0U) << rows << ", " << j;
    }
  }
}

TEST(Tape, ReverseCarriesTheDerivativeOfAProductBack) {
  Tape tape;
  Var a = tape.variable(2, 3), b = tape.variable(3, 2), c = tape.variable(2, 2);
  a.value << 1, 2, 3, 4, 5, 6;
  b.value << 1, -1, 0, 2, 3, 1;
  gemm(Op::none, Op::none, 1.0, as_const(a.value), as_const(b.value), 0.0, c.value);
  tape.on_reverse([=] {
    gemm(Op::none, Op::transpose, 1.0, as_const(c.adjoint), as_const(b.value), 1.0, a.adjoint);
    gemm(Op::transpose, Op::none, 1.0, as_const(a.value), as_const(c.adjoint), 1.0, b.adjoint);
  });
  c.adjoint.setOnes();  // of the sum of the elements of C
  tape.reverse();
  EXPECT_EQ(Matrix(a.adjoint), (Matrix{{0, 2, 4}, {0, 2, 4}}));
  EXPECT_EQ(Matrix(b.adjoint), (Matrix{{5, 5}, {7, 7}, {9, 9}}));
}

TEST(SilentTape, DropsCallbacks) {
  Tape tape;
  tape.set_recording(false);
  int runs = 0;
  tape.on_reverse([out = &runs] { ++*out; });
  tape.reverse();
  EXPECT_EQ(runs, 0);
}

TEST(SilentTape, GivesResultsWithoutAdjoints) {
  Tape tape;
  tape.set_recording(false);
  EXPECT_FALSE(tape.recording());
  EXPECT_FALSE(tape.variable(2, 2).differentiable());
  EXPECT_FALSE(tape.used_once(2, 2).differentiable());
}

TEST(SilentTape, RecordsAgainWhenAsked) {
  Tape tape;
  tape.set_recording(false);
  tape.clear();
  tape.set_recording(true);
  EXPECT_TRUE(tape.variable(2, 2).differentiable());
}

TEST(Var, AConstantSharesTheValueAndHasNoAdjoint) {
  const Matrix m = Matrix::Ones(2, 3);
  const Var v = constant(view_of(m));
  EXPECT_EQ(v.value.data(), m.data());
  EXPECT_FALSE(v.differentiable());
}

TEST(Var, ABlockIsAWindowOnValueAndAdjoint) {
  Tape tape;
  Var v = tape.variable(4, 5);
  v.value.setZero();
  Var b = block(v, 1, 2, 2, 3);
  b.value.setConstant(2.0);
  b.adjoint.setConstant(3.0);
  Matrix inside = Matrix::Zero(4, 5);
  inside.block(1, 2, 2, 3).setOnes();
  EXPECT_EQ(Matrix(v.value), 2.0 * inside);
  EXPECT_EQ(Matrix(v.adjoint), 3.0 * inside);
}

TEST(Var, ABlockOfAConstantIsAConstant) {
  const Matrix m = Matrix::Ones(4, 5);
  EXPECT_FALSE(block(constant(view_of(m)), 1, 2, 2, 3).differentiable());
}

// A step's allocations, together several times what the arena starts with.
std::vector<void*> allocate_step(Arena& arena) {
  std::vector<void*> places;
  for (std::size_t i = 1; i < 200; ++i) places.push_back(arena.allocate(i * 100));
  return places;
}

TEST(Arena, AlignsToCacheLines) {
  Arena arena;
  for (void* p : allocate_step(arena)) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 64, 0U);
}

TEST(Arena, GivesMemoryThatDoesNotOverlap) {
  Arena arena;
  std::vector<void*> places = allocate_step(arena);
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::fill_n(static_cast<unsigned char*>(places[i]), (i + 1) * 100,
                static_cast<unsigned char>(i));
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto* bytes = static_cast<unsigned char*>(places[i]);
    ASSERT_TRUE(std::all_of(bytes, bytes + (i + 1) * 100, [=](unsigned char b) {
      return b == static_cast<unsigned char>(i);
    })) << i;
  }
}

TEST(Arena, GivesTheSameMemoryAgainAfterTheFirstStep) {
  Arena arena;
  allocate_step(arena);  // finds out how much a step needs
  arena.clear();
  const std::vector<void*> second = allocate_step(arena);
  for (int step = 0; step < 5; ++step) {
    arena.clear();
    EXPECT_EQ(allocate_step(arena), second);
  }
}

TEST(Arena, AfterTheFirstStepAStepIsOneBlock) {
  Arena arena;
  allocate_step(arena);
  arena.clear();
  const std::vector<void*> places = allocate_step(arena);
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
}

TEST(Arena, KeepsEarlierMemoryWhenItGrows) {
  Arena arena;
  auto* first = static_cast<double*>(arena.allocate(sizeof(double)));
  *first = 3.0;
  arena.allocate(std::size_t{1} << 22);
  EXPECT_EQ(*first, 3.0);
}

}  // namespace
}  // namespace mdgp
