#pragma once
/// A block's threads on a CPU. They run one after another on one thread of the host; at a barrier a thread becomes a
/// coroutine and the next one goes on. A kernel without barriers never switches.
#include <stddef.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "imported/keywords.hpp"

namespace kernelgen_import {

/// Lanes of a wave.
inline constexpr unsigned crew_lanes = 32;
inline constexpr unsigned crew_stack_bytes = 256 << 10;

/// The rank in its block of the thread that runs.
inline thread_local unsigned current_thread = 0;

enum class Waiting : unsigned char { nothing, wave, block, end };

/// What a lane gave to the others, and in which round.
struct Given {
  unsigned long long value;
  unsigned round;
};

class Crew {
 public:
  /// `threads`: of the block. body(kernel) runs the current thread.
  Crew(unsigned threads, void (*body)(void*), void* kernel)
      : threads_(threads), body_(body), kernel_(kernel) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Runs all threads, once. The memory is released here: a destructor would need the C++ library for unwinding, which
  /// not every process has loaded.
  void run() {
    run_threads();
    while (switch_away(Waiting::end)) continue;
    if (!fibers_) return;
    munmap(stacks_, size_t(threads_) * crew_stack_bytes);
    munmap(fibers_, threads_ * sizeof(Fiber));
    munmap(given_, threads_ * 2 * sizeof(Given));
  }

  /// Returns when the other threads of the block, or of the wave, wait as well or have ended.
  void wait(Waiting at) {
    if (!fibers_) prepare();
    const unsigned thread = current_thread;
    switch_away(at);
    current_thread = thread;
  }

  /// Gives a value to the lanes of the wave that give one in the same round.
  void exchange(unsigned long long value) {
    if (!fibers_) prepare();
    Given& own = given_[parity_of(round_) + current_thread];
    own = {value, round_};
    const unsigned mine = round_;
    wait(Waiting::wave);
    seen_round_ = mine;
  }
  /// What lane `lane` of this thread's wave gave; null if it gave none.
  const unsigned long long* given(unsigned lane) const {
    const unsigned thread = current_thread / crew_lanes * crew_lanes + lane;
    if (lane >= crew_lanes || thread >= threads_) return nullptr;
    const Given& other = given_[parity_of(seen_round_) + thread];
    return other.round == seen_round_ ? &other.value : nullptr;
  }

 private:
  struct Fiber {
    ucontext_t context;
    Waiting waiting;
  };

  // Rounds take turns in two tables, so that a fast lane does not overwrite what a slow one has yet to read.
  unsigned parity_of(unsigned round) const { return round % 2 * threads_; }

  static void* reserve(size_t bytes) {
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) __builtin_trap();
    return memory;
  }
  void prepare() {
    stacks_ = static_cast<char*>(reserve(size_t(threads_) * crew_stack_bytes));
    fibers_ = static_cast<Fiber*>(reserve(threads_ * sizeof(Fiber)));
    given_ = static_cast<Given*>(reserve(threads_ * 2 * sizeof(Given)));
  }

  void run_threads() {
    while (next_thread_ < threads_) {
      current_thread = next_thread_++;
      body_(kernel_);
    }
  }

  /// Leaves the coroutine until it may go on. Returns false where nothing is left to do.
  bool switch_away(Waiting at) {
    if (!fibers_) return false;
    const unsigned self = current_;
    fibers_[self].waiting = at;
    const unsigned next = pick(self);
    if (next == self) return false;
    current_ = next;
    swapcontext(&fibers_[self].context, &fibers_[next].context);
    return true;
  }

  unsigned pick(unsigned self) {
    if (next_thread_ < threads_) return start();
    for (int turn = 0; turn < 2; ++turn) {
      for (unsigned i = 1; i <= count_; ++i) {
        const unsigned other = (self + i) % count_;
        if (fibers_[other].waiting == Waiting::nothing) return other;
      }
      release();
    }
    return 0;  // all have ended
  }

  /// All wait. Waves come first: their lanes at a barrier of the block do not take part.
  void release() {
    ++round_;
    constexpr Waiting order[] = {Waiting::wave, Waiting::block};
    for (const Waiting at : order) {
      bool found = false;
      for (unsigned i = 0; i < count_; ++i)
        if (fibers_[i].waiting == at) {
          fibers_[i].waiting = Waiting::nothing;
          found = true;
        }
      if (found) return;
    }
  }

  unsigned start() {
    const unsigned index = count_++;
    Fiber& fiber = fibers_[index];
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = stacks_ + size_t(index) * crew_stack_bytes;
    fiber.context.uc_stack.ss_size = crew_stack_bytes;
    fiber.context.uc_link = nullptr;
    const auto address = reinterpret_cast<unsigned long long>(this);
    makecontext(&fiber.context, reinterpret_cast<void (*)()>(&Crew::begin), 2,
                static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
    return index;
  }
  static void begin(unsigned high, unsigned low) {
    Crew* const crew = reinterpret_cast<Crew*>(static_cast<unsigned long long>(high) << 32 | low);
    crew->run_threads();
    for (;;) crew->switch_away(Waiting::end);
  }

  const unsigned threads_;
  void (*const body_)(void*);
  void* const kernel_;
  unsigned next_thread_ = 0;
  unsigned round_ = 1, seen_round_ = 0;
  unsigned count_ = 1;    ///< coroutines; the first has the caller's stack
  unsigned current_ = 0;  ///< the one that runs
  Fiber* fibers_ = nullptr;
  char* stacks_ = nullptr;
  Given* given_ = nullptr;
};

inline thread_local Crew* current_crew = nullptr;

}  // namespace kernelgen_import
