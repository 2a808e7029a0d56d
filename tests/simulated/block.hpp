#pragma once
/// Blocks of a GPU played by the host: a thread is a fiber that runs until it waits for others. Waves take turns of drawn length,
/// so that a barrier that is missing shows.
#include <ucontext.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

namespace simulated {

inline constexpr std::uint32_t wave_size = KERNELGEN_WAVE_SIZE;

/// Lets its threads pass when all of them have come.
struct Barrier {
  std::uint32_t arrived = 0, passed = 0;
};

/// What runs at the moment; there is one host thread.
class Block {
 public:
  std::uint32_t index = 0, grid = 1, threads = 0, thread = 0;

  /// Runs `body` in each thread of `grid` blocks, one block after another.
  void launch(std::uint32_t blocks, std::uint32_t block_threads, std::function<void()> body) {
    grid = blocks;
    threads = block_threads;
    body_ = std::move(body);
    for (index = 0; index < grid; ++index) run();
  }

  void sync() { wait(of_block_, threads); }
  void sync_wave() { wait(of_waves_[wave()], wave_size); }

  std::uint32_t lane() const { return thread % wave_size; }

  /// What `lane` of this thread's wave gave; all of them call this at once, each with its own lane.
  template <class X>
  X exchange(const X& given, std::uint32_t lane) {
    gather(given);
    const X taken = given_by<X>(lane);
    sync_wave();  // before anyone gives something else
    return taken;
  }
  /// The same in two steps, to look at what several lanes gave; a sync_wave() follows.
  template <class X>
  void gather(const X& given) {
    static_assert(sizeof(X) <= sizeof(Given));
    std::memcpy(given_[wave()][lane()].data(), &given, sizeof(X));
    sync_wave();
  }
  template <class X>
  X given_by(std::uint32_t lane) const {
    X x;
    std::memcpy(&x, given_[wave()][lane % wave_size].data(), sizeof(X));
    return x;
  }

 private:
  struct Fiber {
    ucontext_t context;
    std::vector<char> stack = std::vector<char>(256 << 10);
    bool done = false;
  };
  using Given = std::array<char, 128>;

  std::uint32_t wave() const { return thread / wave_size; }

  void run() {
    fibers_ = std::vector<Fiber>(threads);
    of_block_ = {};
    of_waves_.assign(threads / wave_size, {});
    given_.resize(threads / wave_size);
    for (Fiber& fiber : fibers_) {
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = fiber.stack.data();
      fiber.context.uc_stack.ss_size = fiber.stack.size();
      fiber.context.uc_link = &scheduler_;
      makecontext(&fiber.context, &Block::enter, 0);
    }
    for (bool any = true; any;) {
      any = false;
      const std::uint32_t first = turns_() % of_waves_.size();
      for (std::uint32_t w = 0; w < of_waves_.size(); ++w) {
        const std::uint32_t begin = (first + w) % of_waves_.size() * wave_size;
        for (auto turn = 1 + turns_() % 50; turn != 0; --turn) any = run_wave(begin) || any;
      }
    }
  }
  /// Whether one of its threads had something to do.
  bool run_wave(std::uint32_t begin) {
    bool any = false;
    for (thread = begin; thread < begin + wave_size; ++thread) {
      if (fibers_[thread].done) continue;
      any = true;
      swapcontext(&scheduler_, &fibers_[thread].context);
    }
    return any;
  }
  void wait(Barrier& barrier, std::uint32_t count) {
    const std::uint32_t passed = barrier.passed;
    if (++barrier.arrived == count) {
      barrier.arrived = 0;
      ++barrier.passed;
    }
    while (barrier.passed == passed) swapcontext(&fibers_[thread].context, &scheduler_);
  }
  static void enter();

  std::function<void()> body_;
  std::vector<Fiber> fibers_;
  ucontext_t scheduler_;
  Barrier of_block_;
  std::vector<Barrier> of_waves_;
  std::vector<std::array<Given, wave_size>> given_;
  std::minstd_rand turns_{1};
};

inline Block block;

inline void Block::enter() {
  block.body_();
  block.fibers_[block.thread].done = true;
}

}  // namespace simulated
