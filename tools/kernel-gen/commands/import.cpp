#include "commands/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/fault.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "build/clangs.hpp"
#include "compile/scratch_folder.hpp"
#include "import/file_reader.hpp"
#include "manifest/kernel.hpp"
#include "source/identifier.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

/// "vector_add" for "vector-add.cu"
std::string module_of(const fs::path& file) {
  std::string name = file.stem().string();
  std::ranges::replace(name, '-', '_');
  std::ranges::replace(name, '.', '_');
  return name;
}

/// Defines become lines of a header, so that none may hold another line.
void check_defines(const std::vector<std::string>& defines, Faults& faults) {
  for (const std::string& define : defines) {
    const std::string name = define.substr(0, define.find('='));
    if (!identifier_objection(name).empty() && !name.starts_with("__"))
      faults.add("", "",
                 fmt::format("-D {}: '{}' is not the name of a macro; write -D NAME or -D NAME=VALUE",
                             printable(define), printable(name)));
    else if (printable(define) != define || define.ends_with('\\'))
      faults.add("", "", fmt::format("-D {}: a macro's value is one line", printable(define)));
  }
}

std::vector<FileRequest> requests_of(const ImportOptions& options, const Disk& disk) {
  Faults faults;
  check_defines(options.defines, faults);
  if (!options.module.empty() && options.sources.size() > 1)
    faults.add("", "", "--module names the module of one file; leave it out, or import the files one by one");
  for (const fs::path& folder : options.includes)
    if (!disk.is_directory(folder)) faults.add(folder.string(), "", "-I: there is no such folder");
  std::vector<FileRequest> requests;
  for (const fs::path& source : options.sources) {
    const std::string module = options.module.empty() ? module_of(source) : options.module;
    if (!disk.exists(source) || disk.is_directory(source))
      faults.add(source.string(), "", "there is no such file");
    else if (const std::string objection = identifier_objection(module); !objection.empty())
      faults.add(source.string(), "",
                 fmt::format("the module's name '{}' {}; name it with --module", module, objection));
    else if (std::ranges::find(requests, module, &FileRequest::module) != requests.end())
      faults.add(
          source.string(), "",
          fmt::format("another file makes module '{}' as well; import it alone with --module", module));
    requests.push_back({source, options.includes, options.defines, options.kernels, options.instances, module,
                        options.leaves_out});
  }
  faults.throw_if_any();
  return requests;
}

void write(const ReadFile& read, const std::string& manifest, const fs::path& out, Disk& disk) {
  for (const auto& [key, source] : read.tree.files) {
    disk.make_dirs((out / "kernels" / key).parent_path());
    disk.write_atomically(out / "kernels" / key, source.text);
  }
  disk.write_atomically(out / "kernels" / (read.file.module + ".hpp"), import_header(read.file));
  disk.make_dirs(out / "manifests");
  disk.write_atomically(out / "manifests" / (read.file.module + ".json"), manifest);
}

}  // namespace

int run_import(const ImportOptions& options, Disk& disk, ProcessRunner& runner,
               const Environment& environment, std::FILE* out) {
  const std::vector<FileRequest> requests = requests_of(options, disk);
  const fs::path clang = need_clang("import", disk, runner, environment);
  if (const fs::path api = options.paths.shipped_kernels / "imported" / "api.hpp"; !disk.exists(api))
    throw BadInput(
        Fault{api.string(),
              "",
              "is missing: a program that was copied alone lacks HIP's device API; run the installed one, or "
              "the one in its build folder",
              {}});
  std::vector<std::pair<ReadFile, std::string>> all;
  Faults faults;
  for (const FileRequest& request : requests) {
    const ScratchFolder scratch;
    const fs::path folder = disk.resolve(scratch.path());
    try {
      ReadFile read = read_file(request, {clang, options.paths.shipped_kernels, folder}, disk, runner);
      std::string manifest = import_manifest(read.file);
      Faults of_manifest;
      expand(std::vector{parse_manifest(request.file.string(), manifest, of_manifest)});
      of_manifest.throw_if_any();
      all.emplace_back(std::move(read), std::move(manifest));
    } catch (const BadInput& error) {
      for (const Fault& fault : error.faults())
        faults.add(fault.file, fault.pointer, fault.what, fault.meant);
    }
  }
  faults.throw_if_any();
  for (const auto& [read, manifest] : all) {
    write(read, manifest, options.out, disk);
    print_faults(read.left_out.list());
    fmt::print(out, "{}: {}\n",
               printable((options.out / "manifests" / (read.file.module + ".json")).string()),
               spell_count(read.file.kernels.size(), "kernel"));
  }
  fmt::print(out, "kernel-gen build --manifests {} --kernels {}\n",
             printable((options.out / "manifests").string()), printable((options.out / "kernels").string()));
  return exit_ok;
}

}  // namespace kernelgen::tool
