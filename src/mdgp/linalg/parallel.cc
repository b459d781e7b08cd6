#include "mdgp/linalg/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "mdgp/linalg/check.h"

namespace mdgp {
namespace {

constexpr int kMaxThreads = 256;

// The worker that this thread is while it runs a loop's body; -1 outside of loops.
thread_local int current_worker = -1;

// Loops follow each other within microseconds, less than it takes to wake a thread: look for a
// moment before going to sleep.
template <class Condition>
void spin_until(Condition condition) {
  for (int i = 0; i < 2000 && !condition(); ++i) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}

// One loop at a time: the caller posts it under a new generation number, works on it as worker 0
// and waits until every worker that joined has left.
class Pool {
 public:
  explicit Pool(int threads) {
    for (int worker = 1; worker < threads; ++worker) {
      workers_.emplace_back([this, worker] { work(worker); });
    }
  }

  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    posted_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  void run(Index count, const void* body, internal::LoopBody call) {
    const std::lock_guard one_loop(loop_mutex_);
    {
      const std::lock_guard lock(mutex_);
      body_ = body;
      call_ = call;
      count_ = count;
      next_.store(0);
      first_failure_ = count;
      error_ = nullptr;
      busy_.store(static_cast<int>(workers_.size()));
      generation_.fetch_add(1);
    }
    posted_.notify_all();
    take_indices(0);
    spin_until([this] { return busy_.load() == 0; });
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_.load() == 0; });
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  void work(int worker) {
    std::size_t seen = 0;
    while (true) {
      spin_until([&] { return generation_.load() != seen; });
      {
        std::unique_lock lock(mutex_);
        posted_.wait(lock, [&] { return stopping_ || generation_.load() != seen; });
        if (stopping_) return;
        seen = generation_.load();
      }
      take_indices(worker);
      const std::lock_guard lock(mutex_);
      if (busy_.fetch_sub(1) == 1) done_.notify_one();
    }
  }

  void take_indices(int worker) {
    current_worker = worker;
    for (Index i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) {
      try {
        call_(body_, i, worker);
      } catch (...) {
        next_.store(count_);
        const std::lock_guard lock(mutex_);
        if (i < first_failure_) {
          first_failure_ = i;
          error_ = std::current_exception();
        }
      }
    }
    current_worker = -1;
  }

  std::vector<std::thread> workers_;
  std::mutex loop_mutex_;
  std::mutex mutex_;
  std::condition_variable posted_;
  std::condition_variable done_;
  std::atomic<std::size_t> generation_{0};
  bool stopping_ = false;
  std::atomic<int> busy_{0};
  const void* body_ = nullptr;
  internal::LoopBody call_ = nullptr;
  Index count_ = 0;
  std::atomic<Index> next_{0};
  Index first_failure_ = 0;
  std::exception_ptr error_;
};

std::unique_ptr<Pool>& pool() {
  static std::unique_ptr<Pool> instance = std::make_unique<Pool>(
      std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMaxThreads));
  return instance;
}

}  // namespace

int max_threads() { return kMaxThreads; }

int num_threads() { return pool()->threads(); }

void set_num_threads(int threads) {
  if (threads < 1 || threads > kMaxThreads) {
    refuse("set_num_threads", "threads", std::to_string(threads),
           "from 1 to " + std::to_string(kMaxThreads));
  }
  if (threads != num_threads()) pool() = std::make_unique<Pool>(threads);
}

void internal::run_parallel(Index count, const void* body, LoopBody call) {
  if (current_worker >= 0 || count <= 1 || num_threads() == 1) {
    for (Index i = 0; i < count; ++i) call(body, i, std::max(current_worker, 0));
    return;
  }
  pool()->run(count, body, call);
}

}  // namespace mdgp
