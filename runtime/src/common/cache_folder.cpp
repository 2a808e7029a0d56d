#include "common/cache_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

namespace kernelgen {

namespace fs = std::filesystem;

namespace {

constexpr mode_t others_write = S_IWGRP | S_IWOTH;

/// If another process creates the mark first, that mark is valid too.
void mark(const fs::path& cache) {
  const int tag =
      ::open((cache / cache_tag_file).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (tag < 0) return;
  // An incomplete mark is invalid.
  [[maybe_unused]] const ssize_t written = ::write(tag, cache_tag.data(), cache_tag.size());
  ::close(tag);
}

}  // namespace

bool is_trusted(const fs::path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && (status.st_uid == ::geteuid() || status.st_uid == 0) &&
         (status.st_mode & others_write) == 0;
}

bool is_trusted_entry(const fs::path& cache, const fs::path& file) {
  for (fs::path path = file;; path = path.parent_path()) {
    if (!is_trusted(path)) return false;
    if (path == cache) return true;
    if (!path.has_relative_path()) return false;
  }
}

void keep_others_out(const fs::path& folder) {
  struct stat status{};
  if (::stat(folder.c_str(), &status) == 0 && status.st_uid == ::geteuid() &&
      (status.st_mode & others_write) != 0)
    ::chmod(folder.c_str(), status.st_mode & 07777 & ~others_write);
}

bool make_cache_folder(const fs::path& cache, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(cache.parent_path(), error);
  const bool is_new = ::mkdir(cache.c_str(), 0755) == 0;
  if (is_new || fs::is_empty(cache, error)) mark(cache);
  fs::path made = cache;
  for (const fs::path& part : folder.lexically_relative(cache)) {
    made /= part;
    if (::mkdir(made.c_str(), 0755) != 0) keep_others_out(made);  // an earlier version's
  }
  return is_trusted_entry(cache, folder);
}

}  // namespace kernelgen
