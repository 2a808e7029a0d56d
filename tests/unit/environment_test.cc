// Environment variables that a program reads, and that a set-uid or set-gid program ignores.
#include "common/environment.hpp"

#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "support/temporary_folder.hpp"

namespace kernelgen {
namespace {

namespace fs = std::filesystem;

constexpr const char* variable = "KERNELGEN_PACKAGE";

TEST(Environment, IsRead) {
  ::setenv(variable, "/own/package", 1);
  EXPECT_STREQ(environment_variable(variable), "/own/package");
  EXPECT_EQ(process_environment()(variable), "/own/package");
  ::unsetenv(variable);
  EXPECT_EQ(environment_variable(variable), nullptr);
  EXPECT_EQ(process_environment()(variable), "");
}

/// Run by the test below, in a process of other rights; its exit code tells that one which.
TEST(Environment, DISABLED_OfAnotherUsersProgram) {
  if (::getauxval(AT_SECURE) == 0) ::_exit(77);
  ::_exit(std::getenv(variable) != nullptr && environment_variable(variable) == nullptr &&
                  process_environment()(variable).empty()
              ? 0
              : 1);
}

/// A group of this user's that is not the one its programs run with, or -1.
gid_t other_group() {
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(::getgroups(0, nullptr), 0)));
  const int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
  for (int i = 0; i < count; ++i)
    if (groups[static_cast<std::size_t>(i)] != ::getgid()) return groups[static_cast<std::size_t>(i)];
  return ::geteuid() == 0 ? 1 : static_cast<gid_t>(-1);
}

TEST(Environment, IsNotReadByAProgramThatRunsWithOtherRights) {
  const gid_t group = other_group();
  if (group == static_cast<gid_t>(-1)) GTEST_SKIP() << "this user is in no other group";
  const test::TemporaryFolder folder("rights");
  const fs::path program = folder.path() / "program";
  fs::copy_file("/proc/self/exe", program);
  ASSERT_EQ(::chown(program.c_str(), static_cast<uid_t>(-1), group), 0);
  ASSERT_EQ(::chmod(program.c_str(), 02755), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv(variable, "/own/package", 1);
    ::execl(program.c_str(), program.c_str(), "--gtest_also_run_disabled_tests",
            "--gtest_filter=Environment.DISABLED_OfAnotherUsersProgram", nullptr);
    ::_exit(76);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "the temporary folder gives programs no rights (nosuid)";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace kernelgen
