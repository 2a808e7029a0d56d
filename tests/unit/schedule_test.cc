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
    jobs.push_back({"gfx942",
                    name,
                    {"clang", name, "-o", "/work/" + name},
                    "/work/" + name,
                    hash128(name),
                    static_cast<std::size_t>(i / 2),
                    "a.json",
                    "mine/a.json"});
  }
  return jobs;
}

struct Bench {
  MemoryDisk disk;
  Progress progress{nullptr, false};
  FakeProcessRunner runner{[this](const CommandLine& command) {
    if (command[1] == failing)
      return failure("m.hip:1: warning: w\nm.hip:7:3: error: no such thing\n  here\n");
    if (command[1] != silent) disk.add(value_of(command, "-o"), made + command[1]);
    return success();
  }};
  std::string failing;              ///< the module whose compile fails
  std::string silent;               ///< the module whose compile writes nothing
  std::string made = "object of ";  ///< what compilers write, with the module's name behind
  std::vector<std::string> objects;

  /// The failures; what was accepted is in `objects`.
  std::vector<std::string> run(int count, unsigned at_once, const std::filesystem::path& cache_folder = {}) {
    ObjectCache cache(disk, cache_folder);
    objects.assign(static_cast<std::size_t>(count), "");
    const auto accept = [&](std::size_t job, std::string object) -> std::vector<std::string> {
      if (!object.starts_with("object of ")) return {"m" + std::to_string(job) + " is garbage"};
      objects[job] = std::move(object);
      return {};
    };
    return Schedule(disk, runner, cache, progress, {at_once, false}).run(jobs(count), accept);
  }
};

TEST(Schedule, GivesResultsInTheOrderOfTheJobs) {
  Bench bench;
  EXPECT_TRUE(bench.run(7, 3).empty());
  EXPECT_EQ(bench.runner.most_at_once, 3u);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(bench.objects[i], "object of m" + std::to_string(i));
}

TEST(Schedule, CompilesLongSourcesFirst) {
  Bench bench;
  EXPECT_TRUE(bench.run(5, 1).empty());
  std::vector<std::string> order;
  for (const CommandLine& command : bench.runner.commands) order.push_back(command[1]);
  EXPECT_EQ(order, (std::vector<std::string>{"m4", "m2", "m3", "m0", "m1"}));
}

TEST(Schedule, OneFailureStopsNoOther) {
  Bench bench;
  bench.failing = "m1";
  EXPECT_EQ(bench.run(3, 2), (std::vector<std::string>{"kernel-gen: error: gfx942 m1: clang: exit code 1\n"
                                                       "    m.hip:7:3: error: no such thing\n      here"}));
  EXPECT_EQ(bench.objects, (std::vector<std::string>{"object of m0", "", "object of m2"}));
}

TEST(Schedule, ACompilerThatWritesNothingHasFailed) {
  Bench bench;
  bench.silent = "m0";
  EXPECT_EQ(
      bench.run(1, 1),
      (std::vector<std::string>{"kernel-gen: error: gfx942 m0: clang succeeded without writing an object"}));
}

TEST(Schedule, TakesFromTheCacheAndRebuildsWhatIsDamagedThere) {
  Bench bench;
  bench.run(3, 1, "/cache");
  EXPECT_EQ(bench.runner.commands.size(), 3u);
  bench.run(3, 1, "/cache");
  EXPECT_EQ(bench.runner.commands.size(), 3u);
  bench.disk.add(ObjectCache(bench.disk, "/cache").path(hash128("m1")), "damaged");
  bench.run(3, 1, "/cache");
  EXPECT_EQ(bench.objects[1], "object of m1");
  EXPECT_EQ(bench.runner.commands.size(), 4u);
}

TEST(Schedule, KeepsNoObjectThatIsNotAccepted) {
  Bench bench;
  bench.made = "garbage of ";
  EXPECT_EQ(bench.run(2, 2, "/cache"), (std::vector<std::string>{"m0 is garbage", "m1 is garbage"}));
  bench.made = "object of ";
  EXPECT_TRUE(bench.run(2, 2, "/cache").empty());
  EXPECT_EQ(bench.runner.commands.size(), 4u);
}

TEST(Schedule, CompilesAnewWhatTheCacheHasButIsNotAccepted) {
  Bench bench;
  ObjectCache(bench.disk, "/cache").store(hash128("m0"), "poison");
  EXPECT_TRUE(bench.run(1, 1, "/cache").empty());
  EXPECT_EQ(bench.objects[0], "object of m0");
  EXPECT_EQ(ObjectCache(bench.disk, "/cache").find(hash128("m0")), "object of m0");
}

TEST(Schedule, ACacheThatCannotBeWrittenIsNoFailure) {
  Bench bench;
  bench.disk.make_dirs("/cache");
  bench.disk.read_only = {"/cache"};
  EXPECT_TRUE(bench.run(2, 1, "/cache").empty());
}

TEST(Schedule, MessagesNameTheManifestAsTheUserDoes) {
  const CompileJob job = jobs(1)[0];
  EXPECT_EQ(with_manifest_path("a.json:7:3: error: x\nab.json:1: y\n in a.json:2\na.json(9): error\n", job),
            "mine/a.json:7:3: error: x\nab.json:1: y\n in a.json:2\nmine/a.json(9): error\n");
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
