#include "build/staging.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/fault.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(std::string_view shown, std::string_view why) {
  throw BadInput(Fault{"", "", fmt::format("{}: {}", shown, why), {}});
}

void copy_files(Disk& disk, const fs::path& from, const fs::path& to) {
  disk.make_dirs(to);
  for (const fs::path& file : disk.list(from)) {
    if (disk.is_directory(file))
      copy_files(disk, file, to / file.filename());
    else
      disk.write_atomically(to / file.filename(), disk.read(file));
  }
}

}  // namespace

Staging::Staging(Disk& disk, const fs::path& target, std::span<const std::string_view> owned,
                 std::string_view option)
    : disk_(disk),
      shown_(fmt::format("{} {}", option, target.empty() ? "''" : target.string())),
      owned_(owned.begin(), owned.end()) {
  if (target.empty()) refuse(shown_, "name a folder");
  try {
    target_ = disk.resolve(target);
    if (!target_.has_filename()) target_ = target_.parent_path();
    sweep();
    refuse_foreign_files();
    make();
  } catch (const DiskError& error) {
    clean_up();
    refuse(shown_, error.what());
  }
}

Staging::~Staging() { clean_up(); }

void Staging::clean_up() {
  try {
    // After an exchange the former output is here.
    if (!path_.empty()) disk_.remove_tree(path_);
    if (committed_) return;
    for (; !made_.empty(); made_.pop_back())
      if (!disk_.remove_empty(made_.back())) return;
  } catch (const DiskError&) {
    // The next build sweeps it.
  }
}

void Staging::make() {
  bool is_made = false;
  try {
    is_made = make_in(target_.parent_path());
  } catch (const DiskError&) {
    // A folder that is there can be written although the one that holds it cannot.
    if (!disk_.is_directory(target_)) throw;
    is_made = make_in(target_);
  }
  if (!is_made)
    throw DiskError("make a folder in", path_.parent_path(), "others take or remove each name that is tried");
}

std::string Staging::prefix() const { return fmt::format(".{}.kernelgen-", target_.filename().string()); }

void Staging::sweep() const {
  for (const fs::path& folder : {target_.parent_path(), target_}) {
    try {
      if (!disk_.is_directory(folder)) continue;
      for (const fs::path& path : disk_.list(folder)) {
        if (!path.filename().string().starts_with(prefix()) || !disk_.is_directory(path)) continue;
        if (const auto claim = disk_.claim(path)) disk_.remove_tree(path);
      }
    } catch (const DiskError&) {
      // Another user's: it cannot be removed and does no harm.
    }
  }
}

void Staging::refuse_foreign_files() const {
  if (!disk_.exists(target_)) return;
  if (!disk_.is_directory(target_)) refuse(shown_, "a file is there, not a folder");
  for (const fs::path& file : disk_.list(target_)) {
    const std::string name = file.filename().string();
    if (std::find(owned_.begin(), owned_.end(), name) == owned_.end() && !name.starts_with(prefix()))
      refuse(shown_, fmt::format("holds '{}', which no build wrote; name a new or empty folder", name));
  }
}

/// False when others took or swept each name that was tried.
bool Staging::make_in(const fs::path& folder) {
  constexpr int attempts = 8;
  for (int attempt = 1; attempt <= attempts; ++attempt) {
    // The process id separates builds; the number separates those of containers that share a folder.
    path_ = folder / fmt::format("{}{}-{}", prefix(), ::getpid(), attempt);
    std::vector<fs::path> made = disk_.make_dirs(path_);
    if (made.empty()) continue;
    made.pop_back();
    made_.insert(made_.end(), made.begin(), made.end());
    claim_ = disk_.claim(path_);
    // No claim: the file system has no locks, so nothing is swept, or the folder was just swept.
    if (claim_ || (attempt > 1 && disk_.exists(path_))) return true;
    disk_.remove_empty(path_);
  }
  return false;
}

bool Staging::must_stay() const {
  // A process whose current folder this is, such as a shell, would be left in a deleted one.
  return path_.parent_path() == target_ || target_ == disk_.resolve(".");
}

void Staging::commit() {
  refuse_foreign_files();
  if (!disk_.exists(target_)) {
    try {
      disk_.rename(path_, target_);
      committed_ = true;
      return;
    } catch (const DiskError&) {
      if (!disk_.exists(target_)) throw;  // else another build was first
    }
  }
  if (must_stay() || !disk_.exchange(path_, target_)) replace_files();
  committed_ = true;
}

void Staging::replace_files() {
  // Inside the target, so that a rename puts each file into its place.
  const bool is_inside = path_.parent_path() == target_;
  const fs::path inside = is_inside ? path_ : target_ / path_.filename();
  std::unique_ptr<Claim> claim;
  try {
    if (!is_inside) {
      disk_.make_dirs(inside);
      claim = disk_.claim(inside);
      copy_files(disk_, path_, inside);
    }
    std::vector<std::string> gone = owned_;
    for (const fs::path& file : disk_.list(inside)) {
      // A folder takes the place of none.
      if (disk_.is_directory(file)) disk_.remove_tree(target_ / file.filename());
      disk_.rename(file, target_ / file.filename());
      std::erase(gone, file.filename().string());
    }
    for (const std::string& name : gone) disk_.remove_tree(target_ / name);
  } catch (const DiskError&) {
    disk_.remove_tree(inside);
    throw;
  }
  disk_.remove_tree(inside);
}

}  // namespace kernelgen::tool
