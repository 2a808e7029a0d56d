#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/environment.hpp"
#include "base/process.hpp"
#include "build/clangs.hpp"
#include "build/questions.hpp"
#include "manifest/target.hpp"

namespace kernelgen::tool {

struct Compiler {
  std::filesystem::path path;
  std::string version;   ///< First telling line of its --version text.
  std::string identity;  ///< Hash of all of that text and of the program's files: what the cache knows it by.
  std::vector<std::filesystem::path> search;  ///< Folders of the system's headers.
};

enum class CompilerKind { clang, hipcc, nvcc };

/// What builds a target, or why nothing here does.
struct TargetTools {
  const Target* target = nullptr;
  CompilerKind kind = CompilerKind::clang;
  Compiler compiler;
  std::filesystem::path bitcode;  ///< hip: folder of the device library
  std::string problem;            ///< What is missing; empty: the target can be built.
  std::string remedy;             ///< "apt install clang-19 lld-19"; empty where there is no problem.

  bool usable() const { return problem.empty(); }
};

struct ToolchainOptions {
  /// --rocm-path; empty: the environment's ROCM_PATH, else the distribution's compilers.
  std::filesystem::path rocm_path;
  bool hipcc = false;  ///< --toolchain hipcc
};

/// Finds compilers and device bitcode by name and path and queries only these; it looks for no GPU. Of the
/// distribution's clangs it takes the one nearest to the target's version that knows the target, has its lld
/// and, for AMD GPUs, can read an installed device library.
class Toolchain {
 public:
  /// What compilers answer is kept in the cache, where there is one.
  Toolchain(const Disk& disk, ProcessRunner& runner, Environment environment, const ToolchainOptions& options,
            Cache* cache = nullptr);

  TargetTools tools_for(const Target& target);

  /// The clangs there are in PATH, whatever they can do.
  const std::vector<Clang>& clangs();
  /// The folders of device bitcode in question: ROCm's where that is in use, else the distribution's.
  std::vector<DeviceLibrary> device_libraries() const;

 private:
  void find_clang(TargetTools& tools);
  /// Fills `tools`, or says in it why this one does not serve.
  void try_clang(const Clang& clang, unsigned wanted, TargetTools& tools);
  void find_rocm_clang(TargetTools& tools);
  void find_hipcc(TargetTools& tools);
  /// The first library that the clang can read; an empty path takes the first.
  void find_bitcode(const std::filesystem::path& clang, const std::vector<DeviceLibrary>& libraries,
                    TargetTools& tools);
  void find_nvcc(TargetTools& tools);
  std::vector<DeviceLibrary> rocm_libraries() const;
  std::vector<std::filesystem::path> search_folders(const std::filesystem::path& program, CompilerKind kind);
  /// Asks for the version; a problem in `tools` when that fails.
  void identify(const std::filesystem::path& program, TargetTools& tools);
  /// clang starts lld from its own folder, else from PATH.
  bool has_lld(const std::filesystem::path& clang) const;

  const Disk& disk_;
  Environment environment_;
  Questions questions_;
  bool use_hipcc_;
  std::filesystem::path rocm_path_;
  std::string rocm_origin_;  ///< Where it was given: "--rocm-path" or "ROCM_PATH".
  std::optional<std::vector<Clang>> clangs_;
};

/// Faults for the targets that cannot be built, each with what to install. Empty when all can.
std::vector<Fault> unusable_targets(const std::vector<TargetTools>& tools);

}  // namespace kernelgen::tool
