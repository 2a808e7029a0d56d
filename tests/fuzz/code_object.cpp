// Code objects: ELF files for AMD and NVIDIA GPUs and the CPU, and their metadata.
#include "code_object/code_object.hpp"

#include "seeds.hpp"
#include "unit/metadata_elf.hpp"

using namespace kernelgen::tool;

std::vector<std::string> kernelgen::fuzz::seeds() {
  std::vector<std::string> seeds = {code_object_of({kernel_metadata("a"), kernel_metadata("b")}).bytes(),
                                    code_object_of({kernel_metadata("kernel")}, "gfx90a").bytes()};
  MetadataElf plain;
  plain.symbols = {"kernel"};
  seeds.push_back(plain.bytes());
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    read_code_object({reinterpret_cast<const char*>(data), size});
  } catch (const BadCodeObject&) {
  }
  return 0;
}
