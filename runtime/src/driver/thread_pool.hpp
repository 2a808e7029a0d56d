#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace kernelgen {

/// Persistent threads that share the indices of one loop at a time with the thread that asks for it.
///
/// Threads start at the first loop that can use them, spin briefly for the next one and then sleep. A loop
/// never waits for a sleeping worker: the caller takes part, and only workers that joined before the indices
/// ran out are waited for. Several callers may use a pool at once: the first gets the workers, the others run
/// their loop alone. In a child after fork, which has no threads but its own, a pool restarts its workers.
class ThreadPool {
 public:
  /// Runs the indices [begin, end). Must not throw.
  using Body = void (*)(const void* context, std::uint64_t begin, std::uint64_t end);

  /// `threads` counts the caller: 1 never starts any.
  explicit ThreadPool(int threads) : threads_(threads) {}
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }
  /// Whether all threads watch for a loop now, so that none has to be woken for it: that costs the caller some 20 µs, and
  /// more until they take part. By the time of the loop it may be otherwise.
  bool are_awake() const { return awake_.load(std::memory_order_relaxed) == threads_ - 1; }

  /// Calls body until every index in [0, count) was run once; returns when all are done.
  /// Throws Error(unsupported) when the system refuses to start the threads.
  void run(std::uint64_t count, Body body, const void* context);

 private:
  void start_workers();
  void stop_workers();
  void leave_parents_workers();
  void work();
  void claim();

  const int threads_;
  std::mutex mutex_;  ///< held by the caller that owns the workers
  std::vector<std::thread> workers_;
  unsigned process_ = 0;  ///< the number of forks before the workers were started
  std::atomic<bool> stopping_{false};

  // The loop now open, written by its caller while `epoch_` is even.
  Body body_ = nullptr;
  const void* context_ = nullptr;
  std::uint64_t count_ = 0;
  std::uint64_t chunk_ = 0;

  // On separate cache lines, so that claiming indices does not disturb threads that poll for a loop.
  alignas(64) std::atomic<std::uint64_t> next_{0};
  alignas(64) std::atomic<std::uint32_t> epoch_{0};  ///< odd while a loop is open
  alignas(64) std::atomic<int> inside_{0};           ///< workers that may be reading the loop
  alignas(64) std::atomic<int> awake_{0};            ///< workers that started and do not sleep
};

}  // namespace kernelgen
