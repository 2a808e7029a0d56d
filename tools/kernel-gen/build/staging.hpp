#pragma once
#include <filesystem>
#include <span>
#include <string_view>

#include "base/disk.hpp"

namespace kernelgen::tool {

/// A folder that appears whole or not at all: files are written into one beside it, which takes its place
/// with commit(). Without commit() nothing of it stays behind, the folders above it included.
class Staging {
 public:
  /// `owned` are the names a former build may have left in `target`. Throws BadInput when the folder holds
  /// anything else or cannot be made.
  Staging(Disk& disk, const std::filesystem::path& target, std::span<const std::string_view> owned);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Throws DiskError; the target is then as it was before.
  void commit();

 private:
  Disk& disk_;
  std::filesystem::path target_;
  std::filesystem::path path_;
  std::filesystem::path first_made_;
  bool committed_ = false;
};

}  // namespace kernelgen::tool
