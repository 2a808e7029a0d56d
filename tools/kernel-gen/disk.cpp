#include "disk.hpp"

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

std::string key(const fs::path& path) {
  fs::path normal = path.lexically_normal();
  if (!normal.has_filename() && normal.has_parent_path() && normal != normal.root_path())
    normal = normal.parent_path();
  return normal.string();
}

/// The key's own name when it lies directly or deeper in `directory`, as a path relative to it; else empty.
std::string_view below(std::string_view path, std::string_view directory) {
  if (directory == ".") return path.starts_with('/') ? std::string_view{} : path;
  if (directory == "/") return path.starts_with('/') ? path.substr(1) : std::string_view{};
  if (path.size() <= directory.size() + 1 || !path.starts_with(directory) || path[directory.size()] != '/')
    return {};
  return path.substr(directory.size() + 1);
}

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

void MemoryDisk::add(const fs::path& path, std::string_view bytes) {
  make_dirs(path.parent_path());
  files_[key(path)] = bytes;
}

void MemoryDisk::add_link(const fs::path& path, const fs::path& target) { links_[key(path)] = target; }

bool MemoryDisk::exists(const fs::path& path) const {
  return files_.contains(key(resolve(path))) || is_directory(path);
}

bool MemoryDisk::is_directory(const fs::path& path) const {
  return directories_.contains(key(resolve(path)));
}

fs::path MemoryDisk::resolve(const fs::path& path) const {
  const std::string name = key(path);
  for (const auto& [link, target] : links_) {
    if (name == link) return key(target);
    if (const std::string_view rest = below(name, link); !rest.empty()) return key(target / rest);
  }
  return name;
}

std::string MemoryDisk::read(const fs::path& path) const {
  const auto it = files_.find(key(resolve(path)));
  if (it == files_.end()) refuse("read", path, "No such file or directory");
  return it->second;
}

std::vector<fs::path> MemoryDisk::list(const fs::path& directory) const {
  if (!is_directory(directory)) refuse("list", directory, "No such file or directory");
  std::set<fs::path> paths;
  const auto add_child = [&](const std::string& name) {
    const std::string_view rest = below(name, key(resolve(directory)));
    if (!rest.empty() && rest != ".") paths.insert(directory / rest.substr(0, rest.find('/')));
  };
  for (const auto& [name, bytes] : files_) add_child(name);
  for (const std::string& name : directories_) add_child(name);
  return {paths.begin(), paths.end()};
}

void MemoryDisk::write_atomically(const fs::path& path, std::string_view bytes) {
  const fs::path parent = key(path.parent_path());
  if (!parent.empty() && !is_directory(parent)) refuse("write", path, "No such file or directory");
  files_[key(resolve(path))] = bytes;
}

void MemoryDisk::make_dirs(const fs::path& directory) {
  directories_.insert(".");
  for (fs::path d = key(directory); !d.empty(); d = d.parent_path()) {
    if (files_.contains(key(d))) refuse("make directory", directory, "a file is there");
    directories_.insert(key(d));
    if (d == d.root_path()) break;
  }
}

void MemoryDisk::rename(const fs::path& from, const fs::path& to) {
  if (!exists(from)) refuse(fmt::format("rename {} to", from.string()), to, "No such file or directory");
  if (is_directory(to)) refuse(fmt::format("rename {} to", from.string()), to, "a directory is there");
  const std::string old_name = key(from), new_name = key(to);
  const auto moved = [&](const std::string& name) -> std::string {
    if (name == old_name) return new_name;
    const std::string_view rest = below(name, old_name);
    return rest.empty() ? name : key(to / rest);
  };
  std::map<std::string, std::string> files;
  for (auto& [name, bytes] : files_)
    if (moved(name) == name) files[name] = std::move(bytes);
  for (auto& [name, bytes] : files_)
    if (moved(name) != name) files[moved(name)] = std::move(bytes);
  files_ = std::move(files);
  std::set<std::string> directories;
  for (const std::string& name : directories_) directories.insert(moved(name));
  directories_ = std::move(directories);
}

void MemoryDisk::remove_tree(const fs::path& path) {
  const std::string gone = key(path);
  const auto lies_in = [&](const std::string& name) { return name == gone || !below(name, gone).empty(); };
  std::erase_if(files_, [&](const auto& file) { return lies_in(file.first); });
  std::erase_if(directories_, lies_in);
}

}  // namespace kernelgen::tool
