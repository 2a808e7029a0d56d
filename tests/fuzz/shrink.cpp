// What cuts code out of programs, libraries and offload bundles.
#include "binary/shrink.hpp"

#include "binary/code_finder.hpp"
#include "folded.hpp"
#include "hip_seeds.hpp"
#include "offload/bundle.hpp"
#include "seeds.hpp"
#include "support/host_program.hpp"

using namespace kernelgen::tool;

std::vector<std::string> kernelgen::fuzz::seeds() {
  // Entries at pages, so that something is saved.
  const std::string plain = bundle(4096), packed = compress_bundle(bundle());
  std::vector<std::string> seeds;
  for (const std::string& file : {plain, packed, host_program(plain), host_program(packed)})
    seeds.push_back(folded(file));
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> input = kernelgen::fuzz::unfolded(data, size);
  const std::string_view bytes(input.data(), input.size());
  const auto is_kept = [](std::string_view target) { return target.starts_with("gfx90a"); };
  try {
    const std::string left = shrink(bytes, {is_kept, size % 2 == 0});
    // What is left can be read where the whole could.
    if (!find_code(left, "left").damages.empty() && find_code(bytes, "whole").damages.empty())
      __builtin_trap();
  } catch (const CannotShrink&) {
  } catch (const BadCodeObject&) {
  } catch (const kernelgen::offload::BadBundle&) {
  }
  return 0;
}
