#include "support/memory_disk.hpp"

#include <fmt/format.h>

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

std::string key(const fs::path& path) {
  fs::path normal = path.lexically_normal();
  if (!normal.has_filename() && normal.has_parent_path() && normal != normal.root_path())
    normal = normal.parent_path();
  return normal.string();
}

/// The key's own name when it is directly or deeper in `directory`, as a path relative to it; else empty.
std::string_view below(std::string_view path, std::string_view directory) {
  if (directory == ".") return path.starts_with('/') ? std::string_view{} : path;
  if (directory == "/") return path.starts_with('/') ? path.substr(1) : std::string_view{};
  if (path.size() <= directory.size() + 1 || !path.starts_with(directory) || path[directory.size()] != '/')
    return {};
  return path.substr(directory.size() + 1);
}

}  // namespace

void MemoryDisk::add(const fs::path& path, std::string_view bytes) {
  make_dirs(path.parent_path());
  set(key(path), bytes);
}

void MemoryDisk::set(const std::string& name, std::string_view bytes) {
  files_[name] = bytes;
  times_[name].changed = times_[name].used = now();
}

FileStamp MemoryDisk::stamp(const fs::path& path) const {
  const std::string name = key(resolve(path));
  if (!exists(path)) throw ReadError("read", path, "No such file or directory");
  const auto file = files_.find(name);
  const auto times = times_.find(name);
  const Times known = times == times_.end() ? Times{} : times->second;
  return {file == files_.end() ? 0 : file->second.size(), 0, known.changed, known.used};
}

void MemoryDisk::touch(const fs::path& path) { times_[key(resolve(path))].used = now(); }

void MemoryDisk::add_link(const fs::path& path, const fs::path& target) { links_[key(path)] = target; }

bool MemoryDisk::exists(const fs::path& path) const {
  return files_.contains(key(resolve(path))) || is_directory(path);
}

bool MemoryDisk::is_directory(const fs::path& path) const {
  return directories_.contains(key(resolve(path)));
}

FileType MemoryDisk::type(const fs::path& path) const {
  if (links_.contains(key(path))) return FileType::other;
  if (is_directory(path)) return FileType::folder;
  return exists(path) ? FileType::file : FileType::none;
}

fs::path MemoryDisk::resolve(const fs::path& path) const {
  const std::string name = key(path);
  for (const auto& [link, target] : links_) {
    if (name == link) return key(target);
    if (const std::string_view rest = below(name, link); !rest.empty()) return key(target / rest);
  }
  return name;
}

std::string MemoryDisk::read(const fs::path& path) const {
  const auto it = files_.find(key(resolve(path)));
  if (it == files_.end()) throw ReadError("read", path, "No such file or directory");
  return it->second;
}

std::vector<fs::path> MemoryDisk::list(const fs::path& directory) const {
  if (!is_directory(directory)) throw ReadError("list", directory, "No such file or directory");
  std::set<fs::path> paths;
  const auto add_child = [&](const std::string& name) {
    const std::string_view rest = below(name, key(resolve(directory)));
    if (!rest.empty() && rest != ".") paths.insert(directory / rest.substr(0, rest.find('/')));
  };
  for (const auto& [name, bytes] : files_) add_child(name);
  for (const std::string& name : directories_) add_child(name);
  return {paths.begin(), paths.end()};
}

void MemoryDisk::refuse_read_only(std::string_view what, const fs::path& path) const {
  for (const fs::path& folder : read_only)
    if (!below(key(resolve(path)), key(folder)).empty()) throw DiskError(what, path, "Read-only file system");
}

void MemoryDisk::ask_before(std::string_view what, const fs::path& path) const {
  refuse_read_only(what, path);
  if (before_change) before_change(what, path);
}

void MemoryDisk::write_atomically(const fs::path& path, std::string_view bytes) {
  const fs::path parent = key(path.parent_path());
  if (!parent.empty() && !is_directory(parent)) throw DiskError("write", path, "No such file or directory");
  ask_before("write", path);
  set(key(resolve(path)), bytes);
}

std::vector<fs::path> MemoryDisk::make_dirs(const fs::path& directory) {
  directories_.insert(".");
  std::vector<fs::path> made;
  for (fs::path d = key(directory); !d.empty(); d = d.parent_path()) {
    if (files_.contains(key(d))) throw DiskError("make directory", directory, "a file is there");
    if (d == d.root_path()) {
      directories_.insert(key(d));
      break;
    }
    if (!directories_.contains(key(d))) made.insert(made.begin(), d);
  }
  for (const fs::path& d : made) ask_before("make directory", d);
  for (const fs::path& d : made) directories_.insert(key(d));
  return made;
}

void MemoryDisk::rename(const fs::path& from, const fs::path& to) {
  if (!exists(from))
    throw DiskError(fmt::format("rename {} to", from.string()), to, "No such file or directory");
  if (is_directory(to))
    throw DiskError(fmt::format("rename {} to", from.string()), to, "a directory is there");
  ask_before(fmt::format("rename {} to", from.string()), to);
  move(from, to);
}

void MemoryDisk::move(const fs::path& from, const fs::path& to) {
  const std::string old_name = key(from), new_name = key(to);
  const auto moved = [&](const std::string& name) -> std::string {
    if (name == old_name) return new_name;
    const std::string_view rest = below(name, old_name);
    return rest.empty() ? name : key(to / rest);
  };
  std::map<std::string, std::string> files;
  for (auto& [name, bytes] : files_)
    if (moved(name) == name) files[name] = std::move(bytes);
  for (auto& [name, bytes] : files_)
    if (moved(name) != name) files[moved(name)] = std::move(bytes);
  files_ = std::move(files);
  std::set<std::string> directories;
  for (const std::string& name : directories_) directories.insert(moved(name));
  directories_ = std::move(directories);
}

bool MemoryDisk::exchange(const fs::path& one, const fs::path& other) {
  if (!can_exchange) return false;
  ask_before(fmt::format("exchange {} and", one.string()), other);
  const fs::path aside = one.string() + ".exchange";
  move(one, aside);
  move(other, one);
  move(aside, other);
  return true;
}

bool MemoryDisk::remove_empty(const fs::path& directory) {
  if (!is_directory(directory) || !list(directory).empty()) return false;
  directories_.erase(key(directory));
  return true;
}

void MemoryDisk::remove_tree(const fs::path& path) {
  const std::string gone = key(path);
  const auto lies_in = [&](const std::string& name) { return name == gone || !below(name, gone).empty(); };
  std::erase_if(files_, [&](const auto& file) { return lies_in(file.first); });
  std::erase_if(directories_, lies_in);
}

std::unique_ptr<Claim> MemoryDisk::claim(const fs::path& path) {
  struct Held final : Claim {
    Held(std::set<std::string>& claims, std::string name) : claims(claims), name(std::move(name)) {
      claims.insert(this->name);
    }
    ~Held() override { claims.erase(name); }
    std::set<std::string>& claims;
    std::string name;
  };
  if (!exists(path) || claims_.contains(key(path))) return nullptr;
  return std::make_unique<Held>(claims_, key(path));
}

}  // namespace kernelgen::tool
