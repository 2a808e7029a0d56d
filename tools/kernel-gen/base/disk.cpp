#include "base/disk.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <system_error>

#include "common/cache_folder.hpp"
#include "common/regular_file.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

void check(const std::error_code& error, std::string_view what, const fs::path& path) {
  if (error) throw DiskError(what, path, error.message());
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

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// An advisory lock: it goes with the open file, and so with the process.
class Lock final : public Claim {
 public:
  explicit Lock(int fd) : file_(fd) {}
  int fd() const { return file_.get(); }

 private:
  Descriptor file_;
};

}  // namespace

DiskError::DiskError(std::string_view what, const fs::path& path, std::string_view why)
    : std::runtime_error(fmt::format("cannot {} {}: {}", what, path.string(), why)) {}

bool RealDisk::exists(const fs::path& path) const {
  std::error_code error;
  return fs::exists(path, error);
}

bool RealDisk::is_directory(const fs::path& path) const {
  std::error_code error;
  return fs::is_directory(path, error);
}

FileType RealDisk::type(const fs::path& path) const {
  std::error_code error;
  switch (fs::symlink_status(path, error).type()) {
    case fs::file_type::not_found:
      return FileType::none;
    case fs::file_type::regular:
      return FileType::file;
    case fs::file_type::directory:
      return FileType::folder;
    default:
      return FileType::other;
  }
}

bool RealDisk::is_trusted(const fs::path& path) const { return kernelgen::is_trusted(path); }

fs::path RealDisk::resolve(const fs::path& path) const {
  std::error_code error;
  // Made absolute first: weakly_canonical leaves a relative path whose first part is missing relative.
  fs::path resolved = fs::weakly_canonical(fs::absolute(path, error), error);
  check(error, "resolve", path);
  if (!resolved.has_filename()) resolved = resolved.parent_path();  // a trailing slash
  // What is left is a link to nothing: the path it names is the one that can be made.
  for (int links = 0; fs::is_symlink(fs::symlink_status(resolved, error)); ++links) {
    if (links == 40) throw DiskError("resolve", path, std::strerror(ELOOP));
    const fs::path target = resolved.parent_path() / fs::read_symlink(resolved, error);
    check(error, "resolve", path);
    resolved = fs::weakly_canonical(target, error);
    check(error, "resolve", path);
  }
  return resolved;
}

std::string RealDisk::read(const fs::path& path) const {
  // Without O_NONBLOCK the opening of a pipe would wait for its other end.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status;
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) throw ReadError("read", path, last_error());
  if (const std::string_view objection = read_objection(status.st_mode); !objection.empty())
    throw ReadError("read", path, objection);
  // One byte more than there should be, for the read that finds the end. Files of /proc say that they have none.
  std::string bytes(static_cast<std::size_t>(status.st_size) + 1, '\0');
  for (std::size_t used = 0;;) {
    if (used == bytes.size()) bytes.resize(2 * used + (1 << 16));
    const ssize_t n = ::read(file.get(), bytes.data() + used, bytes.size() - used);
    if (n == 0) {
      bytes.resize(used);
      return bytes;
    }
    if (n > 0)
      used += static_cast<std::size_t>(n);
    else if (errno != EINTR)
      throw ReadError("read", path, last_error());
  }
}

std::vector<fs::path> RealDisk::list(const fs::path& directory) const {
  std::error_code error;
  std::vector<fs::path> paths;
  fs::directory_iterator it(directory, error);
  if (error) throw ReadError("list", directory, error.message());
  for (const fs::directory_iterator end; it != end; it.increment(error)) {
    paths.push_back(it->path());
    check(error, "list", directory);
  }
  check(error, "list", directory);
  std::sort(paths.begin(), paths.end());
  return paths;
}

FileStamp RealDisk::stamp(const fs::path& path) const {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) throw ReadError("read", path, last_error());
  return {static_cast<std::uint64_t>(status.st_size), status.st_ino, nanoseconds(status.st_ctim),
          nanoseconds(status.st_mtim)};
}

