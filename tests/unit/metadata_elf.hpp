#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kernelgen::tool {

/// A minimal 64-bit ELF file with one note and exported symbols, laid out like a code object. Every field
/// that a test may want wrong is a member.
struct MetadataElf {
  std::uint16_t machine = 224;   // EM_AMDGPU
  std::uint8_t os_abi = 64;      // ELFOSABI_AMDGPU_HSA
  std::uint8_t abi_version = 3;  // code object version 5
  std::uint32_t flags = 0x04c;   // gfx942
  std::string note_owner = "AMDGPU";
  std::uint32_t note_type = 32;        // NT_AMDGPU_METADATA
  std::uint32_t extra_note_bytes = 0;  // claimed beyond what is there
  std::string note;
  std::vector<std::string> symbols;
  std::map<std::string, std::uint64_t> sizes;  // of symbols; 64 where none is given

  std::string bytes() const;
};

/// Metadata of one kernel with the arguments (float*, u64) and a hidden one.
nlohmann::json kernel_metadata(const std::string& name);

/// A code object whose metadata names the target and lists these kernels.
MetadataElf code_object_of(const std::vector<nlohmann::json>& kernels, const std::string& target = "gfx942");

}  // namespace kernelgen::tool
