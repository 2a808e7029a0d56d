// GGUF: files of weights, with metadata of nested arrays.
#include "kernelgen/gguf.hpp"

#include "kernelgen/error.hpp"
#include "seeds.hpp"
#include "support/read_gguf.hpp"
#include "support/sample_gguf.hpp"

using namespace kernelgen;

std::vector<std::string> kernelgen::fuzz::seeds() {
  return {test::sample_gguf(), test::sample_gguf(2), test::sample_gguf(3, 8)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    test::read_all(GgufFile::from_memory({reinterpret_cast<const std::byte*>(data), size}, "x.gguf"));
  } catch (const Error&) {
  }
  return 0;
}
