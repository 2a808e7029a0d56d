// The tool among other processes: signals; compilers that hang, fail or produce wrong output; closed streams;
// folders shared with other processes. The tool runs the real compilers through a script that misbehaves on request.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "support/temporary_folder.hpp"

namespace kernelgen::tool {
namespace {

namespace fs = std::filesystem;

using Names = std::vector<std::string>;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

Names names_in(const fs::path& folder) {
  Names names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Gone, or a zombie that its new parent has not waited for yet.
bool is_dead(pid_t pid) {
  const std::string stat = read_file(fs::path("/proc") / std::to_string(pid) / "stat");
  const std::size_t behind_name = stat.rfind(") ");
  return behind_name == std::string::npos || stat[behind_name + 2] == 'Z' || stat[behind_name + 2] == 'X';
}

/// Waits for what must happen; the limit only keeps a failing test from waiting for ever.
template <class Condition>
bool comes_true(Condition condition) {
  for (int tenths = 0; tenths < 1200; ++tenths) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

class ToolProcess : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {"bin", "work", "cache"}) fs::create_directory(root_ / folder);
    for (const auto& entry : fs::directory_iterator("/usr/bin"))
      if (const std::string file = entry.path().filename().string(); file.starts_with("clang++"))
        wrap(entry.path(), root_ / "bin" / file);
    // Each clang is looked at for a linker next to it; the real one uses its own.
    write_file(root_ / "bin" / "lld", "");
    variables_ = {{"PATH", (root_ / "bin").string() + ":" + ::getenv("PATH")},
                  {"KERNELGEN_CACHE", (root_ / "cache").string()}};
  }

