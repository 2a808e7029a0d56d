#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernelgen::tool {

/// A part of a file that cannot be read.
struct Damage {
  std::uint64_t offset = 0;
  std::string what;
};

/// A bundle of a section ".hip_fatbin": a linker puts one there for each source file.
struct SectionBundle {
  std::uint64_t offset = 0;  ///< from the section's start
  std::uint64_t bytes = 0;
  bool is_compressed = false;
};

struct FatSection {
  std::vector<SectionBundle> bundles;  ///< in order; they do not overlap
  std::vector<Damage> damages;         ///< offsets are from the section's start
};

/// Finds the bundles of a section ".hip_fatbin", plain and compressed, and names what is neither a bundle nor zeros between
/// them. Gives up after 100 damaged ones.
FatSection read_fat_section(std::string_view bytes);

}  // namespace kernelgen::tool
