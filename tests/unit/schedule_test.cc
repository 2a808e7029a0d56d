#include "build/schedule.hpp"

#include <gtest/gtest.h>

#include "fake_process.hpp"
#include "support/memory_disk.hpp"

namespace kernelgen::tool {
namespace {

std::vector<CompileJob> jobs(int count) {
  std::vector<CompileJob> jobs;
  for (int i = 0; i < count; ++i) {
    const std::string name = "m" + std::to_string(i);
    jobs.push_back({"gfx942", name, {"clang", name, "-o", "/work/" + name}, "/work/" + name, hash128(name)});
  }
  return jobs;
}

struct Bench {
  MemoryDisk disk;
  Progress progress{nullptr, false};
  FakeProcessRunner runner{[this](const CommandLine& command) {
    if (command[1] == failing)
      return failure("m.hip:1: warning: w\nm.hip:7:3: error: no such thing\n  here\n");
    disk.add(value_of(command, "-o"), "object of " + command[1]);
    return success();
  }};
  std::string failing;

  std::vector<CompileResult> run(int count, unsigned at_once,
                                 const std::filesystem::path& cache_folder = {}) {
    ObjectCache cache(disk, cache_folder);
    return Schedule(disk, runner, cache, progress, {at_once, false}).run(jobs(count));
  }
};

TEST(Schedule, GivesResultsInTheOrderOfTheJobs) {
  Bench bench;
  const auto results = bench.run(7, 3);
  EXPECT_EQ(bench.runner.most_at_once, 3u);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(results[i].object, "object of m" + std::to_string(i));
}

TEST(Schedule, OneFailureStopsNoOther) {
  Bench bench;
  bench.failing = "m1";
  const auto results = bench.run(3, 2);
  EXPECT_EQ(results[0].failure, "");
  EXPECT_EQ(results[2].failure, "");
  EXPECT_EQ(
      results[1].failure,
      "kernel-gen: error: gfx942 m1: clang: exit code 1\n    m.hip:7:3: error: no such thing\n      here");
}

TEST(Schedule, TakesFromTheCacheAndRebuildsWhatIsDamagedThere) {
  Bench bench;
  bench.run(3, 1, "/cache");
  EXPECT_EQ(bench.runner.commands.size(), 3u);
  bench.run(3, 1, "/cache");
  EXPECT_EQ(bench.runner.commands.size(), 3u);
  bench.disk.add(ObjectCache(bench.disk, "/cache").path(hash128("m1")), "damaged");
  EXPECT_EQ(bench.run(3, 1, "/cache")[1].object, "object of m1");
  EXPECT_EQ(bench.runner.commands.size(), 4u);
}

TEST(Schedule, AnInterruptEndsIt) {
  Bench bench;
  bench.runner.interrupt_after = 2;
  EXPECT_THROW(bench.run(5, 2), Interrupted);
  EXPECT_EQ(bench.runner.commands.size(), 2u);
}

TEST(Schedule, FirstErrorsStartAtTheError) {
  EXPECT_EQ(first_errors("a\nb\nc\n", 2), "\n    a\n    b");
  EXPECT_EQ(first_errors("warning: x\nerror: y\nnote: z\n", 5), "\n    error: y\n    note: z");
  EXPECT_EQ(first_errors("", 5), "");
}

}  // namespace
}  // namespace kernelgen::tool
