#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "binary/fat_section.hpp"
#include "binary/packed_bytes.hpp"

namespace kernelgen::tool {

/// A cubin or PTX text of a CUDA fat binary.
struct CudaEntry {
  std::uint64_t offset = 0;  ///< of its bytes, from the start of the section
  std::uint64_t bytes = 0;   ///< as stored
  std::uint64_t plain_bytes = 0;
  PackedAs packing = PackedAs::none;
  std::uint32_t architecture = 0;  ///< 90 of sm_90
  bool is_ptx = false;
};

struct CudaFatbin {
  std::vector<CudaEntry> entries;
  std::vector<Damage> damages;
};

/// Whether the bytes begin as a CUDA fat binary does.
bool is_cuda_fatbin(std::string_view bytes);

/// Reads the fat binaries of a section ".nv_fatbin", one after another. NVIDIA does not document them; fields are read as nvcc
/// from CUDA 11 to 13 writes them, and entries of other kinds than cubin and PTX are named as damage.
CudaFatbin read_cuda_fatbin(std::string_view bytes);

}  // namespace kernelgen::tool
