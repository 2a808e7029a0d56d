#pragma once
#include <cstddef>
#include <memory>

#include "interface.hpp"
#include "kernelgen/tensor.hpp"

namespace kernelgen::ggml {

class PluginDevice;

/// Types of buffers in the layout of the program's API version: device memory, and pinned host memory.
std::shared_ptr<BufferType> make_buffer_type(PluginDevice& device);
std::shared_ptr<BufferType> make_host_buffer_type(PluginDevice& device);

/// The device whose memory the buffer is; null for a buffer of another back end, and for one in host memory.
PluginDevice* owner_of(const BufferHandle* buffer);
/// The buffer of a node, also of a view.
const BufferHandle* buffer_of(const Node& node);
/// Memory of a buffer, which outlives all work on it.
std::shared_ptr<Storage> borrow(const Device& device, void* data, std::size_t bytes);
/// `size` bytes of a node in device memory.
Tensor bytes_of_node(const Device& device, const Node& node, std::size_t offset, std::size_t size);

}  // namespace kernelgen::ggml
