#include "commands/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>

#include "base/fault.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "build/clangs.hpp"
#include "import/hip_header.hpp"
#include "manifest/kernel.hpp"
#include "source/identifier.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

/// The file and those that it includes by "", by their paths relative to its folder.
std::map<fs::path, std::string> read_sources(const fs::path& source, const Disk& disk) {
  static const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)")re", std::regex::multiline);
  std::map<fs::path, std::string> texts;
  std::vector<fs::path> waiting = {source.filename()};
  while (!waiting.empty()) {
    const fs::path path = waiting.back();
    waiting.pop_back();
    const fs::path full = source.parent_path() / path;
    if (texts.contains(path) || !disk.exists(full) || disk.is_directory(full)) continue;
    const std::string& text = texts[path] = disk.read(full);
    for (std::sregex_iterator match(text.begin(), text.end(), include), end; match != end; ++match) {
      const fs::path included = (path.parent_path() / (*match)[1].str()).lexically_normal();
      if (included.is_absolute() || *included.begin() == "..")
        throw BadInput(Fault{
            full.string(),
            "",
            fmt::format("includes \"{}\", outside of the folder of {}", (*match)[1].str(), source.string()),
            {}});
      waiting.push_back(included);
    }
  }
  return texts;
}

Json syntax_tree(const fs::path& clang, const ImportOptions& options, const fs::path& headers,
                 ProcessRunner& runner) {
  CommandLine command = {clang.string(),
                         "-x",
                         "hip",
                         "--offload-device-only",
                         "--offload-arch=gfx90a",
                         "-std=c++17",
                         "-nogpuinc",
                         "-nogpulib",
                         "-fsyntax-only",
                         "-DKERNELGEN_IMPORT",
                         "-DKERNELGEN_WAVE_SIZE=64",
                         "-I",
                         headers.string()};
  for (const fs::path& folder : {options.places.shipped_kernels})
    command.insert(command.end(), {"-I", folder.string()});
  command.insert(command.end(), {"-Xclang", "-ast-dump=json", options.source.string()});
  const ProcessResult result = run_process(runner, command);
  if (!result.ok())
    throw BadInput(
        Fault{options.source.string(), "", fmt::format("clang cannot read it: {}", first_error(result)), {}});
  return Json::parse(result.out);
}

/// Folders that are gone again where nothing more was written into them.
class NewFolder {
 public:
  NewFolder(Disk& disk, const fs::path& folder) : disk_(disk), made_(disk.make_dirs(folder)) {}
  ~NewFolder() {
    if (!kept_ && !made_.empty()) disk_.remove_tree(made_.front());
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  void keep() { kept_ = true; }

 private:
  Disk& disk_;
  std::vector<fs::path> made_;
  bool kept_ = false;
};

std::vector<ImportedKernel> find_kernels(const ImportOptions& options, const Json& tree) {
  const std::string file = options.source.string();
  Faults faults;
  std::vector<ImportedKernel> kernels = read_kernels(tree, file, options.kernels, faults);
  faults.throw_if_any();
  Faults ignored;
  std::vector<std::string> names;
  for (const ImportedKernel& kernel : read_kernels(tree, file, {}, ignored)) names.push_back(kernel.name);
  if (names.empty() && kernels.empty()) faults.add(file, "", "holds no __global__ function");
  for (const std::string& wanted : options.kernels)
    if (std::ranges::find(kernels, wanted, &ImportedKernel::name) == kernels.end())
      faults.add_unknown(file, "", fmt::format("--kernel {}: there is no such kernel", wanted), wanted,
                         names);
  faults.throw_if_any();
  return kernels;
}

}  // namespace

int run_import(const ImportOptions& options, Disk& disk, ProcessRunner& runner,
               const Environment& environment, std::FILE* out) {
  if (!disk.exists(options.source) || disk.is_directory(options.source))
    throw BadInput(Fault{options.source.string(), "", "there is no such file", {}});
  const std::string module = options.module.empty() ? options.source.stem().string() : options.module;
  if (const std::string objection = identifier_objection(module); !objection.empty())
    throw BadInput(Fault{options.source.string(),
                         "",
                         fmt::format("the module's name '{}' {}; name it with --module", module, objection),
                         {}});
  const fs::path clang = need_clang("import", disk, runner, environment);
  const std::map<fs::path, std::string> sources = read_sources(options.source, disk);

  const fs::path folder = options.out / "kernels";
  NewFolder made(disk, folder / "hip");
  disk.write_atomically(folder / "hip" / "hip_runtime.h", hip_runtime_header());
  const std::vector<ImportedKernel> kernels =
      find_kernels(options, syntax_tree(clang, options, folder, runner));
  const std::string file = options.source.filename().string(),
                    manifest = import_manifest(module, file, kernels);
  Faults faults;
  expand(std::vector{parse_manifest(options.source.string(), manifest, faults)});
  faults.throw_if_any();

  for (const auto& [path, text] : sources) {
    disk.make_dirs((folder / path).parent_path());
    disk.write_atomically(folder / path, text);
  }
  disk.write_atomically(folder / (module + ".hpp"), import_header(file, kernels));
  disk.make_dirs(options.out / "manifests");
  disk.write_atomically(options.out / "manifests" / (module + ".json"), manifest);
  made.keep();
  fmt::print(out, "{}: {}\nkernel-gen build --manifests {} --kernels {}\n",
             printable((options.out / "manifests" / (module + ".json")).string()),
             spell_count(kernels.size(), "kernel"), printable((options.out / "manifests").string()),
             printable(folder.string()));
  return exit_ok;
}

}  // namespace kernelgen::tool
