#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "binary/fat_section.hpp"
#include "binary/packed_bytes.hpp"
#include "code_object/code_object.hpp"

namespace kernelgen::tool {

/// Part of what encloses it, and how it is packed there.
struct Step {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  PackedAs packing = PackedAs::none;
  std::uint64_t plain_bytes = 0;
};

/// A code object in a file.
struct FoundCode {
  CodeKind kind = CodeKind::hsaco;
  std::string target;        ///< "gfx90a:sramecc+" as its container calls it, else as it says itself
  std::string module;        ///< where it is in the file: "bundle12", "member.o.bundle0"
  std::uint64_t offset = 0;  ///< in the file; of packed code: where the packed bytes begin
  std::uint64_t bytes = 0;   ///< of the code object
  std::uint64_t stored = 0;  ///< bytes in the file of the packed part that holds it; 0: not packed
  std::size_t kernels = 0;
  std::vector<Step> steps;  ///< from the file to it
};

struct FoundCodes {
  std::vector<FoundCode> codes;
  std::vector<Damage> damages;  ///< what cannot be read, or holds what is not a code object
  bool is_known = false;        ///< whether the file is of a kind that may hold code for GPUs
};

/// Whether a file that begins with these bytes may hold code for GPUs: an ELF file, a static archive, an offload bundle, an archive
/// of rocm-kpack, a CUDA fat binary or PTX. The first 4096 bytes are enough.
bool may_hold_code(std::string_view head);

/// The code objects of a file: itself, in the sections .hip_fatbin and .nv_fatbin of ELF files, in static archives, in offload
/// bundles plain and compressed, in archives of rocm-kpack, in CUDA fat binaries, and in those in each other, up to eight deep.
/// Never throws for what the bytes are: what cannot be read is named and left out. `reached` gets offsets as it advances.
FoundCodes find_code(std::string_view file, const std::string& name,
                     const std::function<void(std::uint64_t)>& reached = {});

}  // namespace kernelgen::tool
