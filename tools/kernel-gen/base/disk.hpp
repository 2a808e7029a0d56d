#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kernelgen::tool {

/// A file operation that the operating system (or a stand-in for it) refused. what() is "cannot WHAT PATH: WHY".
class DiskError : public std::runtime_error {
 public:
  DiskError(std::string_view what, const std::filesystem::path& path, std::string_view why);
};

/// A file or folder of the input that cannot be read.
class ReadError : public DiskError {
 public:
  using DiskError::DiskError;
};

/// A lock on a file or folder in use. The operating system releases it when the process that holds it ends,
/// in any way, so whatever can be claimed is unused.
class Claim {
 public:
  Claim() = default;
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  virtual ~Claim() = default;
};

/// What tells a file from itself at another time. `changed` is when its bytes or its attributes last changed, which
/// no program can set; `used` when it was last written or touched. Both in nanoseconds of Disk::now().
struct FileStamp {
  std::uint64_t size = 0;
  std::uint64_t inode = 0;
  std::int64_t changed = 0;
  std::int64_t used = 0;

  /// The same bytes, as far as the file system can tell.
  bool is_same_as(const FileStamp& other) const {
    return size == other.size && inode == other.inode && changed == other.changed;
  }
};

/// What is at a path itself: links are not followed.
enum class FileType { none, file, folder, other };

/// Every file the tool reads or writes goes through here, so that its work can be tested without a file
/// system. All functions but exists(), is_directory(), type() and is_trusted() throw DiskError, those that read ReadError. Not thread-safe unless an
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
  virtual FileType type(const std::filesystem::path& path) const = 0;
  /// True if only this user and root can have written it.
  virtual bool is_trusted(const std::filesystem::path& path) const = 0;
  /// The path with symbolic links, "." and ".." resolved; parts that do not exist are kept as they are.
  virtual std::filesystem::path resolve(const std::filesystem::path& path) const = 0;
  /// All bytes of a regular file. Pipes, devices and sockets are refused: what is read is read again (to be
  /// compared, by a compiler), and nobody may be writing at their other end.
  virtual std::string read(const std::filesystem::path& path) const = 0;
  /// Paths (directory / name) of a directory's files and folders, sorted by name.
  virtual std::vector<std::filesystem::path> list(const std::filesystem::path& directory) const = 0;
  /// Of a file or a folder, links followed.
  virtual FileStamp stamp(const std::filesystem::path& path) const = 0;
  /// The clock of the stamps: what is changed later than this has a stamp that is no less.
  virtual std::int64_t now() const = 0;

  /// Replaces the file in one step: a reader sees the old bytes or the new ones. The directory must exist. What is there
  /// and is no regular file is refused. Others may read the file, as far as the umask lets them, and not write to it.
  virtual void write_atomically(const std::filesystem::path& path, std::string_view bytes) = 0;
  /// Notes that the file was used now. What cannot be touched stays as it is.
  virtual void touch(const std::filesystem::path& path) = 0;
  /// Makes the directory and those above it; gives those it made itself, the deepest last; none of them
  /// stays where it fails. A directory that is already there is fine.
  virtual std::vector<std::filesystem::path> make_dirs(const std::filesystem::path& directory) = 0;
  /// Takes the right to write to this user's directory from all others. One that cannot be changed stays as it is.
  virtual void keep_others_out(const std::filesystem::path& directory) = 0;
  /// Moves a file or a directory; a file at `to` is replaced, a directory must not be there.
  virtual void rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  /// Lets two directories change places in one step. False, with nothing done, where the file system cannot.
  virtual bool exchange(const std::filesystem::path& one, const std::filesystem::path& other) = 0;
  /// Removes a directory that holds nothing. False where it holds something or is not there.
  virtual bool remove_empty(const std::filesystem::path& directory) = 0;
  /// Removes a file or a directory with all it holds. A path that is not there is fine.
  virtual void remove_tree(const std::filesystem::path& path) = 0;

  /// Nothing where another claim is held, the path is not there, or the file system knows no locks.
  virtual std::unique_ptr<Claim> claim(const std::filesystem::path& path) = 0;
};

/// The file system of the machine. Thread-safe for different paths.
class RealDisk final : public Disk {
 public:
  bool exists(const std::filesystem::path& path) const override;
  bool is_directory(const std::filesystem::path& path) const override;
  FileType type(const std::filesystem::path& path) const override;
  bool is_trusted(const std::filesystem::path& path) const override;
  std::filesystem::path resolve(const std::filesystem::path& path) const override;
  std::string read(const std::filesystem::path& path) const override;
  std::vector<std::filesystem::path> list(const std::filesystem::path& directory) const override;
  FileStamp stamp(const std::filesystem::path& path) const override;
  std::int64_t now() const override;
  void write_atomically(const std::filesystem::path& path, std::string_view bytes) override;
  void touch(const std::filesystem::path& path) override;
  std::vector<std::filesystem::path> make_dirs(const std::filesystem::path& directory) override;
  void keep_others_out(const std::filesystem::path& directory) override;
  void rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
  bool exchange(const std::filesystem::path& one, const std::filesystem::path& other) override;
  bool remove_empty(const std::filesystem::path& directory) override;
  void remove_tree(const std::filesystem::path& path) override;
  std::unique_ptr<Claim> claim(const std::filesystem::path& path) override;
};

}  // namespace kernelgen::tool
