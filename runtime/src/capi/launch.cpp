#include "kernelgen/launch.hpp"

#include <vector>

#include "device/device_state.hpp"
#include "handles.hpp"

using kernelgen::LaunchArgument;
using kernelgen::LaunchShape;
using namespace kernelgen::capi;

kernelgen_status kernelgen_device_find_typed_kernel(const kernelgen_device* device, const char* name,
                                                    const char* types, uint32_t* kernel) {
  return guarded(__func__, [&] {
    uint32_t& found = need(kernel, "kernel");
    found = kernelgen::find_kernel(need(device, "device").device, &need(name, "name"), &need(types, "types"));
  });
}

kernelgen_status kernelgen_launch_arguments(const kernelgen_device* device, uint32_t kernel,
                                            const kernelgen_launch_shape* shape,
                                            const kernelgen_launch_argument* arguments, size_t count,
                                            const kernelgen_stream* stream) {
  return guarded(__func__, [&] {
    const kernelgen::Device& opened = need(device, "device").device;
    const LaunchShape wanted = shape_of(need(shape, "shape"));
    need_index(kernel, kernelgen::state_of(opened).kernels().size(), "kernel");
    if (count != 0) need(arguments, "arguments");
    std::vector<LaunchArgument> given;
    given.reserve(count);
    for (const auto& [tensor, value, bytes] : std::span(arguments, count))
      if (tensor != nullptr)
        given.push_back({&tensor->tensor});
      else
        given.push_back({nullptr, need_bytes(value, bytes, "the value of an element of arguments")});
    kernelgen::launch(opened, kernel, wanted, given, stream_of(stream));
  });
}
