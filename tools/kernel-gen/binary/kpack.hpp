#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "binary/packed_bytes.hpp"

namespace kernelgen::tool {

/// A code object of an archive of AMD's rocm-kpack.
struct KpackEntry {
  std::string name;          ///< of the binary that it was taken from: "lib/librocfft.so#0"
  std::string target;        ///< "gfx90a"
  std::uint64_t offset = 0;  ///< of its bytes, from the start of the archive
  std::uint64_t bytes = 0;   ///< as stored
  std::uint64_t plain_bytes = 0;
  PackedAs packing = PackedAs::none;
};

/// Whether the bytes begin as an archive of rocm-kpack does.
bool is_kpack(std::string_view bytes);

/// Reads the table of contents of an archive of format 1. Throws BadCodeObject.
std::vector<KpackEntry> read_kpack(std::string_view bytes);

}  // namespace kernelgen::tool
