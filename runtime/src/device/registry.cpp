#include "device/registry.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "device/device_name.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

/// Devices open in this process, held weakly: a device closes with its last user. Opening holds the lock, so
/// that threads opening the same device share one.
struct Registry {
  std::mutex mutex;
  std::vector<std::weak_ptr<DeviceState>> devices;
};

Registry& registry() {
  // Never destroyed: devices may be opened during process exit.
  static Registry& instance = *new Registry;
  return instance;
}

bool holds_kind(const Package& package, DeviceKind kind) {
  return std::any_of(
      package.targets().begin(), package.targets().end(),
      [&](const kernelgen_target_record& t) { return t.kind == static_cast<std::uint32_t>(kind); });
}

std::shared_ptr<DeviceState> open_named(std::string_view name, std::span<const Package> packages) {
  const DeviceName parsed = parse_device_name(name);
  const std::string location = to_string(parsed);
  Registry& open = registry();
  const std::lock_guard lock(open.mutex);
  std::erase_if(open.devices, [](const std::weak_ptr<DeviceState>& device) { return device.expired(); });
  for (const std::weak_ptr<DeviceState>& known : open.devices)
    if (std::shared_ptr<DeviceState> device = known.lock();
        device != nullptr && device->location() == location &&
        std::ranges::equal(device->kernels().packages(), packages))
      return device;
  auto driver = parsed.processor.empty() ? open_driver(parsed.kind, parsed.ordinal, parsed.threads)
                                         : open_simulated_driver(parsed.processor);
  auto device = std::make_shared<DeviceState>(parsed.kind, parsed.ordinal, location, std::move(driver),
                                              std::vector<Package>(packages.begin(), packages.end()));
  open.devices.push_back(device);
  return device;
}

std::shared_ptr<DeviceState> open_best(std::span<const Package> packages) {
  for (const DeviceKind kind : {DeviceKind::hip, DeviceKind::cuda}) {
    // Loading a driver library is slow; skip it if no package has code for it.
    if (!std::ranges::all_of(packages, [&](const Package& package) { return holds_kind(package, kind); }))
      continue;
    const int count = count_devices(kind);
    for (int ordinal = 0; ordinal < count; ++ordinal) {
      try {
        return open_named(to_string({.kind = kind, .ordinal = ordinal}), packages);
      } catch (const Error& error) {
        // No code for this device; the next may be another model.
        if (error.code() != Code::unsupported) throw;
      }
    }
  }
  return open_named("cpu", packages);
}

}  // namespace

std::shared_ptr<DeviceState> open_device(std::string_view name, std::span<const Package> packages) {
  return name == "auto" ? open_best(packages) : open_named(name, packages);
}

}  // namespace kernelgen
