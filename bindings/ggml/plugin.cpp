#include <memory>
#include <vector>

#include "device.hpp"
#include "guarded.hpp"
#include "host.hpp"

/// The functions that ggml looks up in the file, and its registry of devices.
namespace kernelgen::ggml {
namespace {

using Devices = std::vector<std::unique_ptr<PluginDevice>>;

const char* get_name(Registry*) { return "KernelGen"; }
const Devices& devices_of(Registry* registry) { return *static_cast<Devices*>(registry->context); }
std::size_t get_device_count(Registry* registry) { return devices_of(registry).size(); }
DeviceHandle* get_device(Registry* registry, std::size_t i) { return devices_of(registry)[i]->handle(); }

Registry* make_registry(const Host& host) {
  // Never freed: programs use devices until they end, and drivers do not outlive their own last function.
  auto* const registry = new Registry{host.api_version,
                                      {.get_name = get_name,
                                       .get_device_count = get_device_count,
                                       .get_device = get_device,
                                       .get_proc_address = nullptr},
                                      nullptr};
  registry->context = new Devices(open_devices(registry));
  return registry;
}

}  // namespace
}  // namespace kernelgen::ggml

#define KERNELGEN_GGML_EXPORT extern "C" __attribute__((visibility("default")))

/// ggml_backend_init_t. Null without a ggml that the plug-in can serve; with no device, a registry without devices.
KERNELGEN_GGML_EXPORT kernelgen::ggml::Registry* ggml_backend_init() {
  using namespace kernelgen::ggml;
  const Host* const host = Host::find();
  if (host == nullptr) return nullptr;
  static Registry* registry = nullptr;
  if (registry == nullptr) guarded("the registry", [&] { registry = make_registry(*host); });
  return registry;
}

/// ggml_backend_score_t: any positive number; only files of one name are compared.
KERNELGEN_GGML_EXPORT int ggml_backend_score() { return 1; }
