#pragma once
#include <memory>
#include <string>
#include <vector>

#include "interface.hpp"
#include "transfer.hpp"

namespace kernelgen::ggml {

/// A device as ggml sees it, with the types of its buffers.
class PluginDevice {
 public:
  PluginDevice(Registry* registry, const Device& device, std::string name);
  PluginDevice(const PluginDevice&) = delete;
  PluginDevice& operator=(const PluginDevice&) = delete;

  const Device& device() const { return device_; }
  Transfers& transfers() { return transfers_; }
  const std::string& name() const { return name_; }
  const std::string& description() const { return description_; }
  const std::string& host_buffer_name() const { return host_buffer_name_; }
  DeviceHandle* handle() { return &handle_; }
  BufferType* buffer_type() { return buffer_type_.get(); }
  BufferType* host_buffer_type() { return host_buffer_type_.get(); }

 private:
  Device device_;
  Transfers transfers_;
  std::string name_, description_, host_buffer_name_;
  DeviceHandle handle_;
  std::shared_ptr<BufferType> buffer_type_, host_buffer_type_;
};

/// The device that ggml's handle stands for.
PluginDevice& device_of(const DeviceHandle* handle);

/// Opens the devices that the environment variable KERNELGEN_DEVICE lists, separated by commas; by default every GPU that
/// the kernels are compiled for. One that cannot be opened is logged and left out.
std::vector<std::unique_ptr<PluginDevice>> open_devices(Registry* registry);

}  // namespace kernelgen::ggml
