#include "base/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iterator>
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

/// Takes the process's end down, once it has come; waits for it where `options` is 0. False where it runs still.
bool reap(Child& child, int options) {
  int status = 0;
  struct rusage used = {};
  pid_t ended;
  while ((ended = wait4(child.pid, &status, options, &used)) < 0 && errno == EINTR) {
  }
  if (ended == 0) return false;
  for (const timeval& time : {used.ru_utime, used.ru_stime})
    child.result.cpu_seconds += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  if (WIFSIGNALED(status))
    child.result.signal = WTERMSIG(status);
  else
    child.result.exit_code = WEXITSTATUS(status);
  return true;
}

/// A list as exec takes it: pointers into `texts`, then a null pointer.
std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

void ignore_signal(int) {}

/// The signals that end the tool, held back except inside ppoll, so that none is lost between a check and a
/// wait. So is a child's end, which has to end such a wait too.
class SignalWatch {
 public:
  SignalWatch() {
    pending_signal = 0;
    sigemptyset(&watched_);
    struct sigaction look = {};
    look.sa_handler = ignore_signal;
    look.sa_flags = SA_NOCLDSTOP;
    sigaction(SIGCHLD, &look, &old_child_);
    struct sigaction note = {};
    note.sa_handler = remember_signal;
    for (std::size_t i = 0; i < std::size(ending_signals); ++i) {
      sigaction(ending_signals[i], nullptr, &old_[i]);
      // Ignored on purpose, by nohup or by a shell for what runs in the background.
      if (old_[i].sa_handler == SIG_IGN) continue;
      sigaction(ending_signals[i], &note, nullptr);
      sigaddset(&watched_, ending_signals[i]);
    }
    sigset_t held_back = watched_;
    sigaddset(&held_back, SIGCHLD);
    sigprocmask(SIG_BLOCK, &held_back, &old_mask_);
    wait_mask_ = old_mask_;
    sigdelset(&wait_mask_, SIGCHLD);
  }

  ~SignalWatch() {
    for (std::size_t i = 0; i < std::size(ending_signals); ++i)
      sigaction(ending_signals[i], &old_[i], nullptr);
    sigaction(SIGCHLD, &old_child_, nullptr);
    sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
  }

  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// The signal that came, or 0.
  int pending() const {
    wait({});
    return pending_signal;
  }

  /// Until one has come, no longer than that.
  void wait(std::chrono::milliseconds most) const {
    if (pending_signal != 0) return;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(most);
    const timespec time = {seconds.count(), std::chrono::nanoseconds(most - seconds).count()};
    if (const int held_back = sigtimedwait(&watched_, nullptr, &time); held_back > 0)
      pending_signal = held_back;
  }

  const sigset_t& mask_before() const { return old_mask_; }
  /// What is held back during a wait.
  const sigset_t& wait_mask() const { return wait_mask_; }

 private:
  sigset_t watched_;
  sigset_t old_mask_;
  sigset_t wait_mask_;
  struct sigaction old_child_ = {};
  struct sigaction old_[std::size(ending_signals)] = {};
};

