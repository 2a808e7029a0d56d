#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include "common/regular_file.hpp"

namespace kernelgen {

/// A file in memory for as long as the object lives. Writes to the bytes are this mapping's own and never reach the file.
/// A page that others cut off the file ends the process that touches it: require_whole() first.
class MappedFile {
 public:
  MappedFile() = default;
  /// Throws Error(io) naming the file and the system's reason.
  explicit MappedFile(const std::filesystem::path& file);
  MappedFile(MappedFile&& other) noexcept
      : file_(std::move(other.file_)), bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MappedFile();

  std::span<std::byte> bytes() const { return bytes_; }
  /// Throws Error(io) where the file has been cut off since.
  void require_whole() const {
    if (file_) file_->require_whole();
  }

 private:
  std::optional<RegularFile> file_;
  std::span<std::byte> bytes_;
};

}  // namespace kernelgen
