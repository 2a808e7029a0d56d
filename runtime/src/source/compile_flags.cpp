#include "source/compile_flags.hpp"

#include "common/format.hpp"

namespace kernelgen {

std::vector<std::string> hip_flags(int wave_size) {
  return {"-mllvm", "-disable-machine-licm", formatted("-DKERNELGEN_WAVE_SIZE={}", wave_size)};
}

std::vector<std::string> cpu_flags(std::string_view march) {
  return {"-fno-trapping-math", "-Wno-pass-failed", formatted("-march={}", march), "-fPIC",
          "-fvisibility=hidden"};
}

std::vector<std::string> cpu_link_flags() {
  return {"-shared", "-nostdlib++", "-fuse-ld=lld", "-Wl,--build-id=none,--strip-all"};
}

}  // namespace kernelgen
