#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "binary/code_finder.hpp"
#include "common/mapped_file.hpp"
#include "kernelgen/package.hpp"

namespace kernelgen::tool {

/// A file, or the files of a folder and the folders in it, with the code objects for GPUs that they hold.
class Binary {
 public:
  struct Code : FoundCode {
    std::size_t file = 0;  ///< index of files()
  };
  struct File {
    std::filesystem::path path;
    std::string name;  ///< below the folder
    std::uint64_t bytes = 0;
    bool is_known = false;
    std::vector<Damage> damages;
  };
  /// Called from time to time with the share of the bytes that are read, 0 to 1.
  using Progress = std::function<void(double)>;

  /// Finds the code objects; what of them is not needed for that is not read. Links are not followed. Throws Error(io), ReadError.
  explicit Binary(const std::filesystem::path& path, const Progress& progress = {});

  const std::vector<File>& files() const { return files_; }
  const std::vector<Code>& codes() const { return codes_; }
  std::uint64_t bytes() const;
  std::size_t damages() const;

  /// The bytes of a code object; they keep what they need of the file. Code of one compressed bundle is fastest in a row.
  /// Throws Error(io), BadCodeObject.
  PackageCode code(const Code& code) const;

 private:
  void map(std::size_t file) const;

  std::vector<File> files_;
  std::vector<Code> codes_;
  mutable std::size_t last_file_ = 0;
  mutable std::shared_ptr<const MappedFile> last_mapping_;
  mutable std::uint64_t last_offset_ = 0;                     ///< of what was unpacked last
  mutable std::shared_ptr<const std::string> last_unpacked_;  ///< null: nothing of this file
};

}  // namespace kernelgen::tool
