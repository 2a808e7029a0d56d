#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// One row of machines.json: the figures of a GPU, each of which the file gives with its source.
struct Machine {
  std::string target;   ///< as in targets.json
  std::string product;  ///< the GPU whose figures they are, "Instinct MI300X"
  std::uint32_t compute_units = 0;
  std::uint32_t clock_mhz = 0;
  std::uint32_t memory_gb_s = 0;  ///< GB/s, of 10^9 bytes
  std::uint32_t compute_units_a_block =
      0;                           ///< that share the LDS a block lives in: 2 with work-group processors
  std::uint32_t simds = 0;         ///< a compute unit
  std::uint32_t simd_lanes = 0;    ///< of a wave that a SIMD takes in a cycle
  std::uint32_t issue_cycles = 0;  ///< between two instructions that a wave issues
  std::uint32_t waves = 0;         ///< a SIMD, at most
  std::uint32_t vgpr_bytes = 0;    ///< a SIMD
  std::uint32_t vgpr_granule_bytes = 0;
  std::uint32_t sgprs = 0;  ///< a SIMD; 0 where they limit nothing
  std::uint32_t sgpr_granule = 0;
  std::uint32_t lds_bytes = 0;  ///< that a block's compute units share
  std::uint32_t lds_granule = 0;
  std::uint32_t lds_bytes_a_cycle = 0;  ///< of a compute unit
  std::uint32_t l1_bytes_a_cycle = 0;   ///< of a compute unit's first vector cache
  /// How many times what an f32 instruction takes.
  std::uint32_t transcendental_rate = 0, f64_rate = 0, int_multiply_rate = 0, b64_rate = 0;
  bool transcendentals_apart = false;  ///< executed by a separate unit, in parallel with the others
  std::map<std::string, std::uint32_t, std::less<>> matrix_cycles;  ///< of each matrix instruction
  std::set<std::string, std::less<>> matrix_alone;  ///< those that block all vector instructions
};

struct MachineTable {
  std::vector<Machine> machines;

  const Machine* find(std::string_view target) const;
};

/// Throws BadInput with all that is wrong in the file, a figure without a source included, and DiskError.
MachineTable read_machines(const Disk& disk, const std::filesystem::path& file);

}  // namespace kernelgen::tool
