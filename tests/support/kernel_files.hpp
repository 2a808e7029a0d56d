#pragma once
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>

namespace kernelgen::test {

/// A folder of empty files, as a library of ROCm's keeps its kernels in. It goes with the object.
class KernelFiles {
 public:
  KernelFiles(std::initializer_list<const char*> names) {
    std::string pattern = (std::filesystem::temp_directory_path() / "kernelgen-kernels-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
    for (const char* name : names) {
      const std::filesystem::path file = path_ / name;
      std::filesystem::create_directories(file.parent_path());
      std::ofstream(file).flush();
    }
  }
  ~KernelFiles() { std::filesystem::remove_all(path_); }
  KernelFiles(const KernelFiles&) = delete;
  KernelFiles& operator=(const KernelFiles&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kernelgen::test
