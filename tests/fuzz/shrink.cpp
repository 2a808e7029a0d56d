// What cuts code out of programs, libraries and offload bundles.
#include "binary/shrink.hpp"

#include "code_object/code_object.hpp"
#include "hip_seeds.hpp"
#include "offload/bundle.hpp"
#include "seeds.hpp"
#include "support/host_program.hpp"

using namespace kernelgen::tool;

std::vector<std::string> kernelgen::fuzz::seeds() {
  const std::string packed = compress_bundle(bundle());
  return {bundle(), packed, host_program(bundle()), host_program(packed)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    shrink(bytes, {[](std::string_view target) { return target.starts_with("gfx90a"); }, size % 2 == 0});
  } catch (const CannotShrink&) {
  } catch (const BadCodeObject&) {
  } catch (const kernelgen::offload::BadBundle&) {
  }
  return 0;
}
