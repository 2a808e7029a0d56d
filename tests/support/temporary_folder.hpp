#pragma once
#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace kernelgen::test {

/// A new empty folder, removed with its content at the end of the scope. `name` is part of its name. Throws
/// std::system_error where none can be made.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string_view name) {
    std::string pattern =
        (std::filesystem::temp_directory_path() / ("kernelgen-" + std::string(name) + "-XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), pattern);
    path_ = std::filesystem::canonical(pattern);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kernelgen::test
