// `kernel-gen build` killed at 200 of its system calls: the package's folder is absent, the former one or the new one, what
// the cache holds is whole, and the next build makes the very bytes that one which was never killed makes. The compiler
// is the real one once; afterwards a script hands out what it made.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>

#include "base/digest.hpp"
#include "support/temporary_folder.hpp"

namespace kernelgen::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t points = 200;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::map<std::string, std::string> files_below(const fs::path& folder) {
  std::map<std::string, std::string> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files[fs::relative(entry.path(), folder).string()] = read_file(entry.path());
  return files;
}

/// Calls that change what others see: files, folders, locks, processes.
bool has_effect(const __ptrace_syscall_info& info) {
  switch (info.entry.nr) {
#ifdef SYS_open
    case SYS_open:
      return (info.entry.args[1] & O_CREAT) != 0;
#endif
    case SYS_openat:
      return (info.entry.args[2] & O_CREAT) != 0;
#ifdef SYS_rename
    case SYS_rename:
    case SYS_mkdir:
    case SYS_rmdir:
    case SYS_unlink:
    case SYS_vfork:
#endif
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_mkdirat:
    case SYS_unlinkat:
    case SYS_write:
    case SYS_flock:
    case SYS_utimensat:
    case SYS_clone:
    case SYS_clone3:
      return true;
    default:
      return false;
  }
}

class KilledBuild : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (const auto& entry : fs::directory_iterator("/usr/bin"))
      if (const std::string file = entry.path().filename().string(); file.starts_with("clang++"))
        write_compiler(entry.path(), root_ / "bin" / file);
    write_file(root_ / "bin" / "lld", "");
    write_file(root_ / "kernels" / "body.hpp", "#pragma once\n#include \"device/dialect.hpp\"\n");
    for (const char* name : {"first", "second"}) write_manifest(name, "x[0] += 1.0f");
  }

  void write_manifest(const std::string& name, const std::string& body) const {
    write_file(root_ / "manifests" / (name + ".json"),
               R"({"module": ")" + name + R"(", "header": "body.hpp", "symbols": [{"name": ")" + name +
                   R"(", "args": ["x: f32*"], "body": ")" + body + R"("}]})");
  }

  /// Hands out what `real` made of the same source before, or answered.
  void write_compiler(const fs::path& real, const fs::path& script) const {
    const std::string store = (root_ / "made").string();
    write_file(script, "#!/bin/sh\nstore='" + store + "' real='" + real.string() + R"sh('
out= depfile= source=
for word; do
  case $last in -o) out=$word ;; -MF) depfile=$word ;; esac
  case $word in *.hip | *.cpp | *.o.o) [ "$last" = -o ] || source=$word ;; esac
  last=$word
done
mkdir -p "$store"
if [ -z "$out" ] || [ -z "$source" ]; then
  kept=$store/$(echo "$0 $*" | cksum | tr ' ' -)
  [ -e "$kept.code" ] || { "$real" "$@" >"$kept" 2>"$kept.err"; echo $? >"$kept.new"; mv "$kept.new" "$kept.code"; }
  cat "$kept"; cat "$kept.err" >&2
  exit "$(cat "$kept.code")"
fi
kept=$store/$(basename "$out").$(cksum < "$source" | tr ' ' -)
if ! [ -e "$kept" ]; then
  "$real" "$@" && cp "$out" "$kept.new" || exit 1
  [ -z "$depfile" ] || cp "$depfile" "$kept.d"
  mv "$kept.new" "$kept"
  exit 0
