#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/disk.hpp"
#include "base/process.hpp"

namespace kernelgen::tool {

/// Device bitcode of one constant, `@__oclc_ISA_version`, for a GPU that an installed device library is too
/// old to know: oclc_isa_version_<suffix>.bc. Made once by the compiler that will link it and kept in the
/// cache, or in the work folder if no cache is writable.
class IsaBitcode {
 public:
  /// An empty `cache` is none.
  IsaBitcode(Disk& disk, ProcessRunner& runner, std::filesystem::path cache, std::filesystem::path work)
      : disk_(disk), runner_(runner), cache_(std::move(cache)), work_(std::move(work)) {}

  /// The file's path, written first if need be. `compiler_identity` keeps the bitcode of different compilers
  /// apart. Throws DiskError, or std::runtime_error with the compiler's words.
  std::filesystem::path file(const std::filesystem::path& clang, const std::string& compiler_identity,
                             const std::string& suffix, std::uint32_t version);

 private:
  bool is_bitcode(const std::filesystem::path& file) const;

  Disk& disk_;
  ProcessRunner& runner_;
  std::filesystem::path cache_;
  std::filesystem::path work_;
};

}  // namespace kernelgen::tool