  /// A compiler whose behaviour is selected by the files next to it.
  void wrap(const fs::path& real, const fs::path& script) const {
    write_file(script, "#!/bin/sh\ncd '" + (root_ / "bin").string() + R"(' || exit 1
case " $* " in *" -o "*)
  if [ -e hang ]; then sleep 600 & echo $! $$ > pids.tmp; mv pids.tmp pids; wait; fi
  if [ -e deaf ]; then echo $$ > pids.tmp; mv pids.tmp pids; exec sleep 60 >&- 2>&-; fi
  if [ -e fail ]; then while [ ! -e go ]; do sleep 0.05; done; echo 'error: told to' >&2; exit 1; fi
  if [ -e lie ]; then
    while [ "$1" != -o ]; do shift; done
    echo garbage > "$2"; exit 0
  fi ;;
esac
exec )" + real.string() + " \"$@\"\n");
    fs::permissions(script, fs::perms::owner_all);
  }
  void tell(const char* what) const { write_file(root_ / "bin" / what, ""); }
  void forget(const char* what) const { fs::remove(root_ / "bin" / what); }

  /// Starts the tool in work/; `out` is its standard output, or a file in root_.
  pid_t start(const std::vector<std::string>& arguments, int out = -1) const {
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    if (::chdir((root_ / "work").c_str()) != 0) ::_exit(126);
    for (const auto& [name, value] : variables_) ::setenv(name.c_str(), value.c_str(), 1);
    for (const std::string& name : unset_) ::unsetenv(name.c_str());
    if (out < 0) out = ::open((root_ / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(::open((root_ / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    std::vector<char*> argv = {const_cast<char*>(KERNELGEN_TOOL)};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    ::execv(KERNELGEN_TOOL, argv.data());
    ::_exit(127);
  }
  pid_t start_build(const std::string& folder, int out = -1) const {
    return start({"build", "--target", "cpu-x86-64-v3", "--only", "op=neg", "--only", "dtype=f32", "--out",
                  folder, "-j", "1"},
                 out);
  }
  /// The exit code; minus the signal where one ended it.
  static int wait(pid_t pid) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }
  /// The same; what does not end by itself is killed.
  static int wait_a_while(pid_t pid) {
    siginfo_t info{};
    const auto ends = [&] {
      info.si_pid = 0;
      return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
             info.si_pid == pid;
    };
    for (int tenths = 0; tenths < 300 && !ends(); ++tenths)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ::kill(pid, SIGKILL);
    return wait(pid);
  }
  int build(const std::string& folder, int out = -1) const { return wait(start_build(folder, out)); }
  /// Runs a line of shell in which "$0" is the tool.
  static int shell(const std::string& line) {
    return WEXITSTATUS(std::system(("sh -c '" + line + "' " + KERNELGEN_TOOL).c_str()));
  }
  std::string said() const { return read_file(root_ / "err"); }

  /// Those the hanging compiler told of: the script and what it started.
  std::vector<pid_t> compilers() const {
    std::ifstream file(root_ / "bin" / "pids");
    return {std::istream_iterator<pid_t>(file), {}};
  }

  const test::TemporaryFolder temporary_{"tool"};
  const fs::path root_ = temporary_.path();
  std::map<std::string, std::string> variables_;
  Names unset_;
};

TEST_F(ToolProcess, SignalsCleanUpAndEndCompilers) {
  tell("hang");
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    fs::remove(root_ / "bin" / "pids");
    const pid_t tool = start_build("deep/out");
    ASSERT_TRUE(comes_true([&] { return compilers().size() == 2; })) << said();
    ::kill(tool, signal);
    EXPECT_EQ(wait(tool), 128 + signal);
    EXPECT_EQ(said(), "kernel-gen: error: interrupted; nothing was written\n");
    EXPECT_EQ(names_in(root_ / "work"), Names{}) << signal;
    for (const pid_t compiler : compilers()) EXPECT_TRUE(is_dead(compiler)) << signal;
  }
}

TEST_F(ToolProcess, CompilersDieWithAToolThatIsKilledAndTheNextBuildSweeps) {
  tell("hang");
  const pid_t tool = start_build("out");
  ASSERT_TRUE(comes_true([&] { return compilers().size() == 2; })) << said();
  ::kill(tool, SIGKILL);
  EXPECT_EQ(wait(tool), -SIGKILL);
  for (const pid_t compiler : compilers())
    EXPECT_TRUE(comes_true([&] { return is_dead(compiler); })) << compiler;
  EXPECT_EQ(names_in(root_ / "work").size(), 1u) << "what it could not take away";
  forget("hang");
  EXPECT_EQ(build("out"), 0) << said();
  EXPECT_EQ(names_in(root_ / "work"), Names{"out"});
}

TEST_F(ToolProcess, AFailingBuildLeavesWhatOthersWrote) {
  tell("fail");
  const pid_t tool = start_build("par/a");
  ASSERT_TRUE(comes_true([&] { return fs::exists(root_ / "work" / "par"); })) << said();
  fs::create_directory(root_ / "work" / "par" / "b");
  write_file(root_ / "work" / "par" / "b" / "thesis.txt", "mine");
  tell("go");
  EXPECT_EQ(wait(tool), 1);
  EXPECT_EQ(names_in(root_ / "work" / "par"), Names{"b"});
  EXPECT_EQ(read_file(root_ / "work" / "par" / "b" / "thesis.txt"), "mine");
}

TEST_F(ToolProcess, ACompilerThatLiedOnceDoesNotPoisonTheCache) {
  tell("lie");
  EXPECT_EQ(build("out"), 1);
  EXPECT_NE(said().find("code object cannot be read"), std::string::npos) << said();
  forget("lie");
  EXPECT_EQ(build("out"), 0) << said();
}

TEST_F(ToolProcess, ACompilerUpgradedInPlaceCompilesAgain) {
  ASSERT_EQ(build("out"), 0) << said();
  ASSERT_EQ(build("out"), 0) << said();
  EXPECT_EQ(read_file(root_ / "out").find("] cpu-x86-64-v3 unary"), std::string::npos) << "from the cache";
  // Another file that calls itself by the same version.
  for (const std::string& name : names_in(root_ / "bin"))
    if (name.starts_with("clang++"))
      write_file(root_ / "bin" / name, read_file(root_ / "bin" / name) + "# rebuilt\n");
  ASSERT_EQ(build("out"), 0) << said();
  EXPECT_NE(read_file(root_ / "out").find("] cpu-x86-64-v3 unary"), std::string::npos) << "compiled";
}

TEST_F(ToolProcess, NeitherEnvironmentNorCacheChangesThePackage) {
  ASSERT_EQ(build("plain"), 0) << said();
  // A cache that cannot be written, no home, and what would change the code if a compiler saw it.
  variables_["KERNELGEN_CACHE"] = "/proc/never";
  variables_["CCC_OVERRIDE_OPTIONS"] = "+-O0 +-DKG_DEVICE=oops";
  variables_["CPLUS_INCLUDE_PATH"] = (root_ / "bin").string();
  variables_["SOURCE_DATE_EPOCH"] = "1";
  EXPECT_EQ(build("odd"), 0) << said();
  variables_.erase("KERNELGEN_CACHE");
  unset_ = {"HOME", "XDG_CACHE_HOME"};
  EXPECT_EQ(build("homeless"), 0) << said();
  const std::string package = read_file(root_ / "work" / "plain" / "kernelgen.kgpkg");
  EXPECT_FALSE(package.empty());
  EXPECT_TRUE(read_file(root_ / "work" / "odd" / "kernelgen.kgpkg") == package);
  EXPECT_TRUE(read_file(root_ / "work" / "homeless" / "kernelgen.kgpkg") == package);
}

TEST_F(ToolProcess, BuildsIntoOneFolderAndOneCacheAtOnce) {
  std::vector<pid_t> tools;
  for (int i = 0; i < 4; ++i) tools.push_back(start_build("out"));
  for (const pid_t tool : tools) EXPECT_EQ(wait(tool), 0) << said();
  EXPECT_EQ(names_in(root_ / "work"), Names{"out"});
  const std::string package = read_file(root_ / "work" / "out" / "kernelgen.kgpkg");
  EXPECT_EQ(build("again"), 0) << said();
  EXPECT_TRUE(read_file(root_ / "work" / "again" / "kernelgen.kgpkg") == package);
}

TEST_F(ToolProcess, AReaderThatIsGoneEndsItQuietly) {
  int pipe[2];
  ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
  ::close(pipe[0]);
  EXPECT_EQ(wait(start({"targets"}, pipe[1])), 128 + SIGPIPE);
  EXPECT_EQ(said(), "");
  EXPECT_EQ(build("deep/out", pipe[1]), 128 + SIGPIPE);
  EXPECT_EQ(said(), "");
  EXPECT_EQ(names_in(root_ / "work"), Names{});
  ::close(pipe[1]);
}

TEST_F(ToolProcess, StreamsThatTakeNothing) {
  EXPECT_EQ(shell("\"$0\" bild 2>&-"), 2);
  EXPECT_EQ(shell("\"$0\" bild 2>/dev/full"), 2);
  for (const char* command : {"targets", "--help", "targets --json"}) {
    EXPECT_EQ(shell("\"$0\" " + std::string(command) + " >/dev/full 2>&-"), 1) << command;
    EXPECT_EQ(shell("\"$0\" " + std::string(command) + " >&- 2>&-"), 1) << command;
  }
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  EXPECT_EQ(wait(start({"targets"}, full)), 1);
  EXPECT_EQ(said(), "kernel-gen: error: cannot write to standard output: No space left on device\n");
  EXPECT_EQ(build("out", full), 1);
  EXPECT_EQ(names_in(root_ / "work"), Names{});
  ::close(full);
}

TEST_F(ToolProcess, APipeIsNoManifest) {
  fs::create_directory(root_ / "work" / "m");
  ASSERT_EQ(::mkfifo((root_ / "work" / "m" / "a.json").c_str(), 0600), 0);
  EXPECT_EQ(wait(start({"build", "--manifests", "m", "--target", "cpu-x86-64-v3"})), 2);
  EXPECT_EQ(said(), "kernel-gen: error: cannot read m/a.json: it is a pipe, not a file\n");
}

TEST_F(ToolProcess, NoReaderWaitsAtAPipe) {
  const std::string work = (root_ / "work").string();
  for (const char* pipe : {"p.kgpkg", "m.gguf", "d.d", "folder/kernelgen.kgpkg"}) {
    fs::create_directories((root_ / "work" / pipe).parent_path());
    ASSERT_EQ(::mkfifo((root_ / "work" / pipe).c_str(), 0600), 0);
  }
  const std::vector<std::vector<std::string>> lines = {
      {"ls", "p.kgpkg"},
      {"ls", "folder"},
      {"ls", "m.gguf"},
      {"verify", "p.kgpkg"},
      {"diff", "p.kgpkg", "p.kgpkg"},
      {"inspect", "p.kgpkg"},
      {"inspect", "p.kgpkg", "--annotate"},
      {"disasm", "p.kgpkg", "k"},
      {"report", "p.kgpkg", "--out", "r.html"},
      {"conform", "p.kgpkg", "p.kgpkg"},
      {"extract", "p.kgpkg", "--out", "o"},
      {"prune", "p.kgpkg", "--keep", "cpu", "--out", "o"},
      {"merge", "p.kgpkg", "p.kgpkg", "--out", "o"},
      {"split", "p.kgpkg", "--out", "o"},
      {"run", "--list", "--package", "p.kgpkg"},
      {"bench", "--package", "p.kgpkg", "--device", "cpu"},
      {"build", "--target", "cpu-x86-64-v3", "--depfile", "d.d"}};
  for (const std::vector<std::string>& line : lines) {
    EXPECT_NE(wait_a_while(start(line)), 0) << line[0];
    // verify prints what it finds.
    const std::string text = said() + read_file(root_ / "out");
    EXPECT_NE(text.find(": it is a pipe, not a file"), std::string::npos) << line[0] << ": " << text;
  }
  variables_["KERNELGEN_PACKAGE"] = "p.kgpkg";
  EXPECT_NE(wait_a_while(start({"run", "--list"})), 0);
  EXPECT_NE(said().find("p.kgpkg: it is a pipe, not a file"), std::string::npos) << said();
  EXPECT_EQ(names_in(root_ / "work"), (Names{"d.d", "folder", "m.gguf", "p.kgpkg"}));
}

TEST_F(ToolProcess, AnInterruptDoesNotWaitForACompilerThatClosedItsStreams) {
  tell("deaf");
  const pid_t tool = start_build("out");
  ASSERT_TRUE(comes_true([&] { return compilers().size() == 1; })) << said();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto begin = std::chrono::steady_clock::now();
  ::kill(tool, SIGINT);
  EXPECT_EQ(wait(tool), 128 + SIGINT);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_TRUE(is_dead(compilers().at(0)));
}

TEST_F(ToolProcess, AFolderThatIsNoCacheOfItsOwnLosesNothing) {
  const fs::path project = root_ / "project";
  fs::create_directories(project / "sources" / "app");
  fs::create_directories(project / "objects");
  fs::create_directories(root_ / "victim");
  write_file(project / "sources" / "app" / "top.c", "1");
  write_file(root_ / "victim" / "letter", "2");
  fs::create_directory_symlink(root_ / "victim", project / "objects" / "home");
  variables_["KERNELGEN_CACHE"] = project.string();
  variables_["KERNELGEN_CACHE_SIZE"] = "1K";
  EXPECT_EQ(wait(start({"cache", "clear"})), 2);
  EXPECT_NE(said().find("cache " + project.string() + ": it has no CACHEDIR.TAG"), std::string::npos)
      << said();
  EXPECT_EQ(build("out"), 0) << said();
  EXPECT_NE(said().find("larger than KERNELGEN_CACHE_SIZE"), std::string::npos) << said();
  EXPECT_EQ(read_file(project / "sources" / "app" / "top.c"), "1");
  EXPECT_EQ(read_file(root_ / "victim" / "letter"), "2");
  // One of its own is pruned.
  variables_["KERNELGEN_CACHE"] = (root_ / "cache").string();
  EXPECT_EQ(build("again"), 0) << said();
  EXPECT_EQ(said(), "");
  EXPECT_EQ(wait(start({"cache", "clear"})), 0) << said();
  EXPECT_TRUE(fs::exists(root_ / "cache" / "CACHEDIR.TAG"));
}

TEST_F(ToolProcess, AnOutputTakesNoInputsPlace) {
  ASSERT_EQ(build("out"), 0) << said();
  const fs::path package = root_ / "work" / "out" / "kernelgen.kgpkg";
  const std::string before = read_file(package);
  write_file(root_ / "work" / "own.json", "{\"module\": \"own\"}");
  fs::create_symlink(package, root_ / "work" / "link");
  const auto refuses = [&](const std::vector<std::string>& line, const std::string& why) {
    EXPECT_EQ(wait(start(line)), 2) << line[0];
    EXPECT_NE(said().find(why), std::string::npos) << said();
    EXPECT_TRUE(read_file(package) == before) << line[0];
  };
  for (const char* option : {"--depfile", "--sbom"}) {
    const auto built = [&](const char* file) {
      return std::vector<std::string>{"build",     "--target", "cpu-x86-64-v3", "--only", "op=neg", "--only",
                                      "dtype=f32", "--out",    "out",           option,   file};
    };
    refuses(built("out/kernelgen.kgpkg"), "the package's folder holds what builds write");
    refuses(built("own.json"), "the file that is there is not ");
    refuses(built("link"), "the package's folder holds what builds write");
  }
  EXPECT_EQ(read_file(root_ / "work" / "own.json"), "{\"module\": \"own\"}");
  refuses({"report", "out", "--out", "out/kernelgen.kgpkg"}, "it is read by this command");
  refuses({"report", "out", "--out", "link"}, "it is read by this command");
  refuses({"bench", "--package", package.string(), "--device", "cpu", "--json", "link"},
          "it is read by this command");
  refuses({"plan", "--ninja", "own.json"}, "the file that is there is not ");
}

TEST_F(ToolProcess, AnErrorInAnExpressionPointsAtTheManifest) {
  fs::create_directory(root_ / "work" / "m");
  write_file(root_ / "work" / "m" / "a.json", R"j({
  "module": "a", "header": "elementwise/map.hpp",
  "operations": [
    {"op": "f", "inputs": ["x: f32"], "output": "f32",
     "expr": "~x"}]
})j");
  EXPECT_EQ(wait(start({"build", "--manifests", "m", "--target", "cpu-x86-64-v3"})), 1);
  EXPECT_NE(said().find("\n    m/a.json:5:"), std::string::npos) << said();
  EXPECT_NE(said().find("invalid argument type"), std::string::npos) << said();
}

}  // namespace
}  // namespace kernelgen::tool
