#include "build/toolchain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/digest.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

void fail(TargetTools& tools, std::string problem, std::string remedy) {
  tools.problem = std::move(problem);
  tools.remedy = std::move(remedy);
}

/// The line that carries the version: hipcc's and clang's first, nvcc's fourth.
std::string telling_line(const std::string& text) {
  for (const std::string_view mark : {"clang version", "release "}) {
    const std::size_t at = text.find(mark);
    if (at == std::string::npos) continue;
    const std::size_t newline = text.rfind('\n', at);
    const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
    return text.substr(begin, text.find('\n', at) - begin);
  }
  return text.substr(0, text.find('\n'));
}

constexpr std::string_view installed_mark = "InstalledDir: ";

/// Without the lines that say where the compiler is installed: they do not change what it makes.
std::string without_paths(const std::string& text) {
  std::string kept;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string line = text.substr(begin, end - begin);
    if (!line.starts_with(installed_mark)) kept += line;
    begin = end;
  }
  return kept;
}

/// The clang that hipcc says it drives; empty when it does not say.
fs::path driven_clang(const Disk& disk, const std::string& version_text) {
  const std::size_t at = version_text.find(installed_mark);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + installed_mark.size();
  const fs::path folder = version_text.substr(begin, version_text.find('\n', begin) - begin);
  // A distribution's folder holds several.
  for (const std::string& name :
       {fmt::format("clang++-{}", clang_major(version_text)), std::string("clang++")})
    if (disk.exists(folder / name)) return folder / name;
  return {};
}

/// Where ROCm has its compiler: 5 and 6 below llvm, which became a link to lib/llvm, and 7 may leave out. Installs with
/// AMD's tools alone have the second name.
constexpr const char* rocm_compilers[] = {"llvm/bin/clang++", "lib/llvm/bin/clang++", "llvm/bin/amdclang++",
                                          "lib/llvm/bin/amdclang++"};

/// Where ROCm has its device bitcode: 5 and 6, 7, and clang's own folder, which these are links to.
std::vector<fs::path> rocm_bitcode_folders() {
  std::vector<fs::path> folders = {"amdgcn/bitcode", "lib/llvm/amdgcn/bitcode"};
  constexpr unsigned of_rocm_5 = 15, newest = 40;
  for (unsigned major = newest; major >= of_rocm_5; --major)
    for (const char* llvm : {"llvm", "lib/llvm"})
      for (const char* rest : {"lib/amdgcn/bitcode", "amdgcn/bitcode"})
        folders.push_back(fmt::format("{}/lib/clang/{}/{}", llvm, major, rest));
  return folders;
}

CommandLine version_command(const fs::path& program, CompilerKind kind) {
  CommandLine command = {program.string(), "--version"};
  // Without an architecture hipcc asks the local GPU for one, even to print its version.
  if (kind == CompilerKind::hipcc) command.push_back("--offload-arch=gfx900");
  return command;
}

}  // namespace

Toolchain::Toolchain(const Disk& disk, ProcessRunner& runner, Environment environment,
                     const ToolchainOptions& options, Cache* cache)
    : disk_(disk),
      environment_(std::move(environment)),
      questions_(disk, runner, environment_, cache),
      use_hipcc_(options.hipcc) {
  rocm_path_ = options.rocm_path;
  rocm_origin_ = "--rocm-path";
  if (!rocm_path_.empty()) return;
  rocm_path_ = environment_("ROCM_PATH");
  rocm_origin_ = "ROCM_PATH";
}

TargetTools Toolchain::tools_for(const Target& target) {
  TargetTools tools;
  tools.target = &target;
  switch (target.kind) {
    case TargetKind::cuda:
      find_nvcc(tools);
      break;
    case TargetKind::cpu:
      find_clang(tools);
      break;
    case TargetKind::hip:
      if (use_hipcc_)
        find_hipcc(tools);
      else if (!rocm_path_.empty())
        find_rocm_clang(tools);
      else
        find_clang(tools);
      break;
  }
  if (tools.usable()) tools.compiler.search = search_folders(tools.compiler.path, tools.kind);
  return tools;
}

const std::vector<Clang>& Toolchain::clangs() {
  if (!clangs_) clangs_ = find_clangs(disk_, environment_, questions_);
  return *clangs_;
}

