#include "ops/launch.hpp"

#include "common/format.hpp"

#include "kernelgen/error.hpp"

namespace kernelgen {

void refuse_arguments(const Device& device, std::uint32_t kernel, std::size_t bytes) {
  const KernelTable& kernels = state_of(device).kernels();
  throw Error(Code::bad_package,
              formatted("launch of {} on {}: this runtime gives {} bytes of arguments, the package's kernel "
                        "takes {}; the package was built from other manifests or kernel bodies than this "
                        "runtime: `kernel-gen build` with this version's makes one that fits",
                        kernels.name(kernel), device.location(), bytes, kernels.argument_bytes(kernel)));
}

}  // namespace kernelgen
