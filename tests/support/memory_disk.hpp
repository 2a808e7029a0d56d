#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.hpp"

namespace kernelgen::tool {

/// Files held in memory, for tests. Paths are compared after lexical normalisation; there are no symbolic
/// links but those a test adds.
class MemoryDisk final : public Disk {
 public:
  /// Puts a file there, with the directories above it.
  void add(const std::filesystem::path& path, std::string_view bytes);
  /// resolve() gives `target` for `path` and what is below it.
  void add_link(const std::filesystem::path& path, const std::filesystem::path& target);

  bool exists(const std::filesystem::path& path) const override;
  bool is_directory(const std::filesystem::path& path) const override;
  FileType type(const std::filesystem::path& path) const override;
  bool is_trusted(const std::filesystem::path& path) const override { return !open_to_others.contains(path); }
  std::filesystem::path resolve(const std::filesystem::path& path) const override;
  std::string read(const std::filesystem::path& path) const override;
  std::vector<std::filesystem::path> list(const std::filesystem::path& directory) const override;
  FileStamp stamp(const std::filesystem::path& path) const override;
  /// Goes on with each look at it and each change of a file.
  std::int64_t now() const override { return ++clock_; }
  void write_atomically(const std::filesystem::path& path, std::string_view bytes) override;
  void touch(const std::filesystem::path& path) override;
  std::vector<std::filesystem::path> make_dirs(const std::filesystem::path& directory) override;
  void keep_others_out(const std::filesystem::path& directory) override { open_to_others.erase(directory); }
  void rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
  bool exchange(const std::filesystem::path& one, const std::filesystem::path& other) override;
  bool remove_empty(const std::filesystem::path& directory) override;
  void remove_tree(const std::filesystem::path& path) override;
  std::unique_ptr<Claim> claim(const std::filesystem::path& path) override;

  bool can_exchange = true;                   ///< as most file systems can
  std::set<std::filesystem::path> read_only;  ///< folders in which nothing can be made, changed or removed
  std::set<std::filesystem::path> open_to_others;  ///< files and folders that others can write to
  /// Asked before anything that needs room: a file, a folder, a name. May throw a DiskError in its place.
  std::function<void(std::string_view what, const std::filesystem::path& path)> before_change;

 private:
  void refuse_read_only(std::string_view what, const std::filesystem::path& path) const;
  void ask_before(std::string_view what, const std::filesystem::path& path) const;
  void move(const std::filesystem::path& from, const std::filesystem::path& to);

  struct Times {
    std::int64_t changed = 0;
    std::int64_t used = 0;
  };

  void set(const std::string& name, std::string_view bytes);

  std::map<std::string, std::string> files_;
  std::map<std::string, Times> times_;
  mutable std::int64_t clock_ = 0;
  std::set<std::string> directories_;
  std::set<std::string> claims_;
  std::map<std::string, std::filesystem::path> links_;
};

}  // namespace kernelgen::tool
