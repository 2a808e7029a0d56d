#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernelgen::test {

/// A kernel written by hand, with what its metadata is to say.
struct AssembledKernel {
  std::string_view body;  ///< GNU assembler; s_endpgm is added
  std::string_view name = "k";
  std::uint32_t vgprs = 32;  ///< of both files
  std::uint32_t agprs = 0;
  std::uint32_t lds_bytes = 0;
  std::uint32_t wave_size = 64;
  std::uint32_t block = 256;
};

/// A code object of that kernel for an AMD GPU, by the clang of the LLVM that the tool was built with. Throws
/// std::runtime_error with clang's words.
std::vector<std::byte> assembled(std::string_view processor, const AssembledKernel& kernel);

}  // namespace kernelgen::test
