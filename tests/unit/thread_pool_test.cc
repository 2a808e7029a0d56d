#include "driver/thread_pool.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>

namespace kernelgen {
namespace {

struct Visits {
  explicit Visits(std::uint64_t count) : at(new std::atomic<int>[count]()), size(count) {}
  std::unique_ptr<std::atomic<int>[]> at;
  std::uint64_t size;

  bool all_are(int expected) const {
    for (std::uint64_t i = 0; i < size; ++i)
      if (at[i] != expected) return false;
    return true;
  }
};

void visit(const void* context, std::uint64_t begin, std::uint64_t end) {
  const auto& visits = *static_cast<const Visits*>(context);
  for (std::uint64_t i = begin; i < end; ++i) ++visits.at[i];
}

TEST(ThreadPool, RunsEveryIndexOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const std::uint64_t count : {0u, 1u, 2u, 3u, 7u, 64u, 1000u, 100003u}) {
      const Visits visits(count);
      pool.run(count, visit, &visits);
      EXPECT_TRUE(visits.all_are(1)) << threads << " threads, " << count;
    }
  }
}

TEST(ThreadPool, ManyShortLoopsInARow) {
  ThreadPool pool(4);
  const Visits visits(5);
  for (int i = 0; i < 20000; ++i) pool.run(5, visit, &visits);
  EXPECT_TRUE(visits.all_are(20000));
}

TEST(ThreadPool, LoopsAfterThePoolFellAsleep) {
  ThreadPool pool(4);
  const Visits visits(1000);
  for (int i = 1; i <= 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    pool.run(1000, visit, &visits);
    ASSERT_TRUE(visits.all_are(i));
  }
}

TEST(ThreadPool, SaysWhetherItIsAwake) {
  EXPECT_TRUE(ThreadPool(1).are_awake()) << "there is nobody to wake";
  ThreadPool pool(2);
  EXPECT_FALSE(pool.are_awake()) << "no thread was started";
  const Visits visits(1000);
  const auto becomes = [&](bool awake) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (pool.are_awake() != awake && std::chrono::steady_clock::now() < end)
      if (awake)
        pool.run(1000, visit, &visits);
      else
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return pool.are_awake() == awake;
  };
  EXPECT_TRUE(becomes(true)) << "loops follow one another";
  EXPECT_TRUE(becomes(false)) << "none comes";
}

TEST(ThreadPool, SeveralCallersAtOnce) {
  ThreadPool pool(4);
  constexpr int callers = 4, loops = 500;
  std::vector<std::thread> threads;
  for (int c = 0; c < callers; ++c)
    threads.emplace_back([&] {
      const Visits visits(300);
      for (int i = 0; i < loops; ++i) pool.run(300, visit, &visits);
      EXPECT_TRUE(visits.all_are(loops));
    });
  for (std::thread& thread : threads) thread.join();
}

struct Nested {
  ThreadPool& pool;
  Visits visits{64};
};

TEST(ThreadPool, ALoopInsideALoop) {
  Nested nested{*std::make_unique<ThreadPool>(3).release()};
  const std::unique_ptr<ThreadPool> owner(&nested.pool);
  const auto outer = [](const void* context, std::uint64_t begin, std::uint64_t end) {
    const auto& both = *static_cast<const Nested*>(context);
    for (std::uint64_t i = begin; i < end; ++i) both.pool.run(64, visit, &both.visits);
  };
  nested.pool.run(50, outer, &nested);
  EXPECT_TRUE(nested.visits.all_are(50));
}

/// How many threads take part in a loop that is long enough for all to wake up.
std::size_t threads_seen(ThreadPool& pool) {
  struct Seen {
    std::mutex mutex;
    std::vector<std::thread::id> threads;
  } seen;
  const auto body = [](const void* context, std::uint64_t, std::uint64_t) {
    auto& all = *static_cast<Seen*>(const_cast<void*>(context));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::lock_guard lock(all.mutex);
    if (std::find(all.threads.begin(), all.threads.end(), std::this_thread::get_id()) == all.threads.end())
      all.threads.push_back(std::this_thread::get_id());
  };
  pool.run(200, body, &seen);
  return seen.threads.size();
}

TEST(ThreadPool, IsUsedByMoreThanOneThread) {
  ThreadPool pool(4);
  EXPECT_GT(threads_seen(pool), 1u);
}

TEST(ThreadPool, AChildAfterForkStartsWorkersOfItsOwn) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer ends a child that starts threads";
#endif
  auto pool = std::make_unique<ThreadPool>(4);
  EXPECT_GT(threads_seen(*pool), 1u);

  const pid_t child = fork();
  ASSERT_NE(child, -1);
  if (child == 0) {
    alarm(20);  // where it waits for threads that only the parent has
    const bool shared = threads_seen(*pool) > 1;
    pool.reset();
    _exit(shared ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  EXPECT_GT(threads_seen(*pool), 1u);
}

}  // namespace
}  // namespace kernelgen
