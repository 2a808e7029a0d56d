#include "build/schedule.hpp"

#include <gtest/gtest.h>

#include "fake_process.hpp"
#include "support/memory_disk.hpp"

namespace kernelgen::tool {
namespace {

struct Bench {
  MemoryDisk disk;
  Progress progress{nullptr, false};
  FakeProcessRunner runner{[this](const CommandLine& command) {
    if (command[1] == failing)
      return failure("m.hip:1: warning: w\nm.hip:7:3: error: no such thing\n  here\n");
    if (command[1] != silent) disk.add(value_of(command, "-o"), "object of " + command[1]);
    return success();
  }};
  std::string failing;  ///< the module whose compile fails
  std::string silent;   ///< the module whose compile writes nothing
  std::vector<Source> sources;
  std::vector<double> seconds;  ///< of former compiles
  std::vector<std::string> objects;

  std::vector<CompileJob> jobs(int count) {
    std::vector<CompileJob> jobs;
    sources.clear();
    for (int i = 0; i < count; ++i)
      sources.push_back({std::string(static_cast<std::size_t>(i / 2), 'x'), {}, "a.json", "mine/a.json"});
    for (int i = 0; i < count; ++i) {
      CompileJob& job = jobs.emplace_back();
      job.target = "gfx942";
      job.module = "m" + std::to_string(i);
      job.source = &sources[static_cast<std::size_t>(i)];
      job.output = "/work/" + job.module;
      job.depfile = job.output.string() + ".d";
      job.commands = {{"clang", job.module, "-o", job.output.string()}};
    }
    return jobs;
  }

  /// The failures; what was made is in `objects`.
  std::vector<std::string> run(int count, unsigned at_once) {
    objects.assign(static_cast<std::size_t>(count), "");
    std::vector<Pending> pending;
    for (std::size_t i = 0; i < objects.size(); ++i) pending.push_back({i, seconds.empty() ? 0 : seconds[i]});
    const auto finish = [&](std::size_t job, const Compiled& compiled) -> std::vector<std::string> {
      objects[job] = compiled.object;
      if (compiled.object == "object of garbage") return {"m" + std::to_string(job) + " is garbage"};
      return {};
    };
    return Schedule(disk, runner, progress, {at_once, false, nullptr})
        .run(jobs(count), std::move(pending), finish);
  }

  std::vector<std::string> order() const {
    std::vector<std::string> order;
    for (const CommandLine& command : runner.commands) order.push_back(command[1]);
    return order;
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
  EXPECT_EQ(bench.order(), (std::vector<std::string>{"m4", "m2", "m3", "m0", "m1"}));
}

TEST(Schedule, CompilesWhatTookLongestFirstAndBeforeItWhatNobodyTimed) {
  Bench bench;
  bench.seconds = {1, 9, 0, 4, 2};
  EXPECT_TRUE(bench.run(5, 1).empty());
  EXPECT_EQ(bench.order(), (std::vector<std::string>{"m2", "m1", "m3", "m4", "m0"}));
}

TEST(Schedule, RunsAJobsCommandsOneAfterTheOther) {
  Bench bench;
  std::vector<CompileJob> jobs = bench.jobs(2);
  jobs[0].commands.push_back({"lld", "linked", "-o", "/work/m0"});
  std::map<std::size_t, std::string> objects;
  const auto finish = [&](std::size_t job, const Compiled& compiled) -> std::vector<std::string> {
    objects[job] = compiled.object;
    return {};
  };
  EXPECT_TRUE(Schedule(bench.disk, bench.runner, bench.progress, {2, false, nullptr})
                  .run(jobs, {{0, 0}, {1, 0}}, finish)
                  .empty());
  EXPECT_EQ(objects, (std::map<std::size_t, std::string>{{0, "object of linked"}, {1, "object of m1"}}));
  EXPECT_EQ(bench.runner.commands.size(), 3u);
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

TEST(Schedule, MessagesNameTheManifestAsTheUserDoes) {
  Bench bench;
  const CompileJob job = bench.jobs(1)[0];
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
