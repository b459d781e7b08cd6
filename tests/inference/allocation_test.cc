// An evaluation of the bound allocates nothing once it has seen a batch of that size. Counts the
// calls of malloc and its relatives in the whole program, which is therefore one of its own.
#include <gtest/gtest.h>
#include <link.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "mdgp/linalg/parallel.h"
#include "testing/random_model.h"

#if MDGP_SANITIZED || !defined(__GLIBC__)
#define MDGP_CANNOT_COUNT 1
#endif

namespace {
std::atomic<bool> counting{false};
std::atomic<long> calls{0};

#ifndef MDGP_CANNOT_COUNT
// OpenBLAS has kernels for small matrices that take a buffer for each product (dgemm_small_kernel
// on AVX-512 machines). That is not ours to count: calls from where its code lies are left out.
struct Range {
  std::uintptr_t begin = 0, end = 0;
};

Range find_blas() {
  Range range;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        if (std::strstr(info->dlpi_name, "blas") == nullptr) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
          if (header.p_type == PT_LOAD && (header.p_flags & PF_X) != 0) {
            *static_cast<Range*>(out) = {begin, begin + header.p_memsz};
          }
        }
        return 1;
      },
      &range);
  return range;
}

const Range blas = find_blas();

bool is_blas(const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  return blas.begin <= address && address < blas.end;
}

void count(const void* caller) {
  if (counting.load(std::memory_order_relaxed) && !is_blas(caller)) {
    calls.fetch_add(1, std::memory_order_relaxed);
  }
}
#endif
}  // namespace

#ifndef MDGP_CANNOT_COUNT
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) noexcept {
  count(__builtin_return_address(0));
  return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) noexcept {
  count(__builtin_return_address(0));
  return __libc_calloc(n, size);
}
void* realloc(void* p, std::size_t size) noexcept {
  count(__builtin_return_address(0));
  return __libc_realloc(p, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  count(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** p, std::size_t alignment, std::size_t size) noexcept {
  count(__builtin_return_address(0));
  *p = __libc_memalign(alignment, size);
  return *p == nullptr ? ENOMEM : 0;
}
}
#endif

namespace mdgp {
namespace {

using fixture::Data;
using fixture::Observed;
using fixture::Random;

// With likelihoods that use scratch memory among them.
Model make_model(const std::string& name) {
  std::vector<TaskSpec> tasks = {{"gaussian"}, {"robustmax", 3}, {"softmax", 2}};
  if (fixture::is_coregional(name)) tasks = {{"gaussian"}, {"bernoulli"}, {"student_t"}};
  return fixture::random_model(fixture::small_spec(name, 3, tasks), 71);
}

class AllocationTest : public ::testing::TestWithParam<std::string> {
 protected:
  AllocationTest() : threads_(num_threads()) {
    Random random(72);
    data_ = fixture::random_data(model_, 700, Observed::mixed, random);
    options_.samples = 2;
    options_.num_data = 1e4;
  }
  ~AllocationTest() override { set_num_threads(threads_); }

  void SetUp() override {
#ifdef MDGP_CANNOT_COUNT
    GTEST_SKIP() << "calls of malloc cannot be counted under sanitizers or without glibc";
#endif
  }

  // The calls of malloc in one evaluation with gradient.
  long evaluate() {
    options_.noise.step += 1;
    calls = 0;
    counting = true;
    bound_(data_.batch(), options_, &gradient_, &top_);
    counting = false;
    return calls;
  }

  Model model_ = make_model(GetParam());
  Data data_;
  BoundOptions options_;
  Bound bound_{model_};
  Vector gradient_;
  TopValues top_;

 private:
  int threads_;
};

INSTANTIATE_TEST_SUITE_P(Models, AllocationTest, ::testing::ValuesIn(fixture::kModels),
                         [](const auto& test) { return test.param; });

TEST_P(AllocationTest, CountsWhatTheFirstEvaluationAllocates) {
  set_num_threads(1);
  EXPECT_GT(evaluate(), 0);
}

TEST_P(AllocationTest, NoneAfterTwoEvaluationsWithOneThread) {
  set_num_threads(1);
  for (int i = 0; i < 2; ++i) evaluate();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(evaluate(), 0) << "evaluation " << i;
}

// Which thread takes which rows is left to chance, so a thread may meet its largest chunk late and
// its memory grow once more. What an evaluation allocated each time would show in the smallest
// count.
TEST_P(AllocationTest, NonePerEvaluationWithTwoThreads) {
  set_num_threads(2);
  long smallest = evaluate();
  for (int i = 0; i < 20; ++i) smallest = std::min(smallest, evaluate());
  EXPECT_EQ(smallest, 0);
}

TEST_P(AllocationTest, NoneForASmallerBatchAfterwards) {
  set_num_threads(1);
  for (int i = 0; i < 2; ++i) evaluate();
  data_.observations.resize(300);
  evaluate();
  EXPECT_EQ(evaluate(), 0);
}

}  // namespace
}  // namespace mdgp
