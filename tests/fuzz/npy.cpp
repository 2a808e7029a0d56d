// NumPy's .npy files.
#include "run/npy.hpp"

#include "base/fault.hpp"
#include "seeds.hpp"

using namespace kernelgen;

std::vector<std::string> kernelgen::fuzz::seeds() {
  return {tool::npy_header(DType::f32, {2, 3}) + std::string(24, 'x'), tool::npy_header(DType::u8, {}) + "x",
          tool::npy_header(DType::bf16, {1, 0, 4}),
          tool::npy_header(DType::f64, {3}) + std::string(24, '\0')};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const std::optional<DType> as : {std::optional<DType>(), std::optional(DType::bf16)}) {
    try {
      tool::read_npy({reinterpret_cast<const char*>(data), size}, "x.npy", as);
    } catch (const tool::BadInput&) {
    }
  }
  return 0;
}
