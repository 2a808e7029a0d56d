#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/disk.hpp"
#include "base/fault.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// Numbers as in kernelgen_target_record.
enum class TargetKind : std::uint32_t { cpu = 0, hip = 1, cuda = 2 };

std::string_view name_of(TargetKind kind);

/// One row of targets.json: something kernels can be compiled for.
struct Target {
  std::string name;  ///< "gfx90a", "gfx11-generic", "cpu-x86-64-v3", "sm_90"
  TargetKind kind;
  std::uint32_t isa = 0;  ///< hip: __oclc_ISA_version (major·1000 + minor·100 + stepping); cuda: 90; cpu: 0
  std::uint32_t machine = 0;              ///< hip only: EF_AMDGPU_MACH, the GPU's number in ELF flags
  std::string arch;                       ///< cuda only: as nvcc names it, "90a"
  bool is_ptx = false;                    ///< cuda only: text for the driver's compiler, not machine code
  std::vector<std::uint32_t> wave_sizes;  ///< the one kernels are compiled for comes first
  std::vector<std::string> features;      ///< hip: "xnack", "sramecc" where the GPU has that switch
  std::optional<std::string> generic;     ///< the target whose code runs here too
  std::uint32_t code_object_version = 0;  ///< hip only
  std::uint32_t clang =
      0;              ///< hip only: the major version its kernels were checked with, taken if it is here
  std::string march;  ///< cpu only
  std::vector<std::string> groups;  ///< names that stand for it and others
  std::string row;                  ///< JSON, as it stands in targets.json

  /// The part of the name that device bitcode files carry: "90a" of gfx90a, "11-generic" of gfx11-generic.
  std::string_view isa_suffix() const { return std::string_view(name).substr(3); }
  bool is_generic() const { return kind == TargetKind::hip && name.ends_with("-generic"); }
};

struct TargetGroup {
  std::string name;
  std::vector<std::string> members;
};

/// All targets there are, and the groups their rows name, in the order of first mention.
struct TargetTable {
  std::vector<Target> targets;
  std::vector<TargetGroup> groups;
  std::uint64_t hash = 0;  ///< XXH3-64 of the file's bytes

  const Target* find(std::string_view name) const;

  /// The targets that the names (of targets and groups, also several with commas between) stand for, each
  /// once and in the table's order, so that a package does not depend on the order they were asked for in.
  /// Throws BadInput, with the nearest name for each unknown one.
  std::vector<const Target*> expand(std::span<const std::string> names) const;
};

/// Reads one row. Adds what is wrong to the node's faults.
std::optional<Target> read_target(const Node& row);

/// Throws BadInput with all that is wrong in the file, DiskError.
TargetTable read_targets(const Disk& disk, const std::filesystem::path& file);

}  // namespace kernelgen::tool
