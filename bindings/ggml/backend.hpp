#pragma once
#include "interface.hpp"

namespace kernelgen::ggml {

/// A stream of a device that computes graphs.
Backend* make_backend(DeviceHandle* device, const char* parameters);

EventHandle* make_event(DeviceHandle* device);
void free_event(DeviceHandle* device, EventHandle* event);
void synchronize_event(DeviceHandle* device, EventHandle* event);

}  // namespace kernelgen::ggml
