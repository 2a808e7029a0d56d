#pragma once
#include <filesystem>
#include <string_view>

namespace kernelgen {

/// A unique temporary folder below TMPDIR, else /tmp; deleted with its contents by the destructor.
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

/// Throws Error(io).
void write_file(const std::filesystem::path& file, std::string_view text);

}  // namespace kernelgen
