#include "build/staging.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/fault.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

void refuse_foreign_files(const Disk& disk, const fs::path& target, std::span<const std::string_view> owned) {
  if (!disk.exists(target)) return;
  if (!disk.is_directory(target))
    throw BadInput(
        Fault{"", "", fmt::format("--out {}: a file is there, not a folder", target.string()), {}});
  for (const fs::path& file : disk.list(target))
    if (std::find(owned.begin(), owned.end(), file.filename().string()) == owned.end())
      throw BadInput(
          Fault{"",
                "",
                fmt::format("--out {}: holds '{}', which no build wrote; name a new or empty folder",
                            target.string(), file.filename().string()),
                {}});
}

}  // namespace

Staging::Staging(Disk& disk, const fs::path& target, std::span<const std::string_view> owned)
    : disk_(disk), target_(fs::absolute(target).lexically_normal()) {
  if (!target_.has_filename()) target_ = target_.parent_path();
  refuse_foreign_files(disk, target_, owned);
  // The process id keeps two builds into one folder apart.
  path_ = target_.parent_path() / fmt::format(".{}.{}", target_.filename().string(), getpid());
  first_made_ = path_;
  for (fs::path above = path_.parent_path(); above.has_relative_path() && !disk.exists(above);
       above = above.parent_path())
    first_made_ = above;
  try {
    disk.remove_tree(path_);
    disk.make_dirs(path_);
  } catch (const DiskError& error) {
    throw BadInput(Fault{"", "", fmt::format("--out {}: {}", target.string(), error.what()), {}});
  }
}

Staging::~Staging() {
  if (committed_) return;
  try {
    disk_.remove_tree(first_made_);
  } catch (const DiskError&) {
    // Already failing, with an error that says more; the leftover's name begins with a dot and the target's
    // name.
  }
}

void Staging::commit() {
  const fs::path old = path_.string() + ".old";
  const bool replaces = disk_.exists(target_);
  if (replaces) disk_.rename(target_, old);
  try {
    disk_.rename(path_, target_);
  } catch (const DiskError&) {
    if (replaces) disk_.rename(old, target_);
    throw;
  }
  committed_ = true;
  if (replaces) disk_.remove_tree(old);
}

}  // namespace kernelgen::tool
