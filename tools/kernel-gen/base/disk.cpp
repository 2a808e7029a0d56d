#include "base/disk.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(std::string_view what, const fs::path& path, std::string_view why) {
  throw DiskError(fmt::format("cannot {} {}: {}", what, path.string(), why));
}

void check(const std::error_code& error, std::string_view what, const fs::path& path) {
  if (error) refuse(what, path, error.message());
}

/// A file descriptor that closes itself, so that an error half-way leaks nothing.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

std::string last_error() { return std::strerror(errno); }

}  // namespace

bool RealDisk::exists(const fs::path& path) const {
  std::error_code error;
  return fs::exists(path, error);
}

bool RealDisk::is_directory(const fs::path& path) const {
  std::error_code error;
  return fs::is_directory(path, error);
}

fs::path RealDisk::resolve(const fs::path& path) const {
  std::error_code error;
  // Made absolute first: weakly_canonical leaves a relative path whose first part is missing relative.
  fs::path resolved = fs::weakly_canonical(fs::absolute(path, error), error);
  check(error, "resolve", path);
  return resolved;
}

std::string RealDisk::read(const fs::path& path) const {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) refuse("read", path, last_error());
  std::string bytes;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
    if (n == 0) return bytes;
    if (n > 0)
      bytes.append(buffer, static_cast<std::size_t>(n));
    else if (errno != EINTR)
      refuse("read", path, last_error());
  }
}

std::vector<fs::path> RealDisk::list(const fs::path& directory) const {
  std::error_code error;
  std::vector<fs::path> paths;
  fs::directory_iterator it(directory, error);
  check(error, "list", directory);
  for (const fs::directory_iterator end; it != end; it.increment(error)) {
    paths.push_back(it->path());
    check(error, "list", directory);
  }
  check(error, "list", directory);
  std::sort(paths.begin(), paths.end());
  return paths;
}

void RealDisk::write_atomically(const fs::path& path, std::string_view bytes) {
  // The temporary lies beside its target: a rename is one step only within a file system. Its name is our own
  // because mkstemp would make the file private to the user.
  static std::atomic<unsigned> counter = 0;
  const std::string temporary = fmt::format("{}.{}-{}.tmp", path.string(), ::getpid(), counter++);
  const Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.get() < 0) refuse("write", path, last_error());
  const auto give_up = [&] {
    const std::string why = last_error();
    ::unlink(temporary.c_str());
    refuse("write", path, why);
  };
  for (std::string_view rest = bytes; !rest.empty();) {
    const ssize_t n = ::write(file.get(), rest.data(), rest.size());
    if (n >= 0)
      rest.remove_prefix(static_cast<std::size_t>(n));
    else if (errno != EINTR)
      give_up();
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) give_up();
}

void RealDisk::make_dirs(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  check(error, "make directory", directory);
}

void RealDisk::rename(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  check(error, fmt::format("rename {} to", from.string()), to);
}

void RealDisk::remove_tree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  check(error, "remove", path);
}

}  // namespace kernelgen::tool
