#include "commands/init.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "commands/project_files.hpp"
#include "manifest/node.hpp"
#include "source/identifier.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

/// Files and folders that are removed again unless they are kept.
class NewFiles {
 public:
  explicit NewFiles(Disk& disk) : disk_(disk) {}
  ~NewFiles() {
    if (is_kept_) return;
    for (const fs::path& path : files_) disk_.remove_tree(path);
    for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder) disk_.remove_empty(*folder);
  }
  NewFiles(const NewFiles&) = delete;
  NewFiles& operator=(const NewFiles&) = delete;

  void add(const fs::path& path, std::string_view text) {
    std::ranges::move(disk_.make_dirs(path.parent_path()), std::back_inserter(folders_));
    disk_.write_atomically(path, text);
    files_.push_back(path);
  }
  void keep() { is_kept_ = true; }

 private:
  Disk& disk_;
  std::vector<fs::path> files_, folders_;
  bool is_kept_ = false;
};

/// The folder's name as an identifier: "my-kernels" is my_kernels.
std::string name_of(const fs::path& folder, const Disk& disk) {
  std::string name = disk.resolve(folder).filename().string();
  std::ranges::replace_if(name, [](char c) { return c == '-' || c == '.' || c == ' '; }, '_');
  return name;
}

std::string with_name(std::string text, const std::string& name) {
  constexpr std::string_view stands_for_it = "@NAME@";
  for (std::size_t at = 0; (at = text.find(stands_for_it, at)) != std::string::npos; at += name.size())
    text.replace(at, stands_for_it.size(), name);
  return text;
}

void refuse_existing(const fs::path& folder, const Disk& disk) {
  Faults faults;
  if (disk.type(folder) != FileType::none && !disk.is_directory(folder))
    faults.add(folder.string(), "", "is not a folder; init writes a project into one, new or empty");
  else
    for (const ProjectFile& file : project_files())
      if (disk.type(folder / file.path) != FileType::none)
        faults.add((folder / file.path).string(), "",
                   "is there already; init overwrites nothing: name another folder");
  faults.throw_if_any();
}

}  // namespace

int run_init(const InitOptions& options, Disk& disk, std::FILE* out) {
  const std::string name = options.name.empty() ? name_of(options.folder, disk) : options.name;
  if (const std::string objection = identifier_objection(name); !objection.empty())
    throw BadInput(Fault{options.folder.string(),
                         "",
                         fmt::format("the project's name '{}' {}; give another with --name", name, objection),
                         {}});
  refuse_existing(options.folder, disk);
  NewFiles files(disk);
  for (const ProjectFile& file : project_files())
    files.add(options.folder / file.path, with_name(file.text, name));
  files.keep();

  const std::string folder = printable(options.folder.string());
  if (options.json) {
    Json written = Json::array();
    for (const ProjectFile& file : project_files()) written.push_back(file.path);
    fmt::print(out, "{}",
               json_text(Json{{"name", name}, {"folder", options.folder.string()}, {"files", written}}));
    return exit_ok;
  }
  for (const ProjectFile& file : project_files())
    fmt::print(out, "new {}\n", printable((options.folder / file.path).string()));
  fmt::print(out, "cmake -S {0} -B {0}/build && cmake --build {0}/build && {0}/build/main\n", folder);
  return exit_ok;
}

}  // namespace kernelgen::tool
