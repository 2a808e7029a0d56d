#include "import/source_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view device_headers[] = {
    "hip/",           "hip_runtime",  "cuda",         "cooperative_groups", "device_launch_parameters",
    "math_constants", "vector_types", "driver_types", "builtin_types",      "nv_bfloat16"};

bool is_inside(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

class Reader {
 public:
  Reader(const Disk& disk, const SourceFolders& folders, const std::string& module) : disk_(disk) {
    fs::path parent = folders.file.parent_path();
    if (parent.empty()) parent = ".";
    roots_.push_back({disk.resolve(parent), module});
    for (std::size_t i = 0; i < folders.includes.size(); ++i)
      roots_.push_back({disk.resolve(folders.includes[i]), fmt::format("{}/include{}", module, i + 1)});
    tree_.main = *key_of(disk.resolve(folders.file));
  }

  SourceTree run(const std::vector<fs::path>& needed, Faults& faults) {
    for (const fs::path& path : needed) {
      if (!disk_.exists(path)) {
        // clang names some of its headers relative to its folder.
        if (!is_device_header(path.string()) && !path.string().starts_with("include/cuda_wrappers/"))
          tree_.missing.push_back(path.string());
        continue;
      }
      const fs::path full = disk_.resolve(path);
      if (const auto key = key_of(full))
        tree_.files[*key] = {path, disk_.read(path)};
      else
        faults.add(
            path.string(), "",
            fmt::format("is included from outside of the imported file's folder; name its folder: -I {}",
                        path.parent_path().string()));
    }
    for (auto& [key, file] : tree_.files) rewrite_includes(file);
    return std::move(tree_);
  }

 private:
  struct Root {
    fs::path folder;
    std::string key;
  };

  std::optional<std::string> key_of(const fs::path& full) const {
    for (const Root& root : roots_)
      if (is_inside(full, root.folder))
        return root.key + "/" + full.lexically_relative(root.folder).generic_string();
    return std::nullopt;
  }

  /// The key of what an #include of a file finds.
  std::optional<std::string> find(const SourceFile& file, const std::string& name, bool is_quoted) const {
    std::vector<fs::path> candidates;
    if (is_quoted) candidates.push_back(disk_.resolve(file.original).parent_path() / name);
    for (std::size_t i = 1; i < roots_.size(); ++i) candidates.push_back(roots_[i].folder / name);
    for (const fs::path& candidate : candidates)
      if (disk_.exists(candidate))
        if (auto key = key_of(disk_.resolve(candidate)); key && tree_.files.contains(*key)) return key;
    return std::nullopt;
  }

  void rewrite_includes(SourceFile& file) const {
    static const std::regex include(R"re(^([ \t]*#[ \t]*include[ \t]*)(["<])([^">\n]+)[">])re",
                                    std::regex::multiline);
    std::string text;
    auto last = file.text.cbegin();
    for (std::sregex_iterator match(file.text.begin(), file.text.end(), include), end; match != end;
         ++match) {
      text.append(last, (*match)[0].first);
      last = (*match)[0].second;
      const std::string name = (*match)[3];
      if (const auto key = find(file, name, (*match)[2] == "\""))
        text += fmt::format("{}\"{}\"", (*match)[1].str(), *key);
      else if (!is_device_header(name) && std::ranges::find(tree_.missing, name) == tree_.missing.end())
        text += (*match)[0];
    }
    text.append(last, file.text.cend());
    file.text = std::move(text);
  }

  const Disk& disk_;
  std::vector<Root> roots_;
  SourceTree tree_;
};

}  // namespace

bool is_device_header(std::string_view name) {
  return std::ranges::any_of(device_headers, [&](std::string_view start) { return name.starts_with(start); });
}

std::string SourceTree::original(const fs::path& folder, const std::string& path) const {
  const auto file = files.find(fs::path(path).lexically_relative(folder).generic_string());
  return file == files.end() ? path : file->second.original.string();
}

SourceTree read_source_tree(const Disk& disk, const SourceFolders& folders, const std::string& module,
                            const std::vector<fs::path>& needed, Faults& faults) {
  return Reader(disk, folders, module).run(needed, faults);
}

}  // namespace kernelgen::tool
