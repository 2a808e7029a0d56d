#include "build/read_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/digest.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

const std::string absent = "absent";
const std::string all_names = "*";
const std::string folder_paths = "@";
const std::string source_bytes = "=";

bool is_ours(const std::string& name) { return !name.empty() && name[0] != '/'; }

fs::path normal(const fs::path& path) { return fs::absolute(path).lexically_normal(); }

/// `path` relative to `folder`; nothing if it is outside.
std::optional<std::string> within(const fs::path& folder, const fs::path& path) {
  const std::string prefix = (folder / "").string(), text = path.string();
  if (!text.starts_with(prefix)) return std::nullopt;
  return text.substr(prefix.size());
}

}  // namespace

bool is_kernel_file(const std::string& name) {
  const std::size_t digit = name[0] == '=' ? 1 : 0;
  return digit < name.size() && name[digit] >= '0' && name[digit] <= '9';
}

ReadFiles::ReadFiles(const Disk& disk, std::vector<fs::path> folders, std::vector<fs::path> search)
    : disk_(disk), folders_(std::move(folders)), search_(std::move(search)) {
  for (std::vector<fs::path>* list : {&folders_, &search_})
    for (fs::path& folder : *list) {
      folder = normal(folder);
      if (!folder.has_filename()) folder = folder.parent_path();
    }
}

fs::path ReadFiles::path_of(const std::string& name) const {
  if (!is_ours(name)) return name;
  std::size_t folder = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data(), end, folder);
  if (error != std::errc() || rest == end || *rest != '/' || folder >= folders_.size()) return {};
  return (folders_[folder] / std::string(rest + 1, end)).lexically_normal();
}

std::string ReadFiles::spell(const std::string& name) const {
  const fs::path path = path_of(name);
  return path.empty() ? name : path.string();
}

fs::path ReadFiles::file_of(const std::string& name) const {
  if (is_kernel_file(name)) return path_of(name[0] == '=' ? name.substr(1) : name);
  return name[0] == '/' && name.back() != '/' ? fs::path(name) : fs::path();
}

std::string ReadFiles::name_of(const fs::path& file) const {
  const fs::path path = normal(file);
  for (std::size_t i = 0; i < folders_.size(); ++i)
    if (const auto rest = within(folders_[i], path)) return std::to_string(i) + '/' + *rest;
  return path.string();
}

const ReadFiles::File& ReadFiles::file(const fs::path& path) {
  const auto [entry, is_new] = files_.try_emplace(path.string());
  File& file = entry->second;
  if (!is_new) return file;
  file.read_at = disk_.now();
  try {
    file.stamp = disk_.stamp(path);
    const std::string bytes = disk_.read(path);
    if (is_ours(name_of(path)))
      file.text = read_source_text(bytes);
    else
      file.text.bytes_hash = hash128(bytes).hex();
    file.is_there = true;
  } catch (const DiskError&) {
    // As good as absent: a compile that needs it will say why.
  }
  return file;
}

const std::string& ReadFiles::state(const std::string& name) {
  const auto known = states_.find(name);
  return known != states_.end() ? known->second : states_.emplace(name, compute(name)).first->second;
}

std::string ReadFiles::compute(const std::string& name) {
  if (name == all_names || name == folder_paths) {
    Digest digest;
    for (const fs::path& folder : folders_)
      digest.add(name == all_names ? names_below(folder, true) : folder.string());
    return digest.finish().hex();
  }
  if (name[0] == '?') return disk_.exists(path_of(name.substr(1))) ? "there" : absent;
  if (name.back() == '/') return disk_.is_directory(name) ? names_below(name, false) : absent;
  const bool is_exact = name[0] == '=';
  const std::string plain = is_exact ? name.substr(1) : name;
  const File& found = file(path_of(plain));
  if (!found.is_there) return absent;
  return is_exact || !is_ours(plain) ? found.text.bytes_hash : found.text.tokens_hash;
}

std::string ReadFiles::names_below(const fs::path& folder, bool deep) const {
  Digest digest;
  try {
    for (const fs::path& path : disk_.list(folder)) {
      digest.add(path.filename().string());
      if (deep && disk_.is_directory(path)) digest.add(names_below(path, true));
    }
  } catch (const DiskError&) {
    return absent;
  }
  return digest.finish().hex();
}

std::optional<std::string> ReadFiles::changed(const ReadSet& set, const SourceText& source) {
  for (const auto& [name, before] : set)
    if ((name == source_bytes ? source.bytes_hash : state(name)) != before) return name;
  return std::nullopt;
}

std::string ReadFiles::spell_change(const std::string& name) {
  if (name == source_bytes) return "lines of its source moved";
  if (name == folder_paths) return "the folder of kernels is another";
  if (name == all_names) return "the files in the folder of kernels are others";
  if (name[0] == '?') {
    const bool is_there = state(name) != absent;
    return spell(name.substr(1)) + (is_there ? " is there now, where a compiler looks first" : " is gone");
  }
  if (name.back() == '/') return fmt::format("the files in {} are others", name);
  return spell(name[0] == '=' ? name.substr(1) : name) + (state(name) == absent ? " is gone" : " changed");
}

