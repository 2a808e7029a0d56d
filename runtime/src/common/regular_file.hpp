#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kernelgen {

/// Why what has this mode (st_mode) is not read; empty for a regular file.
std::string_view read_objection(mode_t mode);

/// A regular file that is open for reading. Pipes, devices, sockets and folders are refused without waiting for anyone at
/// their other end. Functions throw Error(io) naming the file and the reason. Thread-safe once it is open.
class RegularFile {
 public:
  explicit RegularFile(const std::filesystem::path& file);
  RegularFile(RegularFile&& other) noexcept
      : name_(std::move(other.name_)),
        descriptor_(std::exchange(other.descriptor_, -1)),
        size_(other.size_) {}
  RegularFile& operator=(RegularFile&& other) noexcept {
    std::swap(name_, other.name_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~RegularFile();

  int descriptor() const { return descriptor_; }
  /// In bytes, when it was opened.
  std::uint64_t size() const { return size_; }
  /// Fills `to` with the bytes from `offset` on. Throws if the file ends earlier.
  void read(std::uint64_t offset, std::span<std::byte> to) const;
  /// All of them.
  std::vector<std::byte> read_all() const;
  /// Throws if the file is shorter than when it was opened.
  void require_whole() const;

 private:
  [[noreturn]] void fail_cut_off() const;

  std::string name_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace kernelgen
