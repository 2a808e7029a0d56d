#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>

namespace kernelgen {

/// A file in memory for as long as the object lives. Nothing is ever written to the file.
class MappedFile {
 public:
  /// What becomes of a write to the bytes: the process ends, or only this mapping has it.
  enum class Writes { forbidden, kept_here };

  MappedFile() = default;
  /// Throws Error(io) naming the file and the system's reason.
  explicit MappedFile(const std::filesystem::path& file, Writes writes = Writes::forbidden);
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
