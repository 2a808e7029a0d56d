#include "compile/program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "common/environment.hpp"
#include "common/format.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

namespace fs = std::filesystem;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

std::string read_all(int descriptor) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

[[noreturn]] void fail(const std::string& program, int error) {
  throw Error(Code::unsupported, formatted("{} cannot be started: {}", program, std::strerror(error)));
}

bool is_program(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

}  // namespace

std::string ProgramEnd::outcome() const {
  if (!status) return "no exit code, as this process ignores SIGCHLD";
  if (WIFSIGNALED(*status)) return formatted("killed by signal {}", WTERMSIG(*status));
  return formatted("exit code {}", WEXITSTATUS(*status));
}

ProgramEnd run_program(const std::vector<std::string>& command, const std::vector<std::string>& variables) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail(command[0], errno);
  const Descriptor reader(ends[0]);
  Descriptor writer(ends[1]);

  posix_spawn_file_actions_t actions;
  if (const int error = ::posix_spawn_file_actions_init(&actions)) fail(command[0], error);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  for (const int stream : {1, 2}) ::posix_spawn_file_actions_adddup2(&actions, writer.number(), stream);
  std::vector<std::string> arguments = command, environment = compiler_environment(environ);
  environment.insert(environment.end(), variables.begin(), variables.end());
  pid_t child = 0;
  const int error = ::posix_spawn(&child, command[0].c_str(), &actions, nullptr, pointers(arguments).data(),
                                  pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail(command[0], error);

  writer.close();
  ProgramEnd end;
  end.output = read_all(reader.number());
  int status = 0;
  pid_t ended;
  do {
    ended = ::waitpid(child, &status, 0);
  } while (ended < 0 && errno == EINTR);
  if (ended == child) end.status = status;
  return end;
}

fs::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_program(name) ? fs::path(name) : fs::path();
  for (const fs::path& folder : path_list(process_environment()("PATH")))
    if (is_program(folder / name)) return folder / name;
  return {};
}

}  // namespace kernelgen
