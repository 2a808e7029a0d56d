#include "commands/export.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "base/version.hpp"
#include "code_object/resources.hpp"
#include "commands/code_files.hpp"
#include "commands/export_candle.hpp"
#include "commands/export_fatbin.hpp"
#include "commands/export_kpack.hpp"
#include "commands/package_file.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {
namespace {

std::vector<CodeFile> files_of(const Package& package, CodeKind kind) {
  std::vector<CodeFile> files = code_files(package);
  std::erase_if(files, [&](const CodeFile& file) { return file.code.kind != kind; });
  if (files.empty())
    throw BadInput(Fault{package.name(), "", fmt::format("has no code of kind {}", name_of(kind)), {}});
  return files;
}

Json arguments_json(const Package& package, std::uint32_t kernel) {
  Json rows = Json::array();
  for (const kernelgen_argument_record& argument : package.arguments(kernel))
    rows.push_back({{"name", package.text(argument.name)},
                    {"type", package.text(argument.type)},
                    {"offset", argument.offset},
                    {"size", argument.size}});
  return rows;
}

/// What a loader needs to launch: the kernels once, and for each target its files with the metadata of its kernels.
Json index_json(const Package& package, const std::vector<CodeFile>& files) {
  Json kernels = Json::array(), targets = Json::array();
  for (std::uint32_t id = 0; id < package.kernels().size(); ++id) {
    const kernelgen_kernel_record& kernel = package.kernels()[id];
    kernels.push_back({{"name", package.text(kernel.name)},
                       {"module", package.text(package.modules()[kernel.module].name)},
                       {"block", kernel.block},
                       {"kernarg_bytes", kernel.kernarg_bytes},
                       {"arguments", arguments_json(package, id)}});
  }
  for (const CodeFile& file : files) {
    const std::string_view name = package.text(package.targets()[file.target].name);
    if (targets.empty() || targets.back()["name"] != name)
      targets.push_back({{"name", name},
                         {"wave_size", package.targets()[file.target].wave_size},
                         {"files", Json::array()}});
    Json resources = Json::object();
    for (const CodeKernel& kernel : file.code.kernels) add_resources(kernel, resources[kernel.name]);
    targets.back()["files"].push_back({{"file", file.path},
                                       {"module", package.text(package.modules()[file.module].name)},
                                       {"target_id", file.code.target_id},
                                       {"bytes", file.bytes.size()},
                                       {"resources", std::move(resources)}});
  }
  return {{"generator", fmt::format("kernel-gen {}", version)},
          {"kernels", std::move(kernels)},
          {"targets", std::move(targets)}};
}

int export_crate(const ExportOptions& options, Disk& disk, std::FILE* out) {
  const Package package = open_package(disk, options.package);
  const std::vector<CodeFile> files = code_files(package);
  write_files("--candle", options.candle, candle_crate(package, files, options.candle_version), disk);
  fmt::print(out, "{}: a crate of {} and {}\n", printable(options.candle.string()),
             spell_count(package.modules().size(), "module"), spell_count(files.size(), "code object"));
  if (ptx_of(files) == nullptr)
    fmt::print(out,
               "  no PTX is among them: candle's feature cuda needs a package that was built with --target "
               "compute_80\n");
  return exit_ok;
}

int export_kpack(const ExportOptions& options, Disk& disk, std::FILE* out) {
  const Package package = open_package(disk, options.package);
  std::vector<CodeFile> files = files_of(package, CodeKind::hsaco);
  std::vector<FileText> texts = kpack_files(package, files);
  const std::size_t archives = texts.size();
  for (CodeFile& file : files) file.path = kpack_name(package.text(package.targets()[file.target].name));
  texts.push_back({"index.json", json_text(index_json(package, files))});
  write_files("--kpack", options.kpack, texts, disk);
  fmt::print(out, "{}: {} in {}, and index.json\n", printable(options.kpack.string()),
             spell_count(files.size(), "code object"), spell_count(archives, "archive"));
  return exit_ok;
}

}  // namespace

int run_export(const ExportOptions& options, Disk& disk, std::FILE* out) {
  if (!options.candle.empty()) return export_crate(options, disk, out);
  if (!options.kpack.empty()) return export_kpack(options, disk, out);
  const std::pair<const std::filesystem::path&, CodeKind> folders[] = {
      {options.hsaco, CodeKind::hsaco}, {options.cubin, CodeKind::cubin}, {options.ptx, CodeKind::ptx}};
  const auto chosen = std::ranges::find_if(folders, [](const auto& folder) { return !folder.first.empty(); });
  if (chosen == std::end(folders))
    throw BadInput(Fault{
        "",
        "",
        "export: name what to write, and the folder, with --hsaco, --kpack, --fatbin, --cubin, --ptx or "
        "--candle",
        {}});
  const Package package = open_package(disk, options.package);
  const std::vector<CodeFile> files = files_of(package, chosen->second);
  std::vector<FileText> texts = code_file_texts(files);
  texts.push_back({"index.json", json_text(index_json(package, files))});
  write_files(fmt::format("--{}", name_of(chosen->second)), chosen->first, texts, disk);
  fmt::print(out, "{}: {} and index.json\n", printable(chosen->first.string()),
             spell_count(files.size(), "code object"));
  return exit_ok;
}

int run_export_fatbin(const ExportOptions& options, Disk& disk, ProcessRunner& runner,
                      const Environment& environment, std::FILE* out) {
  const Package package = open_package(disk, options.package);
  const std::vector<CodeFile> files = files_of(package, CodeKind::hsaco);
  write_fatbin(package, files, options.fatbin, disk, runner, environment);
  fmt::print(out, "{}: kernels.o of {}, and kernels.hpp\n", printable(options.fatbin.string()),
             spell_count(files.size(), "code object"));
  return exit_ok;
}

}  // namespace kernelgen::tool
