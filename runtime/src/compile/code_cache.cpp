#include "compile/code_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/cache_folder.hpp"
#include "common/format.hpp"
#include "common/regular_file.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

namespace fs = std::filesystem;

/// Of an entry; the compiler's path, its log and the code follow.
struct Head {
  char magic[8];
  ContentHash hash;  ///< of the bytes after it
  std::int64_t compiler_bytes, compiler_changed;
  std::uint64_t path_bytes, log_bytes, code_bytes;
};
constexpr char magic[8] = {'K', 'G', 'C', 'O', 'D', 'E', '0', '1'};
constexpr std::size_t behind_hash = offsetof(Head, compiler_bytes);

/// A file's size and when it was changed; -1 where it is not there.
struct Stamp {
  std::int64_t bytes = -1, changed = -1;
};

Stamp stamp_of(const std::string& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) return {};
  return {status.st_size, status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec};
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::optional<CompiledCode> read_entry(std::span<const std::byte> bytes) {
  Head head;
  if (bytes.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, bytes.data(), sizeof head);
  const std::size_t rest = bytes.size() - sizeof head;
  if (std::memcmp(head.magic, magic, sizeof magic) != 0 || head.path_bytes > rest ||
      head.log_bytes > rest - head.path_bytes || head.code_bytes != rest - head.path_bytes - head.log_bytes ||
      head.hash != content_hash(bytes.subspan(behind_hash)))
    return std::nullopt;
  const auto path = bytes.subspan(sizeof head, head.path_bytes);
  const auto log = bytes.subspan(sizeof head + head.path_bytes, head.log_bytes);
  const auto code = bytes.last(head.code_bytes);
  CompiledCode found{{code.begin(), code.end()}, std::string(text_of(log)), std::string(text_of(path))};
  const Stamp now = stamp_of(found.compiler);
  if (now.bytes != head.compiler_bytes || now.changed != head.compiler_changed || now.bytes < 0)
    return std::nullopt;
  return found;
}

std::string write_entry(const CompiledCode& code) {
  const Stamp compiler = stamp_of(code.compiler);
  Head head{
      {}, {}, compiler.bytes, compiler.changed, code.compiler.size(), code.log.size(), code.code.size()};
  std::memcpy(head.magic, magic, sizeof magic);
  std::string entry(sizeof head, '\0');
  entry += code.compiler;
  entry += code.log;
  entry += text_of(code.code);
  std::memcpy(entry.data(), &head, sizeof head);
  head.hash = content_hash(std::as_bytes(std::span(entry)).subspan(behind_hash));
  std::memcpy(entry.data(), &head, sizeof head);
  return entry;
}

/// Creates a new file in `file`'s folder; returns -1 on failure. `name` is set to its name.
int temporary_beside(const fs::path& file, std::string& name) {
  name = file.string() + ".XXXXXX.tmp";
  return ::mkostemps(name.data(), 4, O_CLOEXEC);
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

fs::path CodeCache::file_of(const ContentHash& key) const {
  const std::string name = formatted("{:016x}{:016x}", key.high, key.low);
  return cache_ / "modules" / name.substr(0, 2) / name.substr(2);
}

std::optional<CompiledCode> CodeCache::find(const ContentHash& key) const {
  if (cache_.empty()) return std::nullopt;
  try {
    const fs::path file = file_of(key);
    // It is code that this process runs.
    if (!is_trusted_entry(cache_, file)) return std::nullopt;
    std::optional<CompiledCode> found = read_entry(RegularFile(file).read_all());
    // `kernel-gen cache prune` removes those first that were used longest ago.
    if (found) ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
    return found;
  } catch (const Error&) {
    return std::nullopt;  // not there, or not ours to read: as good as missing
  }
}

void CodeCache::store(const ContentHash& key, const CompiledCode& code) const noexcept {
  if (cache_.empty()) return;
  try {
    const fs::path file = file_of(key);
    if (!make_cache_folder(cache_, file.parent_path())) return;
    const std::string entry = write_entry(code);
    std::string name;
    const int descriptor = temporary_beside(file, name);
    if (descriptor < 0) return;
    const bool is_written = write_all(descriptor, entry);
    if (::close(descriptor) != 0 || !is_written || std::rename(name.c_str(), file.c_str()) != 0)
      ::unlink(name.c_str());
  } catch (const std::exception&) {
    // If the folder is not writable, the compiled code is still used.
  }
}

}  // namespace kernelgen