void Toolchain::find_clang(TargetTools& tools) {
  const Target& target = *tools.target;
  const unsigned wanted = target.kind == TargetKind::hip ? target.clang : tested_clang;
  std::string problems, remedy;
  for (const Clang& clang : nearest_first(clangs(), wanted)) {
    TargetTools attempt = tools;
    try_clang(clang, wanted, attempt);
    if (attempt.usable()) {
      tools = std::move(attempt);
      return;
    }
    problems += (problems.empty() ? "" : ", ") + attempt.problem;
    if (remedy.empty()) remedy = attempt.remedy;
  }
  if (problems.empty()) {
    problems = "no clang++ from version 15 on is in PATH";
    remedy = fmt::format("apt install clang-{0} lld-{0}", wanted);
  }
  fail(tools, problems, remedy);
}

void Toolchain::try_clang(const Clang& clang, unsigned wanted, TargetTools& tools) {
  const std::string name = clang.path.filename().string();
  if (!has_lld(clang.path))
    return fail(tools, fmt::format("{} has no lld to link with", name),
                fmt::format("apt install lld-{}", clang.major));
  identify(clang.path, tools);
  if (!tools.usable()) return;
  if (!knows(questions_, clang.path, *tools.target))
    return fail(tools, fmt::format("{} does not know it", name),
                fmt::format("apt install clang-{0} lld-{0}", wanted));
  if (tools.target->kind == TargetKind::hip) find_bitcode(clang.path, find_device_libraries(disk_), tools);
}

void Toolchain::find_rocm_clang(TargetTools& tools) {
  fs::path clang = rocm_path_ / rocm_compilers[0];
  for (const char* other : rocm_compilers)
    if (!disk_.exists(clang)) clang = rocm_path_ / other;
  if (!disk_.exists(clang))
    return fail(tools,
                fmt::format("{} names {}, but {} is not there", rocm_origin_, rocm_path_.string(),
                            (rocm_path_ / rocm_compilers[0]).string()),
                fmt::format("set {} to a ROCm install, or leave it out to use the distribution's clang",
                            rocm_origin_));
  identify(clang, tools);
  if (tools.usable() && !knows(questions_, clang, *tools.target))
    fail(tools, fmt::format("{} does not know it", clang.string()),
         fmt::format("use a newer ROCm, or leave {} out to use the distribution's clang", rocm_origin_));
  if (tools.usable()) find_bitcode(clang, rocm_libraries(), tools);
}

void Toolchain::find_hipcc(TargetTools& tools) {
  tools.kind = CompilerKind::hipcc;
  const fs::path own = rocm_path_ / "bin" / "hipcc";
  const fs::path hipcc =
      !rocm_path_.empty() && disk_.exists(own) ? own : find_program(disk_, environment_, "hipcc");
  if (hipcc.empty()) return fail(tools, "hipcc is not in PATH", "apt install hipcc");
  identify(hipcc, tools);
  if (!tools.usable()) return;
  const fs::path clang = driven_clang(disk_, questions_.ask(version_command(hipcc, tools.kind)).out);
  if (!clang.empty()) tools.compiler.identity += questions_.identity(clang);
  if (!clang.empty() && !knows(questions_, clang, *tools.target))
    return fail(
        tools, fmt::format("hipcc here drives {}, which does not know it", clang.string()),
        fmt::format("apt install clang-{0} lld-{0} and leave out --toolchain hipcc", tools.target->clang));
  // hipcc without a ROCm install is the distribution's, whatever ROCM_PATH says.
  std::vector<DeviceLibrary> libraries = rocm_libraries();
  const std::vector<DeviceLibrary> distribution = find_device_libraries(disk_);
  libraries.insert(libraries.end(), distribution.begin(), distribution.end());
  find_bitcode(clang, libraries, tools);
}

std::vector<DeviceLibrary> Toolchain::rocm_libraries() const {
  std::vector<DeviceLibrary> libraries;
  if (rocm_path_.empty()) return libraries;
  for (const fs::path& folder : rocm_bitcode_folders())
    if (disk_.exists(rocm_path_ / folder / "ocml.bc")) libraries.push_back({rocm_path_ / folder, 0});
  return libraries;
}

