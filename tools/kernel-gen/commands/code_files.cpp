#include "commands/code_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/fault.hpp"
#include "build/staging.hpp"
#include "commands/package_file.hpp"
#include "manifest/part.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

/// A name of a package as a name of a file: none may leave the folder. Throws BadInput.
std::string file_name(const Package& package, std::string_view name) {
  const bool is_plain =
      !name.empty() && name.front() != '.' && std::ranges::all_of(name, [](unsigned char c) {
        return std::isalnum(c) || c == '_' || c == '-' || c == '.';
      });
  if (!is_plain)
    throw BadInput(Fault{package.name(), "", fmt::format("'{}' cannot be the name of a file", name), {}});
  return std::string(name);
}

void need_module(const Package& package, const std::string& module) {
  std::vector<std::string> names;
  for (const auto& record : package.modules()) names.emplace_back(package.text(record.name));
  if (std::ranges::any_of(names, [&](const std::string& name) { return is_part_of(name, module); })) return;
  Faults faults;
  faults.add_unknown(package.name(), "", fmt::format("holds no module '{}'", module), module, names);
  faults.throw_if_any();
}

}  // namespace

std::string_view extension_of(CodeKind kind) { return kind == CodeKind::host ? "so" : name_of(kind); }

std::vector<CodeFile> code_files(const Package& package, const std::string& target,
                                 const std::string& module) {
  if (!target.empty()) need_target(package, target);
  if (!module.empty()) need_module(package, module);
  std::vector<CodeFile> files;
  for (std::uint32_t t = 0; t < package.targets().size(); ++t)
    for (std::uint32_t m = 0; m < package.modules().size(); ++m) {
      const std::string_view target_name = package.text(package.targets()[t].name),
                             module_name = package.text(package.modules()[m].name);
      if ((!target.empty() && target != target_name) || (!module.empty() && !is_part_of(module_name, module)))
        continue;
      PackageCode bytes = package.code(t, m);
      if (bytes.empty()) continue;
      CodeObject code = read_code(package, t, m);
      std::string path = fmt::format("{}/{}.{}", file_name(package, target_name),
                                     file_name(package, module_name), extension_of(code.kind));
      files.push_back({t, m, std::move(path), std::move(bytes), std::move(code)});
    }
  return files;
}

std::vector<FileText> code_file_texts(const std::vector<CodeFile>& files) {
  std::vector<FileText> texts;
  for (const CodeFile& file : files) {
    const std::span<const std::byte> bytes = file.bytes;
    texts.push_back({file.path, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())});
  }
  return texts;
}

void write_files(std::string_view option, const fs::path& folder, const std::vector<std::string>& paths,
                 const std::function<std::string_view(std::size_t)>& bytes_of, Disk& disk) {
  std::vector<std::string> names;
  for (const std::string& path : paths) names.push_back(fs::path(path).begin()->string());
  const std::vector<std::string_view> owned(names.begin(), names.end());
  Staging staging(disk, folder, owned, option);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const fs::path path = staging.path() / paths[i];
    disk.make_dirs(path.parent_path());
    disk.write_atomically(path, bytes_of(i));
  }
  staging.commit();
}

void write_files(std::string_view option, const fs::path& folder, const std::vector<FileText>& files,
                 Disk& disk) {
  std::vector<std::string> paths;
  for (const FileText& file : files) paths.push_back(file.path);
  write_files(option, folder, paths, [&](std::size_t i) { return std::string_view(files[i].bytes); }, disk);
}

}  // namespace kernelgen::tool
