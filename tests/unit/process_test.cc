#include "base/process.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <set>
#include <thread>

#include "base/environment.hpp"

namespace kernelgen::tool {
namespace {

TEST(Process, CapturesBothStreamsAndTheExitCode) {
  const auto runner = make_process_runner();
  const ProcessResult echo = run_process(*runner, {"echo", "a b", "$HOME"});
  EXPECT_TRUE(echo.ok());
  EXPECT_EQ(echo.out, "a b $HOME\n");  // as given: no shell expands it
  EXPECT_EQ(echo.err, "");
  const ProcessResult ls = run_process(*runner, {"ls", "/nonexistent"});
  EXPECT_FALSE(ls.ok());
  EXPECT_EQ(ls.outcome(), "exit code 2");
  EXPECT_NE(ls.err.find("/nonexistent"), std::string::npos);
}

TEST(Process, SaysWhyAProgramCannotStart) {
  const auto runner = make_process_runner();
  const ProcessResult result = run_process(*runner, {"/nonexistent/program"});
  EXPECT_EQ(result.outcome(), "cannot be started: No such file or directory");
}

TEST(Process, TakesMoreOutputThanAPipeHolds) {
  const auto runner = make_process_runner();
  const ProcessResult result = run_process(*runner, {"head", "-c", "1000000", "/dev/zero"});
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.out.size(), 1000000u);
}

TEST(Process, RunsSeveralAtOnce) {
  const auto runner = make_process_runner();
  std::set<std::uint64_t> ids;
  for (int i = 0; i < 8; ++i) ids.insert(runner->start({i % 2 ? "true" : "false"}));
  EXPECT_EQ(ids.size(), 8u);
  int failed = 0;
  while (const auto result = runner->wait_any()) {
    EXPECT_EQ(ids.erase(result->id), 1u);
    failed += result->ok() ? 0 : 1;
  }
  EXPECT_TRUE(ids.empty());
  EXPECT_EQ(failed, 4);
}

TEST(Process, ReportsASignal) {
  const auto runner = make_process_runner();
  const ProcessResult result = run_process(*runner, {"timeout", "--signal=KILL", "0.05", "sleep", "30"});
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.signal, SIGKILL);  // timeout dies as its child did
  EXPECT_EQ(result.outcome(), "killed by signal 9 (Killed)");
}

TEST(Process, AnInterruptKillsTheChildren) {
  const auto runner = make_process_runner();
  runner->start({"sleep", "60"});
  const auto begin = std::chrono::steady_clock::now();
  raise(SIGINT);
  EXPECT_FALSE(runner->wait_any().has_value());
  EXPECT_EQ(runner->interrupted(), SIGINT);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST(Process, AnInterruptDoesNotWaitForAChildThatClosedItsStreams) {
  const auto runner = make_process_runner();
  runner->start({"sh", "-c", "exec >&- 2>&-; sleep 20"});
  const auto begin = std::chrono::steady_clock::now();
  std::thread interrupt([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ::kill(::getpid(), SIGINT);
  });
  EXPECT_FALSE(runner->wait_any().has_value());
  interrupt.join();
  EXPECT_EQ(runner->interrupted(), SIGINT);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(Process, AChildThatClosedItsStreamsHoldsNoOtherUp) {
  const auto runner = make_process_runner();
  const auto quiet = runner->start({"sh", "-c", "exec >&- 2>&-; sleep 1; exit 3"});
  runner->start({"echo", "first"});
  EXPECT_EQ(runner->wait_any()->out, "first\n");
  const auto last = runner->wait_any();
  EXPECT_EQ(last->id, quiet);
  EXPECT_EQ(last->exit_code, 3);
}

TEST(Process, CancelEndsAChildThatLeftItsGroup) {
  const auto runner = make_process_runner();
  runner->start({"setsid", "sleep", "20"});
  const auto begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  runner->cancel();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(Process, CancelLeavesNothingBehind) {
  const auto runner = make_process_runner();
  runner->start({"sleep", "60"});
  runner->cancel();
  EXPECT_FALSE(runner->wait_any().has_value());
  EXPECT_EQ(runner->interrupted(), 0);
}

TEST(Process, EverySignalThatEndsTheToolIsNotedWithoutAWait) {
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    const auto runner = make_process_runner();
    raise(signal);
    EXPECT_EQ(runner->interrupted(), signal);
  }
}

TEST(Process, ASignalIgnoredBeforeStaysIgnored) {
  std::signal(SIGHUP, SIG_IGN);  // as nohup does
  {
    const auto runner = make_process_runner();
    raise(SIGHUP);
    EXPECT_EQ(runner->interrupted(), 0);
  }
  std::signal(SIGHUP, SIG_DFL);
}

TEST(Process, CancelEndsWhatAChildStartedToo) {
  const auto runner = make_process_runner();
  // The shell ends at once; what it started holds the streams open.
  runner->start({"sh", "-c", "sleep 600 & echo $! >&2"});
  runner->cancel();
  runner->start({"echo", "again"});
  EXPECT_EQ(runner->wait_any()->out, "again\n");
}

TEST(Process, ChildrenGetTheEnvironmentThatWasGiven) {
  const auto runner = make_process_runner(std::vector<std::string>{"A=1", "B=2"});
  runner->set_variable("B", "3");
  runner->set_variable("C", "4");
  EXPECT_EQ(run_process(*runner, {"/usr/bin/env"}).out, "A=1\nB=3\nC=4\n");
}

TEST(Process, CompilersSeeNoVariableThatChangesCode) {
  const char* const all[] = {"PATH=/bin",
                             "CCC_OVERRIDE_OPTIONS=+-O0",
                             "CPATH=/evil",
                             "C_INCLUDE_PATH=/evil",
                             "CPLUS_INCLUDE_PATH=/evil",
                             "COMPILER_PATH=/evil",
                             "NVCC_PREPEND_FLAGS=-O0",
                             "NVCC_APPEND_FLAGS=-O0",
                             "HIPCC_COMPILE_FLAGS_APPEND=-O0",
                             "SOURCE_DATE_EPOCH=1",
                             "LANG=de_DE.UTF-8",
                             "LC_ALL=de_DE.UTF-8",
                             "PATHOLOGY=1",
                             "CCACHE_DIR=/c",
                             nullptr};
  EXPECT_EQ(compiler_environment(all), (std::vector<std::string>{"LC_ALL=C", "CLANG_NO_DEFAULT_CONFIG=1",
                                                                 "PATH=/bin", "CCACHE_DIR=/c"}));
}

TEST(Process, QuotesForAShell) {
  EXPECT_EQ(quoted({"clang++", "-O3", "a b", "it's", ""}), "clang++ -O3 'a b' 'it'\\''s' ''");
}

}  // namespace
}  // namespace kernelgen::tool