std::vector<DeviceLibrary> Toolchain::device_libraries() const {
  return rocm_path_.empty() ? find_device_libraries(disk_) : rocm_libraries();
}

void Toolchain::find_bitcode(const fs::path& clang, const std::vector<DeviceLibrary>& libraries,
                             TargetTools& tools) {
  for (const DeviceLibrary& library : libraries)
    if (clang.empty() || reads(questions_, clang, library.folder / "ocml.bc")) {
      tools.bitcode = library.folder;
      return;
    }
  if (!libraries.empty())
    return fail(tools,
                fmt::format("{} cannot read the device bitcode of {}", clang.filename().string(),
                            libraries.front().folder.string()),
                libraries.front().major == 0
                    ? "install a newer clang"
                    : fmt::format("apt install clang-{0} lld-{0}", libraries.front().major));
  if (!rocm_path_.empty())
    return fail(tools, fmt::format("no device bitcode below {}", rocm_path_.string()),
                "install ROCm's rocm-device-libs there");
  fail(tools,
       fmt::format("there is no device bitcode (ocml.bc) for {}", tools.compiler.path.filename().string()),
       "apt install rocm-device-libs (Debian 12) or rocm-device-libs-17 (Debian 13, Ubuntu 24.04)");
}

void Toolchain::find_nvcc(TargetTools& tools) {
  tools.kind = CompilerKind::nvcc;
  fs::path nvcc;
  if (const std::string cuda = environment_("CUDA_PATH"); !cuda.empty()) {
    nvcc = fs::path(cuda) / "bin" / "nvcc";
    if (!disk_.exists(nvcc))
      return fail(tools, fmt::format("CUDA_PATH names {}, but {} is not there", cuda, nvcc.string()),
                  "set CUDA_PATH to a CUDA toolkit, or leave it out");
  }
  if (nvcc.empty()) nvcc = find_program(disk_, environment_, "nvcc");
  if (const fs::path usual = "/usr/local/cuda/bin/nvcc"; nvcc.empty() && disk_.exists(usual)) nvcc = usual;
  if (nvcc.empty())
    return fail(tools, "nvcc is neither in CUDA_PATH, PATH nor /usr/local/cuda/bin",
                "apt install nvidia-cuda-toolkit");
  identify(nvcc, tools);
}

void Toolchain::identify(const fs::path& program, TargetTools& tools) {
  const CommandLine command = version_command(program, tools.kind);
  const ProcessResult& result = questions_.ask(command);
  if (!result.ok())
    return fail(tools, fmt::format("'{}' failed: {}", quoted(command), result.outcome()),
                "reinstall it, or take it out of PATH");
  const std::string version = hash128(without_paths(result.out)).hex();
  tools.compiler = {program, telling_line(result.out), version + questions_.identity(program), {}};
}

std::vector<fs::path> Toolchain::search_folders(const fs::path& program, CompilerKind kind) {
  CommandLine command = {program.string(), "-E", "-v", "-x", "c++", "/dev/null"};
  if (kind == CompilerKind::nvcc)
    command = {program.string(), "-E", "-Xcompiler", "-v", "-x", "cu", "/dev/null"};
  // hipcc's clang has no device bitcode.
  if (kind == CompilerKind::hipcc) return {};
  std::vector<fs::path> folders;
  std::istringstream lines(questions_.ask(command).err);
  bool is_list = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with("search starts here:"))
      is_list = true;
    else if (!line.starts_with(' '))
      is_list = false;
    else if (is_list)
      folders.emplace_back(line.substr(1));
  }
  std::ranges::sort(folders);
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  return folders;
}

bool Toolchain::has_lld(const fs::path& clang) const {
  return disk_.exists(disk_.resolve(clang).parent_path() / "lld") ||
         !find_program(disk_, environment_, "lld").empty();
}

std::vector<Fault> unusable_targets(const std::vector<TargetTools>& tools) {
  std::vector<Fault> faults;
  for (const TargetTools& row : tools)
    if (!row.usable())
      faults.push_back(
          {"", "", fmt::format("{} cannot be built: {}; {}", row.target->name, row.problem, row.remedy), {}});
  return faults;
}

}  // namespace kernelgen::tool
