#pragma once
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.hpp"

namespace kernelgen::tool {

/// A folder that appears whole or not at all: files are written into a sibling folder, which replaces it
/// with commit(). Without commit() neither it nor the folders made for it remain, except for what
/// others put there. What a killed build left is swept by the next one into the same folder.
class Staging {
 public:
  /// `target` may be a symbolic link: the folder it names is written, the link stays. `owned` are the names a
  /// former build may have left there. `option` is what named the folder, for messages. Throws BadInput when the
  /// folder holds anything else or cannot be made.
  Staging(Disk& disk, const std::filesystem::path& target, std::span<const std::string_view> owned,
          std::string_view option = "--out");
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// A former output and this one change places in one step. Where that cannot be (a mount point, a file
  /// system without it, the current folder, a folder whose surroundings cannot be written), each file takes
  /// its place in one step. Throws BadInput when somebody else's file came in the meantime, and DiskError; the
  /// target is then as it was before, unless replacing single files failed on the way.
  void commit();

 private:
  std::string prefix() const;
  void sweep() const;
  void refuse_foreign_files() const;
  void make();
  void clean_up();
  bool make_in(const std::filesystem::path& folder);
  bool must_stay() const;
  void replace_files();

  Disk& disk_;
  std::string shown_;  ///< the option and the target as the user named it
  std::filesystem::path target_;
  std::vector<std::string> owned_;
  std::filesystem::path path_;
  std::vector<std::filesystem::path> made_;  ///< folders above path_, the deepest last
  std::unique_ptr<Claim> claim_;
  bool committed_ = false;
};

}  // namespace kernelgen::tool
