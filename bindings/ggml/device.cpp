#include "device.hpp"

#include <stdlib.h>

#include <algorithm>

#include "backend.hpp"
#include "buffer.hpp"
#include "guarded.hpp"
#include "ops/table.hpp"

namespace kernelgen::ggml {
namespace {

const char* get_name(DeviceHandle* handle) { return device_of(handle).name().c_str(); }
const char* get_description(DeviceHandle* handle) { return device_of(handle).description().c_str(); }

void get_memory(DeviceHandle* handle, std::size_t* free, std::size_t* total) {
  *free = *total = 0;
  guarded("memory", [&] {
    const MemoryUse use = device_of(handle).device().memory_use();
    *free = use.free;
    *total = use.total;
  });
}

/// A CPU device is reported as a GPU: ggml already has a CPU back end, and programs place layers on GPUs only.
DeviceType get_type(DeviceHandle*) { return DeviceType::gpu; }

void get_props(DeviceHandle* handle, Properties* properties) {
  *properties = {};
  properties->name = get_name(handle);
  properties->description = get_description(handle);
  get_memory(handle, &properties->memory_free, &properties->memory_total);
  properties->type = get_type(handle);
  properties->caps = {.async = true,
                      .host_buffer = true,
                      .buffer_from_host_ptr = false,
                      .events = true,
                      .mmap_support = true};
}

BufferType* get_buffer_type(DeviceHandle* handle) { return device_of(handle).buffer_type(); }
BufferType* get_host_buffer_type(DeviceHandle* handle) { return device_of(handle).host_buffer_type(); }
bool supports_op(DeviceHandle*, const Node* node) { return is_supported(*node); }
bool supports_buft(DeviceHandle* handle, BufferType* type) { return type == get_buffer_type(handle); }

/// Whether work on weights in host memory is worth their copy: from as many rows on as ggml's other GPU back ends have.
bool offload_op(DeviceHandle*, const Node* node) {
  constexpr std::int64_t least_rows = 32;
  const std::string_view name = host().op_name(node->op);
  if (name == "GET_ROWS") return false;
  if (name == "MUL_MAT") return node->ne[1] >= least_rows;
  if (name == "MUL_MAT_ID") return node->ne[2] >= least_rows;
  return node->ne[1] * node->ne[2] * node->ne[3] >= least_rows;
}

constexpr DeviceCalls calls{.get_name = get_name,
                            .get_description = get_description,
                            .get_memory = get_memory,
                            .get_type = get_type,
                            .get_props = get_props,
                            .init_backend = make_backend,
                            .get_buffer_type = get_buffer_type,
                            .get_host_buffer_type = get_host_buffer_type,
                            .buffer_from_host_ptr = nullptr,
                            .supports_op = supports_op,
                            .supports_buft = supports_buft,
                            .offload_op = offload_op,
                            .event_new = make_event,
                            .event_free = free_event,
                            .event_synchronize = synchronize_event};

std::vector<std::string> wanted() {
  std::vector<std::string> names;
  const char* const given = ::secure_getenv("KERNELGEN_DEVICE");
  if (given == nullptr || *given == 0) {
    for (int i = 0; i < Device::count(DeviceKind::hip); ++i) names.push_back("hip:" + std::to_string(i));
    for (int i = 0; i < Device::count(DeviceKind::cuda); ++i) names.push_back("cuda:" + std::to_string(i));
    return names;
  }
  const std::string all = given;
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find(',', begin), all.size());
    names.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

}  // namespace

PluginDevice::PluginDevice(Registry* registry, const Device& device, std::string name)
    : device_(device),
      transfers_(device),
      name_(std::move(name)),
      description_(device.name() + " (" + device.location() + ", " + device.target() + ")"),
      host_buffer_name_(name_ + "_Host"),
      handle_{calls, registry, this},
      buffer_type_(make_buffer_type(*this)),
      host_buffer_type_(make_host_buffer_type(*this)) {
  // ggml orders its streams itself, by events and waits.
  device_.follow_streams(false);
}

PluginDevice& device_of(const DeviceHandle* handle) { return *static_cast<PluginDevice*>(handle->context); }

std::vector<std::unique_ptr<PluginDevice>> open_devices(Registry* registry) {
  std::vector<std::unique_ptr<PluginDevice>> devices;
  for (const std::string& name : wanted())
    guarded("a device is left out", [&] {
      devices.push_back(std::make_unique<PluginDevice>(registry, Device::open(name),
                                                       "KernelGen" + std::to_string(devices.size())));
    });
  return devices;
}

}  // namespace kernelgen::ggml
