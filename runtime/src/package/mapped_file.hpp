#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>

namespace kernelgen {

/// A file mapped read-only for as long as the object lives.
class MappedFile {
 public:
  MappedFile() = default;
  /// Throws Error(io) naming the file and the system's reason.
  explicit MappedFile(const std::filesystem::path& file);
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace kernelgen
