#pragma once
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kernelgen::tool {

/// A file operation that the operating system (or a stand-in for it) refused. what() names the path and the
/// reason.
class DiskError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Every file the tool reads or writes goes through here, so that its work can be tested without a file
/// system. All functions but exists() and is_directory() throw DiskError. Not thread-safe unless an
/// implementation says so.
class Disk {
 public:
  Disk() = default;
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;
  virtual ~Disk() = default;

  /// True for a file or a directory.
  virtual bool exists(const std::filesystem::path& path) const = 0;
  virtual bool is_directory(const std::filesystem::path& path) const = 0;
  /// The path with symbolic links, "." and ".." resolved; parts that do not exist are kept as they are.
  virtual std::filesystem::path resolve(const std::filesystem::path& path) const = 0;
  /// All bytes of a file.
  virtual std::string read(const std::filesystem::path& path) const = 0;
  /// Paths (directory / name) of a directory's files and folders, sorted by name.
  virtual std::vector<std::filesystem::path> list(const std::filesystem::path& directory) const = 0;

  /// Replaces the file in one step: a reader sees the old bytes or the new ones. The directory must exist.
  virtual void write_atomically(const std::filesystem::path& path, std::string_view bytes) = 0;
  /// Makes the directory and those above it. A directory that is already there is fine.
  virtual void make_dirs(const std::filesystem::path& directory) = 0;
  /// Moves a file or a directory; a file at `to` is replaced, a directory must not be there.
  virtual void rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  /// Removes a file or a directory with all it holds. A path that is not there is fine.
  virtual void remove_tree(const std::filesystem::path& path) = 0;
};

/// The file system of the machine. Thread-safe for different paths.
class RealDisk final : public Disk {
 public:
  bool exists(const std::filesystem::path& path) const override;
  bool is_directory(const std::filesystem::path& path) const override;
  std::filesystem::path resolve(const std::filesystem::path& path) const override;
  std::string read(const std::filesystem::path& path) const override;
  std::vector<std::filesystem::path> list(const std::filesystem::path& directory) const override;
  void write_atomically(const std::filesystem::path& path, std::string_view bytes) override;
  void make_dirs(const std::filesystem::path& directory) override;
  void rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
  void remove_tree(const std::filesystem::path& path) override;
};

}  // namespace kernelgen::tool