fi
cp "$kept" "$out"
[ -z "$depfile" ] || cp "$kept.d" "$depfile"
)sh");
    fs::permissions(script, fs::perms::owner_all);
  }

  void start_tool() const {
    const std::string path = (root_ / "bin").string() + ":" + ::getenv("PATH");
    ::setenv("PATH", path.c_str(), 1);
    // A watched process cannot look for its leaks.
    ::setenv("LSAN_OPTIONS", "detect_leaks=0", 1);
    ::setenv("KERNELGEN_CACHE", (root_ / "state" / "cache").c_str(), 1);
    ::dup2(::open((root_ / "said").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    ::dup2(STDOUT_FILENO, STDERR_FILENO);
    const fs::path manifests = root_ / "manifests", kernels = root_ / "kernels";
    const fs::path out = root_ / "state" / "out";
    ::execl(KERNELGEN_TOOL, KERNELGEN_TOOL, "build", "--manifests", manifests.c_str(), "--kernels",
            kernels.c_str(), "--target", "cpu-x86-64-v3,gfx90a", "-j", "1", "--out", out.c_str(), nullptr);
    ::_exit(127);
  }

  /// The exit code; minus the signal where one ended it.
  static int code_of(int status) { return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status); }

  int build() const {
    const pid_t pid = ::fork();
    if (pid == 0) start_tool();
    int status = 0;
    ::waitpid(pid, &status, 0);
    return code_of(status);
  }

  /// Kills the build where it is about to make its call number `kill_at` of those with an effect. Gives how many it made;
  /// nothing where it cannot be watched.
  std::optional<std::size_t> watch(std::size_t kill_at, int& code) const {
    const pid_t pid = ::fork();
    if (pid == 0) {
      if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(126);
      ::raise(SIGSTOP);
      start_tool();
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    if (!WIFSTOPPED(status)) return std::nullopt;
    ::ptrace(PTRACE_SETOPTIONS, pid, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
    std::size_t calls = 0;
    for (int signal = 0;;) {
      ::ptrace(PTRACE_SYSCALL, pid, nullptr, static_cast<long>(signal));
      ::waitpid(pid, &status, 0);
      if (!WIFSTOPPED(status)) break;
      // Other stops are signals, which it gets.
      signal = WSTOPSIG(status) == (SIGTRAP | 0x80) || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
      if (WSTOPSIG(status) != (SIGTRAP | 0x80)) continue;
      __ptrace_syscall_info info = {};
      if (::ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0) return std::nullopt;
      if (info.op != PTRACE_SYSCALL_INFO_ENTRY || !has_effect(info)) continue;
      if (calls++ == kill_at) ::kill(pid, SIGKILL);
    }
    code = code_of(status);
    // The compilers that it ran die with it, a moment later, and come to this process for that.
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
    return calls;
  }

  void reset(const fs::path& state) const {
    fs::remove_all(root_ / "state");
    fs::copy(state, root_ / "state", fs::copy_options::recursive);
  }

  /// Entries end with a hash of what comes before.
  void expect_whole_entries() const {
    for (const auto& [name, bytes] : files_below(root_ / "state" / "cache")) {
      if (name.starts_with("sources") || name.starts_with("bitcode") || name.ends_with(".tmp") ||
          name == "CACHEDIR.TAG")
        continue;
      ASSERT_GE(bytes.size(), 32u) << name;
      EXPECT_EQ(hash128(std::string_view(bytes).substr(0, bytes.size() - 32)).hex(),
                bytes.substr(bytes.size() - 32))
          << name;
    }
  }

  std::string said() const { return read_file(root_ / "said"); }

  const test::TemporaryFolder temporary_{"killed"};
  const fs::path root_ = temporary_.path();
};

TEST_P(KilledBuild, LeavesAllRightWhereverItIs) {
  const bool has_former = GetParam();
  const fs::path before = root_ / "before";
  fs::create_directories(root_ / "state");
  if (has_former) {
    ASSERT_EQ(build(), 0) << said();
    write_manifest("second", "x[0] += 2.0f");
    write_manifest("third", "x[0] += 3.0f");
  }
  fs::copy(root_ / "state", before, fs::copy_options::recursive);
  const auto former = files_below(before / "out");
  ASSERT_EQ(build(), 0) << said();
  const auto wanted = files_below(root_ / "state" / "out");
  ASSERT_NE(former, wanted);
  // Now that all was compiled once, from where the former build left off.
  reset(before);
  int code = 0;
  const auto calls = watch(std::string::npos, code);
  if (!calls) GTEST_SKIP() << "no process may watch another here";
  ASSERT_EQ(code, 0) << said();
  ASSERT_EQ(files_below(root_ / "state" / "out"), wanted);
  ASSERT_GT(*calls, points / 2) << "no more calls than these have an effect";

  std::size_t new_ones = 0, killed = 0;
  for (std::size_t point = 0; point < points / 2; ++point) {
    const std::size_t kill_at = point * *calls / (points / 2);
    SCOPED_TRACE(testing::Message() << "killed at call " << kill_at << " of " << *calls);
    reset(before);
    const auto made = watch(kill_at, code);
    ASSERT_TRUE(made);
    // Two runs may group their system calls differently, so the last point may be after the end.
    EXPECT_EQ(code, *made > kill_at ? -SIGKILL : 0) << said();
    killed += code == -SIGKILL ? 1 : 0;
    const auto left = files_below(root_ / "state" / "out");
    EXPECT_TRUE(left == former || left == wanted) << "a package half-written";
    new_ones += left == wanted ? 1 : 0;
    expect_whole_entries();
    ASSERT_EQ(build(), 0) << said();
    EXPECT_EQ(files_below(root_ / "state" / "out"), wanted);
    for (const auto& entry : fs::directory_iterator(root_ / "state")) {
      const std::string name = entry.path().filename().string();
      EXPECT_TRUE(name == "out" || name == "cache") << name << " is left";
    }
  }
  EXPECT_GE(killed, points / 2 - 2);
  EXPECT_LT(new_ones, points / 4) << "hardly any point is before the end";
}

INSTANTIATE_TEST_SUITE_P(All, KilledBuild, testing::Bool(),
                         [](const auto& info) { return info.param ? "OverAFormerPackage" : "IntoNothing"; });

}  // namespace
}  // namespace kernelgen::tool
