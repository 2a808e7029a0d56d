#include "base/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace kernelgen::tool {
namespace {

volatile std::sig_atomic_t pending_signal = 0;

void remember_signal(int signal) { pending_signal = signal; }

/// A file descriptor closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { close(); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Pipe open_pipe() {
  int fds[2];
  // Close-on-exec: a child must not hold the write end of its sibling's pipe open.
  if (pipe2(fds, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  return {Descriptor(fds[0]), Descriptor(fds[1])};
}

struct Child {
  pid_t pid = 0;
  Descriptor out;
  Descriptor err;
  ProcessResult result;
};

/// Appends what is there; closes the descriptor at the end of the stream.
void drain(Descriptor& fd, std::string& text) {
  std::array<char, 16384> buffer;
  const ssize_t n = read(fd.get(), buffer.data(), buffer.size());
  if (n > 0)
    text.append(buffer.data(), static_cast<std::size_t>(n));
  else if (n == 0 || errno != EINTR)
    fd.close();
}

/// Waits for the process itself; its streams are already at their end.
void reap(Child& child) {
  int status = 0;
  while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    child.result.signal = WTERMSIG(status);
  else
    child.result.exit_code = WEXITSTATUS(status);
}

class SpawnRunner final : public ProcessRunner {
 public:
  SpawnRunner() {
    pending_signal = 0;
    // The two signals are blocked except inside ppoll, so none is lost between a check and a wait.
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &old_mask_);
    struct sigaction action = {};
    action.sa_handler = remember_signal;
    sigaction(SIGINT, &action, &old_int_);
    sigaction(SIGTERM, &action, &old_term_);
  }

  ~SpawnRunner() override {
    cancel();
    sigaction(SIGINT, &old_int_, nullptr);
    sigaction(SIGTERM, &old_term_, nullptr);
    sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
  }

  std::uint64_t start(const CommandLine& command) override {
    if (command.empty()) throw std::invalid_argument("start: empty command line");
    Child child;
    child.result.id = ++last_id_;
    Pipe out = open_pipe();
    Pipe err = open_pipe();
    if (const int error = spawn(command, out.write.get(), err.write.get(), child.pid); error != 0) {
      child.result.start_error = std::strerror(error);
      ended_.push_back(std::move(child.result));
      return last_id_;
    }
    child.out = std::move(out.read);
    child.err = std::move(err.read);
    children_.push_back(std::move(child));
    return last_id_;
  }

  std::optional<ProcessResult> wait_any() override {
    while (true) {
      if (interrupted()) {
        cancel();
        return std::nullopt;
      }
      if (!ended_.empty()) {
        ProcessResult result = std::move(ended_.back());
        ended_.pop_back();
        return result;
      }
      if (children_.empty()) return std::nullopt;
      poll_children();
    }
  }

  void cancel() override {
    for (Child& child : children_) kill(-child.pid, SIGKILL);
    for (Child& child : children_) reap(child);
    children_.clear();
    ended_.clear();
  }

  bool interrupted() const override { return pending_signal != 0; }

 private:
  int spawn(const CommandLine& command, int out, int err, pid_t& pid) const {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    // Its own group, so that what the compiler driver starts dies with it.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &old_mask_);
    std::vector<char*> argv;
    for (const std::string& argument : command) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    const int error = posix_spawnp(&pid, argv[0], &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }

  void poll_children() {
    std::vector<pollfd> fds;
    for (const Child& child : children_)
      for (const Descriptor* fd : {&child.out, &child.err}) fds.push_back({fd->get(), POLLIN, 0});
    // A closed descriptor is -1, which ppoll skips.
    if (ppoll(fds.data(), fds.size(), nullptr, &old_mask_) < 0) {
      if (errno == EINTR) return;
      throw std::system_error(errno, std::generic_category(), "ppoll");
    }
    for (std::size_t i = 0; i < children_.size(); ++i) {
      Child& child = children_[i];
      if (fds[2 * i].revents != 0) drain(child.out, child.result.out);
      if (fds[2 * i + 1].revents != 0) drain(child.err, child.result.err);
    }
    const auto done = std::stable_partition(children_.begin(), children_.end(),
                                            [](const Child& child) { return child.out || child.err; });
    for (auto child = done; child != children_.end(); ++child) {
      reap(*child);
      ended_.push_back(std::move(child->result));
    }
    children_.erase(done, children_.end());
  }

  std::vector<Child> children_;
  std::vector<ProcessResult> ended_;
  std::uint64_t last_id_ = 0;
  sigset_t old_mask_;
  struct sigaction old_int_ = {};
  struct sigaction old_term_ = {};
};

}  // namespace

std::string ProcessResult::outcome() const {
  if (!start_error.empty()) return "cannot be started: " + start_error;
  if (signal != 0) return fmt::format("killed by signal {} ({})", signal, strsignal(signal));
  return fmt::format("exit code {}", exit_code);
}

std::unique_ptr<ProcessRunner> make_process_runner() { return std::make_unique<SpawnRunner>(); }

ProcessResult run_process(ProcessRunner& runner, const CommandLine& command) {
  runner.start(command);
  if (std::optional<ProcessResult> result = runner.wait_any()) return std::move(*result);
  ProcessResult interrupted;
  interrupted.start_error = "interrupted";
  return interrupted;
}

std::string quoted(const CommandLine& command) {
  std::string line;
  for (const std::string& argument : command) {
    if (!line.empty()) line += ' ';
    const bool plain = !argument.empty() && argument.find_first_not_of(
                                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                "0123456789_-+=./:,@%") == std::string::npos;
    if (plain) {
      line += argument;
      continue;
    }
    line += '\'';
    for (const char c : argument) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace kernelgen::tool
