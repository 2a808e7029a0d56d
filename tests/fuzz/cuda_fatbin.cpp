// CUDA fat binaries.
#include "binary/cuda_fatbin.hpp"

#include "hip_seeds.hpp"
#include "seeds.hpp"

using namespace kernelgen::tool;

std::vector<std::string> kernelgen::fuzz::seeds() { return {cuda_fatbin(), cuda_fatbin() + cuda_fatbin()}; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const CudaEntry& entry : read_cuda_fatbin(bytes).entries)
    if (bytes.substr(entry.offset).size() < entry.bytes) __builtin_trap();
  return 0;
}
