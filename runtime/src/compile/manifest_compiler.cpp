#include "compile/manifest_compiler.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "common/environment.hpp"
#include "common/format.hpp"
#include "common/regular_file.hpp"
#include "compile/code_cache.hpp"
#include "compile/kernel_headers.hpp"
#include "compile/program.hpp"
#include "compile/scratch_folder.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

namespace fs = std::filesystem;

/// Where a kernel-gen may be that was installed with the file that holds this code: a library, or a program.
std::vector<std::string> tool_paths() {
  std::vector<std::string> paths;
  Dl_info where{};
  if (::dladdr(reinterpret_cast<const void*>(&compile_manifest), &where) != 0 && where.dli_fname != nullptr) {
    std::error_code ignored;
    const fs::path folder = fs::weakly_canonical(where.dli_fname, ignored).parent_path();
    for (const char* below : {"kernel-gen", "../bin/kernel-gen", "../../bin/kernel-gen"})
      paths.push_back((folder / below).lexically_normal().string());
  }
  paths.emplace_back("kernel-gen");  // in PATH
  return paths;
}

fs::path find_tool() {
  const char* const named = environment_variable("KERNELGEN_TOOL");
  if (named != nullptr && *named != '\0') {
    const fs::path tool = find_program(named);
    if (tool.empty())
      throw Error(Code::unsupported,
                  formatted("KERNELGEN_TOOL names {}, which is not a program here", named));
    return tool;
  }
  const std::vector<std::string> paths = tool_paths();
  for (const std::string& path : paths)
    if (fs::path tool = find_program(path); !tool.empty()) return tool;
  throw Error(Code::unsupported,
              formatted("there is no kernel-gen to compile manifests with: none of {} is a program; install "
                        "kernel-gen, or set KERNELGEN_TOOL to it",
                        joined(paths, ", ")));
}

ContentHash key_of(const ManifestRequest& request, const fs::path& tool) {
  std::string told = "manifest";
  const ContentHash headers = kernel_headers_hash();
  told.append(reinterpret_cast<const char*>(&headers), sizeof headers);
  const auto add = [&](std::string_view text) { told += formatted("{} ", text.size()).append(text); };
  add(tool.string());
  add(request.target);
  add(request.name);
  add(request.manifest);
  for (const auto& [name, text] : request.headers) {
    add(name);
    add(text);
  }
  return content_hash(std::as_bytes(std::span(told)));
}

void write_header(const fs::path& folder, const std::string& name, std::string_view text) {
  const fs::path path = fs::path(name).lexically_normal();
  if (name.empty() || path.is_absolute() || *path.begin() == ".." || !path.has_filename())
    throw Error(Code::invalid_argument,
                formatted("the name of a header is '{}'; it has to be a file's path without '..'", name));
  fs::create_directories((folder / path).parent_path());
  write_file(folder / path, text);
}

/// The file's name as kernel-gen reads it: the last part of what messages call it.
std::string file_name_of(std::string_view name) {
  std::string file = fs::path(name).filename().string();
  if (!file.ends_with(".json")) file += ".json";
  return file;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

CompiledCode build(const ManifestRequest& request, const fs::path& tool) {
  const ScratchFolder scratch;
  const fs::path manifests = scratch.path() / "manifests", headers = scratch.path() / "kernels",
                 package = scratch.path() / "package";
  const fs::path manifest = manifests / file_name_of(request.name);
  fs::create_directories(manifests);
  write_file(manifest, request.manifest);
  for (const auto& [name, text] : request.headers) write_header(headers, name, text);

  std::vector<std::string> command = {tool.string(),
                                      "build",
                                      "--quiet",
                                      "--manifests",
                                      manifests.string(),
                                      "--target",
                                      std::string(request.target),
                                      "--out",
                                      package.string(),
                                      "--compress",
                                      "none"};
  if (!request.headers.empty()) command.insert(command.end(), {"--kernels", headers.string()});
  std::vector<std::string> variables;
  for (const char* variable : {"KERNELGEN_CACHE", "XDG_CACHE_HOME", "KERNELGEN_LAUNCHER"})
    if (const char* const value = environment_variable(variable))
      variables.push_back(formatted("{}={}", variable, value));
  const ProgramEnd end = run_program(command, variables);
  std::string log = replaced(end.output, manifest.string(), request.name);
  log = replaced(std::move(log), headers.string() + '/', "");
  const fs::path file = package / "kernelgen.kgpkg";
  if (end.status.value_or(0) != 0 || !fs::exists(file))
    throw Error(Code::invalid_argument, formatted("cannot compile {} for {}: {} of {}\n{}", request.name,
                                                  request.target, end.outcome(), tool.string(), log));
  return {RegularFile(file).read_all(), log, tool.string()};
}

}  // namespace

CompiledCode compile_manifest(const ManifestRequest& request, bool is_cached) {
  const fs::path tool = find_tool();
  if (!is_cached) return build(request, tool);
  const CodeCache cache(cache_directory(process_environment()));
  const ContentHash key = key_of(request, tool);
  if (auto found = cache.find(key)) return std::move(*found);
  CompiledCode made = build(request, tool);
  cache.store(key, made);
  return made;
}

}  // namespace kernelgen
