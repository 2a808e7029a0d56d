#include "buffer.hpp"

#include <cstring>

#include "device.hpp"
#include "guarded.hpp"
#include "kernelgen/ops.hpp"

namespace kernelgen::ggml {
namespace {

/// The context of a buffer in device memory.
struct Memory {
  PluginDevice& device;
  std::shared_ptr<Storage> storage;
};

/// The context of a buffer in pinned host memory.
struct HostMemory {
  PluginDevice& device;
  PinnedMemory memory;
};

Memory& memory_of(const BufferHandle* buffer) { return *static_cast<Memory*>(buffer->context); }

void free_memory(BufferHandle* buffer) { delete &memory_of(buffer); }
void* get_base(BufferHandle* buffer) { return memory_of(buffer).storage->data(); }

/// Copies that ggml considers done when they return.
template <class Copy>
void at_once(BufferHandle* buffer, const char* what, Copy copy) {
  Transfers& transfers = memory_of(buffer).device.transfers();
  guarded(what, [&] {
    copy(transfers);
    transfers.stream().synchronize();
  });
}

void memset_tensor(BufferHandle* buffer, Node* node, std::uint8_t value, std::size_t offset,
                   std::size_t size) {
  at_once(buffer, "memset_tensor", [&](Transfers& transfers) {
    const_set(bytes_of_node(memory_of(buffer).device.device(), *node, offset, size), value,
              transfers.stream());
  });
}

void set_tensor(BufferHandle* buffer, Node* node, const void* data, std::size_t offset, std::size_t size) {
  at_once(buffer, "set_tensor", [&](Transfers& transfers) {
    transfers.set(bytes_of_node(memory_of(buffer).device.device(), *node, offset, size), data,
                  transfers.stream());
  });
}

void get_tensor(BufferHandle* buffer, const Node* node, void* data, std::size_t offset, std::size_t size) {
  at_once(buffer, "get_tensor", [&](Transfers& transfers) {
    transfers.get(data, bytes_of_node(memory_of(buffer).device.device(), *node, offset, size),
                  transfers.stream());
  });
}

bool cpy_tensor(BufferHandle* buffer, const Node* from, Node* to) {
  PluginDevice* const source = owner_of(buffer_of(*from));
  if (source == nullptr) return false;
  PluginDevice& destination = memory_of(buffer).device;
  const std::size_t size = host().nbytes(from);
  return guarded("cpy_tensor", [&] {
           const Stream& stream = destination.transfers().stream();
           const Tensor there = bytes_of_node(source->device(), *from, 0, size);
           const Tensor here =
               to_device(there, destination.device(), {.from = source->transfers().stream(), .to = stream});
           if (source == &destination) source->transfers().stream().synchronize();
           copy_into(bytes_of_node(destination.device(), *to, 0, size), here, stream);
           stream.synchronize();
         }) == Status::success;
}

void clear(BufferHandle* buffer, std::uint8_t value) {
  at_once(buffer, "clear", [&](Transfers& transfers) {
    const Memory& memory = memory_of(buffer);
    const auto size = static_cast<std::int64_t>(buffer->size);
    const_set(Tensor(memory.storage, DType::u8, Layout::contiguous({size})), value, transfers.stream());
  });
}

constexpr BufferCalls buffer_calls{.free_buffer = free_memory,
                                   .get_base = get_base,
                                   .init_tensor = nullptr,
                                   .memset_tensor = memset_tensor,
                                   .set_tensor = set_tensor,
                                   .get_tensor = get_tensor,
                                   .set_tensor_2d = nullptr,
                                   .get_tensor_2d = nullptr,
                                   .cpy_tensor = cpy_tensor,
                                   .clear = clear,
                                   .reset = nullptr};

HostMemory& host_memory_of(const BufferHandle* buffer) { return *static_cast<HostMemory*>(buffer->context); }

void free_host_memory(BufferHandle* buffer) {
  HostMemory& host_memory = host_memory_of(buffer);
  host_memory.device.transfers().remove_pinned(host_memory.memory);
  delete &host_memory;
}

void* get_host_base(BufferHandle* buffer) { return host_memory_of(buffer).memory.bytes().data(); }

void host_memset(BufferHandle*, Node* node, std::uint8_t value, std::size_t offset, std::size_t size) {
  std::memset(static_cast<std::byte*>(node->data) + offset, value, size);
}
void host_set(BufferHandle*, Node* node, const void* data, std::size_t offset, std::size_t size) {
  std::memcpy(static_cast<std::byte*>(node->data) + offset, data, size);
}
void host_get(BufferHandle*, const Node* node, void* data, std::size_t offset, std::size_t size) {
  std::memcpy(data, static_cast<const std::byte*>(node->data) + offset, size);
}
void host_clear(BufferHandle* buffer, std::uint8_t value) {
  std::memset(get_host_base(buffer), value, buffer->size);
}

constexpr BufferCalls host_buffer_calls{.free_buffer = free_host_memory,
                                        .get_base = get_host_base,
                                        .init_tensor = nullptr,
                                        .memset_tensor = host_memset,
                                        .set_tensor = host_set,
                                        .get_tensor = host_get,
                                        .set_tensor_2d = nullptr,
                                        .get_tensor_2d = nullptr,
                                        .cpy_tensor = nullptr,
                                        .clear = host_clear,
                                        .reset = nullptr};

/// Reads the context, whose offset depends on the API version.
PluginDevice& device_of_type(BufferType* type);

const char* type_name(BufferType* type) { return device_of_type(type).name().c_str(); }
const char* host_type_name(BufferType* type) { return device_of_type(type).host_buffer_name().c_str(); }

BufferHandle* allocate(BufferType* type, std::size_t size) {
  PluginDevice& device = device_of_type(type);
  BufferHandle* buffer = nullptr;
  guarded("a buffer", [&] {
    auto memory = std::make_unique<Memory>(
        Memory{device, Storage::allocate(device.device(), size, device.transfers().stream())});
    device.transfers().stream().synchronize();
    buffer = host().buffer_init(type, buffer_calls, memory.get(), size);
    memory.release();
  });
  return buffer;
}

BufferHandle* allocate_host(BufferType* type, std::size_t size) {
  PluginDevice& device = device_of_type(type);
  BufferHandle* buffer = nullptr;
  guarded("a host buffer", [&] {
    auto memory = std::make_unique<HostMemory>(HostMemory{device, PinnedMemory(device.device(), size)});
    device.transfers().add_pinned(memory->memory);
    buffer = host().buffer_init(type, host_buffer_calls, memory.get(), size);
    memory.release();
  });
  return buffer;
}

/// What the library's allocators guarantee everywhere.
std::size_t alignment(BufferType*) { return 64; }
bool is_host(BufferType*) { return true; }

template <class Calls>
Calls device_calls() {
  Calls calls{};
  calls.get_name = type_name;
  calls.alloc_buffer = allocate;
  calls.get_alignment = alignment;
  return calls;
}

template <class Calls>
Calls host_calls() {
  Calls calls{};
  calls.get_name = host_type_name;
  calls.alloc_buffer = allocate_host;
  calls.get_alignment = alignment;
  calls.is_host = is_host;
  return calls;
}

template <class Calls>
std::shared_ptr<BufferType> make_type(PluginDevice& device, const Calls& calls) {
  const auto type =
      std::make_shared<BufferTypeOf<Calls>>(BufferTypeOf<Calls>{calls, device.handle(), &device});
  return {type, reinterpret_cast<BufferType*>(type.get())};
}

bool is_version_3() { return host().api_version >= 3; }

PluginDevice& device_of_type(BufferType* type) {
  void* const context = is_version_3() ? reinterpret_cast<BufferTypeOf<BufferTypeCalls3>*>(type)->context
                                       : reinterpret_cast<BufferTypeOf<BufferTypeCalls2>*>(type)->context;
  return *static_cast<PluginDevice*>(context);
}

}  // namespace

std::shared_ptr<BufferType> make_buffer_type(PluginDevice& device) {
  return is_version_3() ? make_type(device, device_calls<BufferTypeCalls3>())
                        : make_type(device, device_calls<BufferTypeCalls2>());
}

std::shared_ptr<BufferType> make_host_buffer_type(PluginDevice& device) {
  return is_version_3() ? make_type(device, host_calls<BufferTypeCalls3>())
                        : make_type(device, host_calls<BufferTypeCalls2>());
}

PluginDevice* owner_of(const BufferHandle* buffer) {
  const bool is_ours = buffer != nullptr && buffer->calls.free_buffer == free_memory;
  return is_ours ? &memory_of(buffer).device : nullptr;
}

const BufferHandle* buffer_of(const Node& node) {
  return node.view_src != nullptr ? node.view_src->buffer : node.buffer;
}

std::shared_ptr<Storage> borrow(const Device& device, void* data, std::size_t bytes) {
  return Storage::borrow(device, data, bytes, std::shared_ptr<void>(std::shared_ptr<void>(), data));
}

Tensor bytes_of_node(const Device& device, const Node& node, std::size_t offset, std::size_t size) {
  auto storage = borrow(device, static_cast<std::byte*>(node.data) + offset, size);
  return Tensor(std::move(storage), DType::u8, Layout::contiguous({static_cast<std::int64_t>(size)}));
}

}  // namespace kernelgen::ggml
