#include "build/jobserver.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace kernelgen::tool {
namespace {

Environment with(const std::string& makeflags) {
  return [makeflags](const char* name) { return std::string(name) == "MAKEFLAGS" ? makeflags : ""; };
}

TEST(Jobserver, IsFoundInMakesFlags) {
  const JobserverAuth pipe{"", 3, 4}, fifo{"/tmp/GMfifo7", -1, -1};
  EXPECT_EQ(find_jobserver(" -j8 --jobserver-auth=3,4"), pipe);
  EXPECT_EQ(find_jobserver("w -j --jobserver-fds=3,4 -- A=b"), pipe);
  EXPECT_EQ(find_jobserver("-j8 --jobserver-auth=fifo:/tmp/GMfifo7"), fifo);
  EXPECT_EQ(find_jobserver("--jobserver-auth=9,9 --jobserver-auth=fifo:/tmp/GMfifo7"), fifo)
      << "the last counts";
  for (const char* flags :
       {"", "k -j8", "-- --jobserver-auth=3,4", "--jobserver-auth=-2,-2", "--jobserver-auth=x"})
    EXPECT_FALSE(find_jobserver(flags)) << flags;
}

/// Takes both tokens, gives one back, and the rest with the end.
void take_and_give(const std::string& flags, int tokens_left) {
  {
    const auto jobserver = Jobserver::connect(with(flags));
    ASSERT_TRUE(jobserver);
    EXPECT_TRUE(jobserver->acquire());
    EXPECT_TRUE(jobserver->acquire());
    EXPECT_FALSE(jobserver->acquire()) << "and does not wait";
    jobserver->release();
    EXPECT_TRUE(jobserver->acquire());
    EXPECT_EQ(jobserver->held(), 2u);
  }
  char tokens[8];
  EXPECT_EQ(::read(tokens_left, tokens, sizeof tokens), 2) << "all are back";
  EXPECT_EQ(std::string(tokens, 2) == "ab" || std::string(tokens, 2) == "ba", true) << "the same bytes";
}

TEST(Jobserver, OfAPipe) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  ASSERT_EQ(::write(pipe[1], "ab", 2), 2);
  take_and_give(fmt::format("-j3 --jobserver-auth={},{}", pipe[0], pipe[1]), pipe[0]);
  EXPECT_EQ(::fcntl(pipe[0], F_GETFL) & O_NONBLOCK, 0) << "others that share it still wait";
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST(Jobserver, OfAFifo) {
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("kernelgen-{}", ::getpid())).string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int server = ::open(path.c_str(), O_RDWR);
  ASSERT_EQ(::write(server, "ab", 2), 2);
  take_and_give("-j3 --jobserver-auth=fifo:" + path, server);
  ::close(server);
  std::filesystem::remove(path);
}

TEST(Jobserver, WhatIsNotOursIsNone) {
  EXPECT_FALSE(Jobserver::connect(with("")));
  EXPECT_FALSE(Jobserver::connect(with("--jobserver-auth=fifo:/nowhere/fifo")));
  EXPECT_FALSE(Jobserver::connect(with("--jobserver-auth=900,901")));
}

}  // namespace
}  // namespace kernelgen::tool