bool ReadFiles::is_steady(const fs::path& path, std::int64_t start) {
  const File& known = file(path);
  try {
    const FileStamp now = disk_.stamp(path);
    if (known.is_there && now.is_same_as(known.stamp) && now.changed < known.read_at && now.changed < start)
      return true;
  } catch (const DiskError&) {
    // Gone.
  }
  unsteady_.insert(path);
  return false;
}

std::vector<std::string> ReadFiles::candidates_of(const Include& include, const std::string& folder) const {
  std::vector<std::string> candidates;
  if (include.is_quoted && !folder.empty()) candidates.push_back(folder + '/' + include.name);
  for (std::size_t i = 0; i < folders_.size(); ++i)
    candidates.push_back(std::to_string(i) + '/' + include.name);
  return candidates;
}

std::string ReadFiles::hash_of_all(std::span<const SourceText* const> sources) {
  Digest digest;
  std::vector<std::string> waiting;
  const auto add = [&](const SourceText& text, const std::string& folder) {
    for (const Include& include : text.includes)
      for (const std::string& candidate : candidates_of(include, folder))
        if (file(path_of(candidate)).is_there) {
          waiting.push_back(candidate);
          break;
        }
  };
  for (const SourceText* source : sources) {
    digest.add(source->tokens_hash);
    add(*source, "");
  }
  std::map<std::string, std::string>
      hashes;  // without the folders' numbers: a copy of the files is equivalent
  while (!waiting.empty()) {
    const std::string name = name_of(path_of(waiting.back()));
    waiting.pop_back();
    if (!is_kernel_file(name)) continue;
    const SourceText& text = file(path_of(name)).text;
    if (hashes.emplace(name.substr(name.find('/')), text.tokens_hash).second)
      add(text, name.substr(0, name.rfind('/')));
  }
  for (const auto& [name, hash] : hashes) digest.add(name).add(hash);
  return digest.finish().hex();
}

/// Collects the files that a compile read and those that it searched for.
class ReadFiles::Collector {
 public:
  Collector(ReadFiles& files, std::int64_t start) : files_(files), start_(start) {}

  /// `folder` is that of the text's file, by name; empty for a source of the tool.
  void add_text(const SourceText& text, const std::string& folder) {
    is_exact_ = is_exact_ || text.names_lines;
    is_known_ = is_known_ && !text.names_more;
    if (text.has_computed_include) names_.insert(all_names);
    for (const Include& include : text.includes) look_for(include, folder);
  }

  void add_file(const fs::path& file) {
    const std::string name = files_.name_of(file);
    const fs::path path = files_.path_of(name);
    is_known_ = files_.is_steady(path, start_) && is_known_;
    read_.insert(name);
    if (is_ours(name))
      add_text(files_.file(path).text, name.substr(0, name.rfind('/')));
    else
      add_outside(path);
  }

  std::optional<ReadSet> finish(const SourceText& source) {
    if (is_outside_)
      for (const fs::path& folder : files_.search_) names_.insert((folder / "").string());
    if (is_exact_) names_.insert(folder_paths);
    for (const std::string& name : read_) names_.insert(is_exact_ && is_ours(name) ? '=' + name : name);
    if (!is_known_) return std::nullopt;
    ReadSet set;
    if (is_exact_) set.emplace_back(source_bytes, source.bytes_hash);
    for (const std::string& name : names_) set.emplace_back(name, files_.state(name));
    std::ranges::sort(set);
    return set;
  }

 private:
  /// The paths that a compiler tries before it finds an included file: a new file there changes what is read.
  void look_for(const Include& include, const std::string& folder) {
    if (include.name.starts_with('/')) {
      if (include.is_question) names_.insert(include.name);
      return;
    }
    for (const std::string& candidate : files_.candidates_of(include, folder)) {
      const fs::path path = files_.path_of(candidate);
      const bool is_there = files_.disk_.exists(path);
      if (!is_there || include.is_question) names_.insert('?' + candidate);
      if (!is_there) continue;
      // One that came while the compile ran may have been missed by it.
      if (!include.is_question) is_known_ = files_.is_steady(path, start_) && is_known_;
      return;
    }
    is_outside_ = true;
  }

  void add_outside(const fs::path& path) {
    is_outside_ = true;
    names_.insert((path.parent_path() / "").string());
    for (const fs::path& folder : files_.search_)
      if (const auto rest = within(folder, path))
        for (std::size_t i = 0; i < files_.folders_.size(); ++i)
          names_.insert('?' + std::to_string(i) + '/' + *rest);
  }

  ReadFiles& files_;
  std::int64_t start_;
  std::set<std::string> read_;   ///< names of files
  std::set<std::string> names_;  ///< names of all other files that were checked
  bool is_exact_ = false;
  bool is_known_ = true;
  bool is_outside_ = false;
};

std::optional<ReadSet> ReadFiles::reads_of(const SourceText& source, const std::vector<fs::path>& files,
                                           std::int64_t start) {
  Collector collector(*this, start);
  collector.add_text(source, "");
  for (const fs::path& file : files) collector.add_file(file);
  return collector.finish(source);
}

}  // namespace kernelgen::tool