/// A process whose only work is to end its group when this process ends: it waits at a pipe whose other end
/// only this process holds. Children join the group before they run, so that none is missed, and what they
/// start themselves (a compiler driver's passes and linker) belongs to it too.
class Guard {
 public:
  Guard() {
    Pipe pipe = open_pipe();
    pid_ = fork();
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ == 0) watch(pipe);
    // Here as well: a child may be started before the guard runs for the first time.
    setpgid(pid_, pid_);
    lifeline_ = std::move(pipe.write);
  }

  /// Ends the group.
  ~Guard() {
    lifeline_.close();
    kill(-pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  pid_t group() const { return pid_; }

 private:
  /// Calls only what may be called between fork and exec.
  [[noreturn]] static void watch(Pipe& pipe) {
    setpgid(0, 0);
    pipe.write.close();
    // A reader of the tool's output waits for these to close.
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      if (fd != pipe.read.get()) ::close(fd);
    char byte;
    while (read(pipe.read.get(), &byte, 1) < 0 && errno == EINTR) {
    }
    kill(0, SIGKILL);
    _exit(0);
  }

  pid_t pid_;
  Descriptor lifeline_;
};

class SpawnRunner final : public ProcessRunner {
 public:
  explicit SpawnRunner(std::vector<std::string> environment) : environment_(std::move(environment)) {}

  ~SpawnRunner() override { cancel(); }

  std::uint64_t start(const CommandLine& command) override {
    if (command.empty()) throw std::invalid_argument("start: empty command line");
    if (!guard_) guard_.emplace();
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

  std::optional<ProcessResult> wait_any(int descriptor) override {
    while (true) {
      if (interrupted() != 0) {
        cancel();
        return std::nullopt;
      }
      if (!ended_.empty()) {
        ProcessResult result = std::move(ended_.back());
        ended_.pop_back();
        return result;
      }
      if (children_.empty()) return std::nullopt;
      if (poll_children(descriptor)) return ProcessResult{};
    }
  }

  void cancel() override {
    guard_.reset();
    for (Child& child : children_) {
      // One that left the group is not ended with it.
      kill(child.pid, SIGKILL);
      reap(child, 0);
    }
    children_.clear();
    ended_.clear();
  }

  int interrupted() const override { return signals_.pending(); }

  void pause(std::chrono::milliseconds time) override { signals_.wait(time); }

  void set_variable(const std::string& name, const std::string& value) override {
    std::erase_if(environment_,
                  [&](const std::string& variable) { return variable.starts_with(name + '='); });
    environment_.push_back(name + '=' + value);
  }

 private:
  int spawn(const CommandLine& command, int out, int err, pid_t& pid) const {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, guard_->group());
    posix_spawnattr_setsigmask(&attributes, &signals_.mask_before());
    // The command line ignores it to see what it cannot print; compilers should not inherit that.
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    std::vector<char*> argv = pointers(command), variables = pointers(environment_);
    const int error = posix_spawnp(&pid, argv[0], &actions, &attributes, argv.data(), variables.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }

  /// Whether the descriptor can be read.
  bool poll_children(int descriptor) {
    std::vector<pollfd> fds;
    for (const Child& child : children_)
      for (const Descriptor* fd : {&child.out, &child.err}) fds.push_back({fd->get(), POLLIN, 0});
    fds.push_back({descriptor, POLLIN, 0});
    // A closed descriptor is -1, which ppoll skips. A process may run on without its streams: then its end is a signal.
    if (ppoll(fds.data(), fds.size(), nullptr, &signals_.wait_mask()) < 0) {
      if (errno == EINTR) {
        collect_ended();
        return false;
      }
      throw std::system_error(errno, std::generic_category(), "ppoll");
    }
    for (std::size_t i = 0; i < children_.size(); ++i) {
      Child& child = children_[i];
      if (fds[2 * i].revents != 0) drain(child.out, child.result.out);
      if (fds[2 * i + 1].revents != 0) drain(child.err, child.result.err);
    }
    collect_ended();
    return fds.back().revents != 0 && ended_.empty();
  }

  /// Those whose streams have ended and that have exited.
  void collect_ended() {
    const auto done = std::stable_partition(children_.begin(), children_.end(), [](Child& child) {
      return child.out || child.err || !reap(child, WNOHANG);
    });
    for (auto child = done; child != children_.end(); ++child) ended_.push_back(std::move(child->result));
    children_.erase(done, children_.end());
  }

  SignalWatch signals_;
  std::vector<std::string> environment_;
  std::optional<Guard> guard_;
  std::vector<Child> children_;
  std::vector<ProcessResult> ended_;
  std::uint64_t last_id_ = 0;
};

}  // namespace

std::string ProcessResult::outcome() const {
  if (!start_error.empty()) return "cannot be started: " + start_error;
  if (signal != 0) return fmt::format("killed by signal {} ({})", signal, strsignal(signal));
  return fmt::format("exit code {}", exit_code);
}

std::unique_ptr<ProcessRunner> make_process_runner(std::optional<std::vector<std::string>> environment) {
  std::vector<std::string> own;
  for (char** variable = environ; *variable && !environment; ++variable) own.emplace_back(*variable);
  return std::make_unique<SpawnRunner>(environment ? *std::move(environment) : std::move(own));
}

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
