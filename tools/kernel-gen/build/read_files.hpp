#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/disk.hpp"
#include "build/source_text.hpp"

namespace kernelgen::tool {

/// What a compile read or looked for, and in what state: (name, state), sorted. Names hold no path of the kernels'
/// folders, so that a set is valid wherever these are:
///   0/device/types.hpp   a file in the first of them: the hash of its tokens
///   =0/device/types.hpp  the same: the hash of its bytes, where its lines matter
///   ?0/engines/types.hpp a path in them: whether a file is there
///   /usr/include/math.h  a file elsewhere: the hash of its bytes
///   /usr/include/        a folder elsewhere: the hash of the names in it
///   *                    all names in the kernels' folders
///   @                    the folders' own paths;  =  the bytes of the source
using ReadSet = std::vector<std::pair<std::string, std::string>>;

/// Whether that is the name of a file in the kernels' folders.
bool is_kernel_file(const std::string& name);

/// The files that compiles read, in their current state; each is read once.
class ReadFiles {
 public:
  /// `folders` are those of the kernels, in the order of the include path; `search` those where a compiler looks for
  /// what is not in them.
  ReadFiles(const Disk& disk, std::vector<std::filesystem::path> folders,
            std::vector<std::filesystem::path> search);

  /// The state of a name; "absent" where nothing is there.
  const std::string& state(const std::string& name);
  /// The first entry that is no longer so; nothing: a compile of `source` would read the same again.
  std::optional<std::string> changed(const ReadSet& set, const SourceText& source);

  /// What a compile of `source` read that began at `start` (Disk::now) and whose depfile names these other files.
  /// Nothing where a list cannot tell: a file says so (SourceText::names_more), or changed since the build began.
  std::optional<ReadSet> reads_of(const SourceText& source, const std::vector<std::filesystem::path>& files,
                                  std::int64_t start);

  /// Hash of the sources and of all files of the kernels' folders that they include, whatever the target, comments
  /// aside.
  std::string hash_of_all(std::span<const SourceText* const> sources);

  /// What became of an entry that changed() gave: "kernels/map.hpp changed".
  std::string spell_change(const std::string& name);

  /// The file whose bytes a name refers to; empty if it refers to something else.
  std::filesystem::path file_of(const std::string& name) const;
  /// Where a name's file is; empty where this build has no such folder of kernels.
  std::filesystem::path path_of(const std::string& name) const;
  std::string spell(const std::string& name) const;
  /// A file's name: 0/device/types.hpp in the kernels' folders, else its path.
  std::string name_of(const std::filesystem::path& file) const;

  /// Files that changed while the build ran, by what reads_of() was asked.
  const std::set<std::filesystem::path>& unsteady() const { return unsteady_; }

 private:
  struct File {
    FileStamp stamp;
    std::int64_t read_at = 0;  ///< before the bytes were read
    bool is_there = false;
    SourceText text;
  };
  class Collector;

  const File& file(const std::filesystem::path& path);
  std::string compute(const std::string& name);
  std::string names_below(const std::filesystem::path& folder, bool deep) const;
  /// Whether the file is as it was when this build looked first, and was so when the compile began.
  /// Where in the kernels' folders an #include is looked for, by name; `folder` is that of the including file.
  std::vector<std::string> candidates_of(const Include& include, const std::string& folder) const;
  bool is_steady(const std::filesystem::path& path, std::int64_t start);

  const Disk& disk_;
  std::vector<std::filesystem::path> folders_;
  std::vector<std::filesystem::path> search_;
  std::map<std::string, File> files_;
  std::map<std::string, std::string> states_;
  std::set<std::filesystem::path> unsteady_;
};

}  // namespace kernelgen::tool
