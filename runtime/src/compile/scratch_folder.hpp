#pragma once
#include <filesystem>

namespace kernelgen {

/// A folder of its own below TMPDIR, else /tmp, which goes with this object and all that is in it.
class ScratchFolder {
 public:
  /// Throws Error(io).
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kernelgen
