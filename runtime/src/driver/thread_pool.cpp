#include "driver/thread_pool.hpp"

#include <immintrin.h>
#include <pthread.h>
#include "common/format.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

/// About 20 µs: longer than the gap between two launches of a busy caller, shorter than a time slice.
constexpr int spins_before_sleep = 500;
/// Shares a thread claims of an even loop: enough to even out slow cores, few enough to keep the counter
/// cold.
constexpr std::uint64_t chunks_per_thread = 8;

/// How many forks led to this process; asking the system for its id would cost each loop a call.
std::atomic<unsigned> forks{0};
[[maybe_unused]] const int counting = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1); });

}  // namespace

ThreadPool::~ThreadPool() {
  leave_parents_workers();
  stop_workers();
}

void ThreadPool::run(std::uint64_t count, Body body, const void* context) {
  std::unique_lock lock(mutex_, std::defer_lock);
  // Waiting for the workers would leave this core idle; they are busy with another caller's loop anyway.
  if (count <= 1 || threads_ <= 1 || !lock.try_lock()) {
    if (count > 0) body(context, 0, count);
    return;
  }
  leave_parents_workers();
  if (workers_.empty()) start_workers();

  body_ = body;
  context_ = context;
  count_ = count;
  chunk_ = std::max<std::uint64_t>(1, count / (static_cast<std::uint64_t>(threads_) * chunks_per_thread));
  next_.store(0, std::memory_order_relaxed);
  epoch_.fetch_add(1);
  const std::uint64_t helpers = (count - 1) / chunk_;
  if (helpers >= workers_.size()) {
    epoch_.notify_all();
  } else {
    for (std::uint64_t i = 0; i < helpers; ++i) epoch_.notify_one();
  }

  claim();

  // Sequentially consistent with work(): a worker either counted itself in before this store, and is waited
  // for, or sees that the loop is closed and leaves it alone.
  epoch_.fetch_add(1);
  for (int spins = 0; inside_.load() != 0; ++spins) {
    if (spins < spins_before_sleep) {
      _mm_pause();
    } else {
      std::this_thread::yield();
    }
  }
}

void ThreadPool::claim() {
  const std::uint64_t count = count_, chunk = chunk_;
  for (;;) {
    const std::uint64_t begin = next_.fetch_add(chunk, std::memory_order_relaxed);
    if (begin >= count) return;
    body_(context_, begin, std::min(begin + chunk, count));
  }
}

void ThreadPool::work() {
  std::uint32_t done = 0;
  int spins = 0;
  awake_.fetch_add(1);
  while (!stopping_.load()) {
    const std::uint32_t epoch = epoch_.load();
    if (epoch % 2 == 0 || epoch == done) {
      if (++spins < spins_before_sleep) {
        _mm_pause();
      } else {
        awake_.fetch_sub(1);
        epoch_.wait(epoch);
        awake_.fetch_add(1);
      }
      continue;
    }
    inside_.fetch_add(1);
    if (epoch_.load() == epoch) claim();
    inside_.fetch_sub(1);
    done = epoch;
    spins = 0;
  }
  awake_.fetch_sub(1);
}

void ThreadPool::leave_parents_workers() {
  const unsigned now = forks.load(std::memory_order_relaxed);
  if (process_ == now) return;
  process_ = now;
  // The threads are the parent's and do not exist in this process, so their handles are leaked, not joined;
  // one may have stopped in the middle of a loop.
  static_cast<void>(new std::vector<std::thread>(std::move(workers_)));
  workers_.clear();
  inside_.store(0);
  awake_.store(0);
}

void ThreadPool::start_workers() {
  try {
    for (int i = 1; i < threads_; ++i) workers_.emplace_back(&ThreadPool::work, this);
  } catch (const std::system_error& error) {
    const std::size_t started = workers_.size();
    stop_workers();
    throw Error(Code::unsupported,
                formatted("cannot start worker thread {} of {}: {}; open the device with fewer, as "
                          "in cpu:{}",
                          started + 1, threads_ - 1, error.what(), started + 1));
  }
}

void ThreadPool::stop_workers() {
  stopping_.store(true);
  epoch_.fetch_add(2);
  epoch_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
  stopping_.store(false);
}

}  // namespace kernelgen
