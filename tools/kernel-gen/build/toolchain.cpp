#include "build/toolchain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

constexpr const char* device_library_folders[] = {
    "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
    "/usr/lib/aarch64-linux-gnu/amdgcn/bitcode",
};

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

/// Without the lines that say where the compiler is installed: they do not change what it makes.
std::string without_paths(const std::string& text) {
  std::string kept;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string line = text.substr(begin, end - begin);
    if (!line.starts_with("InstalledDir:")) kept += line;
    begin = end;
  }
  return kept;
}

/// "15" of "Debian clang version 15.0.6"; 0 where there is none.
unsigned clang_major(const std::string& version) {
  constexpr std::string_view mark = "clang version ";
  const std::size_t at = version.find(mark);
  unsigned major = 0;
  if (at != std::string::npos)
    std::from_chars(version.data() + at + mark.size(), version.data() + version.size(), major);
  return major;
}

}  // namespace

Toolchain::Toolchain(const Disk& disk, ProcessRunner& runner, Environment environment,
                     const ToolchainOptions& options)
    : disk_(disk), runner_(runner), environment_(std::move(environment)), use_hipcc_(options.hipcc) {
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
      if (tools.usable()) find_bitcode(tools);
      break;
  }
  return tools;
}

void Toolchain::find_clang(TargetTools& tools) {
  const std::string program = fmt::format("clang++-{}", tools.target->clang);
  const std::string remedy = fmt::format("apt install clang-{0} lld-{0}", tools.target->clang);
  const fs::path clang = find_program(disk_, environment_, program);
  if (clang.empty()) return fail(tools, program + " is not in PATH", remedy);
  if (!has_lld(clang)) return fail(tools, fmt::format("{} has no lld to link with", program), remedy);
  identify(clang, tools);
}

void Toolchain::find_rocm_clang(TargetTools& tools) {
  const fs::path clang = rocm_path_ / "llvm" / "bin" / "clang++";
  if (!disk_.exists(clang))
    return fail(
        tools,
        fmt::format("{} names {}, but {} is not there", rocm_origin_, rocm_path_.string(), clang.string()),
        fmt::format("set {} to a ROCm install, or leave it out to use Debian's clang", rocm_origin_));
  identify(clang, tools);
}

void Toolchain::find_hipcc(TargetTools& tools) {
  tools.kind = CompilerKind::hipcc;
  const fs::path own = rocm_path_ / "bin" / "hipcc";
  const fs::path hipcc =
      !rocm_path_.empty() && disk_.exists(own) ? own : find_program(disk_, environment_, "hipcc");
  if (hipcc.empty()) return fail(tools, "hipcc is not in PATH", "apt install hipcc");
  identify(hipcc, tools);
  // ROCm's own clang carries a version number ahead of what it knows of LLVM, so only the distribution's is
  // judged.
  const unsigned major = clang_major(tools.compiler.version);
  if (tools.usable() && tools.compiler.version.find("Debian") != std::string::npos &&
      major < tools.target->clang)
    fail(tools, fmt::format("hipcc here drives clang {}, which does not know it", major),
         fmt::format("apt install clang-{0} lld-{0} and leave out --toolchain hipcc", tools.target->clang));
}

void Toolchain::find_bitcode(TargetTools& tools) const {
  tools.bitcode = bitcode_folder();
  if (!tools.bitcode.empty()) return;
  if (!rocm_path_.empty())
    return fail(tools, fmt::format("no device bitcode below {}", rocm_path_.string()),
                "install ROCm's rocm-device-libs there");
  fail(tools, fmt::format("no device bitcode in {}", device_library_folders[0]),
       "apt install rocm-device-libs");
}

fs::path Toolchain::bitcode_folder() const {
  std::vector<fs::path> folders;
  if (!rocm_path_.empty())
    folders = {rocm_path_ / "amdgcn" / "bitcode", rocm_path_ / "lib" / "llvm" / "amdgcn" / "bitcode"};
  // hipcc without a ROCm install is the distribution's, whatever ROCM_PATH says.
  if (rocm_path_.empty() || use_hipcc_)
    folders.insert(folders.end(), std::begin(device_library_folders), std::end(device_library_folders));
  for (const fs::path& folder : folders)
    if (disk_.exists(folder / "ocml.bc")) return folder;
  return {};
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
  if (const auto known = known_.find(program); known != known_.end()) {
    tools.compiler = known->second;
    return;
  }
  CommandLine command = {program.string(), "--version"};
  // Without an architecture hipcc asks the local GPU for one, even to print its version.
  if (tools.kind == CompilerKind::hipcc) command.push_back("--offload-arch=gfx900");
  const ProcessResult result = run_process(runner_, command);
  if (!result.ok())
    return fail(tools, fmt::format("'{}' failed: {}", quoted(command), result.outcome()),
                "reinstall it, or take it out of PATH");
  tools.compiler = {program, telling_line(result.out), without_paths(result.out)};
  known_.emplace(program, tools.compiler);
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