std::int64_t RealDisk::now() const {
  timespec time;
  // The kernel stamps files with this clock's ticks; a finer one would be ahead of them.
  ::clock_gettime(CLOCK_REALTIME_COARSE, &time);
  return nanoseconds(time);
}

void RealDisk::touch(const fs::path& path) { ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0); }

void RealDisk::write_atomically(const fs::path& path, std::string_view bytes) {
  struct stat there;
  if (::stat(path.c_str(), &there) == 0)
    if (const std::string_view objection = read_objection(there.st_mode); !objection.empty())
      throw DiskError("write", path, objection);
  // The temporary is in its target's folder: a rename is atomic only within a file system. Its name is our own
  // because mkstemp would make the file private to the user. It may be there already where two processes of
  // one id (in containers) share a folder, or be swept by another build before it is locked.
  static std::atomic<unsigned> counter = 0;
  for (int attempts = 1;; ++attempts) {
    const std::string temporary = fmt::format("{}.{}-{}.tmp", path.string(), ::getpid(), counter++);
    const Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (file.get() < 0) {
      if (errno == EEXIST && attempts < 100) continue;
      throw DiskError("write", path, last_error());
    }
    ::flock(file.get(), LOCK_EX | LOCK_NB);
    const auto give_up = [&] {
      const std::string why = last_error();
      ::unlink(temporary.c_str());
      throw DiskError("write", path, why);
    };
    for (std::string_view rest = bytes; !rest.empty();) {
      const ssize_t n = ::write(file.get(), rest.data(), rest.size());
      if (n >= 0)
        rest.remove_prefix(static_cast<std::size_t>(n));
      else if (errno != EINTR)
        give_up();
    }
    if (::rename(temporary.c_str(), path.c_str()) == 0) return;
    if (errno != ENOENT || attempts == 3) give_up();
  }
}

std::vector<fs::path> RealDisk::make_dirs(const fs::path& directory) {
  std::vector<fs::path> made;
  fs::path above;
  for (const fs::path& part : directory) {
    above /= part;
    if (::mkdir(above.c_str(), 0777) == 0)
      made.push_back(above);
    else if (const int error = errno; !is_directory(above)) {
      for (; !made.empty(); made.pop_back()) ::rmdir(made.back().c_str());
      throw DiskError("make directory", directory, std::strerror(error));
    }
  }
  return made;
}

void RealDisk::keep_others_out(const fs::path& directory) { kernelgen::keep_others_out(directory); }

void RealDisk::rename(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  check(error, fmt::format("rename {} to", from.string()), to);
}

bool RealDisk::exchange(const fs::path& one, const fs::path& other) {
  if (::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0) return true;
  // What file systems without it answer, mount points, and folders whose surroundings are not ours to change.
  for (const int cannot : {EINVAL, ENOSYS, EOPNOTSUPP, EXDEV, EBUSY, EPERM, EACCES})
    if (errno == cannot) return false;
  throw DiskError(fmt::format("exchange {} and", one.string()), other, last_error());
}

bool RealDisk::remove_empty(const fs::path& directory) {
  if (::rmdir(directory.c_str()) == 0) return true;
  if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOENT) return false;
  throw DiskError("remove", directory, last_error());
}

void RealDisk::remove_tree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  check(error, "remove", path);
}

std::unique_ptr<Claim> RealDisk::claim(const fs::path& path) {
  auto lock = std::make_unique<Lock>(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat locked, there;
  // The one that held it before may have removed it, and somebody put another in its place.
  if (lock->fd() < 0 || ::flock(lock->fd(), LOCK_EX | LOCK_NB) != 0 || ::fstat(lock->fd(), &locked) != 0 ||
      ::lstat(path.c_str(), &there) != 0 || locked.st_ino != there.st_ino || locked.st_dev != there.st_dev)
    return nullptr;
  return lock;
}

}  // namespace kernelgen::tool
