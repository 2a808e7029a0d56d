// Offload bundles: their entries, and the header of compressed ones.
#include "offload/bundle.hpp"

#include "hip_seeds.hpp"
#include "offload/compressed_bundle.hpp"
#include "seeds.hpp"

using namespace kernelgen;

std::vector<std::string> fuzz::seeds() {
  return {bundle(), tool::write_bundle({{"hip-gfx900", "code"}}, 1), tool::compress_bundle(bundle())};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    if (offload::is_compressed_bundle(bytes))
      offload::read_compressed_header(bytes);
    else
      offload::bundle_size(bytes);
  } catch (const offload::BadBundle&) {
  }
  return 0;
}
