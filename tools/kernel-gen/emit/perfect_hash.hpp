#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kernelgen::tool {

/// Tables that find each of n names in one look, as kernelgen/name_hash.h reads them: the name's bucket holds
/// a displacement, and with it the name's slot holds the index of the name.
struct PerfectHash {
  std::vector<std::uint32_t> displacements;
  std::vector<std::uint32_t> slots;  ///< as many as names
};

/// The same names in the same order give the same tables. The names must differ; no names give empty tables.
PerfectHash build_perfect_hash(std::span<const std::string> names);

}  // namespace kernelgen::tool
