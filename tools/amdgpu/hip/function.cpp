#include "amdgpu/hip/function.hpp"

#include <cstring>
#include <utility>

namespace kernelgen::amdgpu::hip {

std::vector<std::byte> gather(const Kernel& kernel, void** parameters) {
  std::vector<std::byte> bytes(kernel.explicit_bytes);
  std::size_t i = 0;
  for (const Argument& argument : kernel.arguments)
    if (!argument.is_hidden()) std::memcpy(bytes.data() + argument.offset, parameters[i++], argument.bytes);
  return bytes;
}

int launch(const Function& function, Extent grid, Extent block, std::uint32_t shared_bytes, void* stream,
           std::vector<std::byte> arguments) {
  return do_in(stream, function.kernel->name, [=, arguments = std::move(arguments)](Gpu& gpu) {
    note_launched(function.kernel->name);
    const Counters counters =
        gpu.simulator.launch(*function.module, function.kernel->name, grid, block, shared_bytes, arguments);
    if (!gpu.log.is_on() && !notes_counters()) return hipSuccess;
    std::string launch =
        launch_json(gpu.simulator.isa().processor, *function.kernel, grid, block, shared_bytes, counters);
    if (notes_counters()) note_counters(launch);
    gpu.log.add(std::move(launch));
    return hipSuccess;
  });
}

}  // namespace kernelgen::amdgpu::hip
