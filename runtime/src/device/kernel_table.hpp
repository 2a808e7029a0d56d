#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/launch_observer.hpp"
#include "driver/driver.hpp"
#include "kernelgen/device_kind.hpp"
#include "kernelgen/package.hpp"

namespace kernelgen {

/// Modules of a device.
struct ModuleCount {
  std::atomic<std::size_t> loaded{0};  ///< that are there
  std::atomic<std::size_t> loads{0};   ///< so far

  void add() {
    ++loaded;
    ++loads;
  }
};

/// An operation of one of a device's packages. Valid while the device is.
struct FoundOperation {
  const Package* package;
  const kernelgen_operation_record* record;
  std::uint32_t target;        ///< of the package, that was chosen for the device
  std::uint32_t first_kernel;  ///< of the package, on the device
};

/// The packages of a device and their kernels, which are loaded at first use. On the device a kernel's id counts on from
/// package to package; of kernels and operations of one name, that of the first package that has one is found.
/// Thread-safe.
class KernelTable {
 public:
  /// `driver`, `count` and `observer` outlive it. Throws Error(unsupported) for a package that has no target for the
  /// driver's architecture, Error(invalid_argument) without a package.
  KernelTable(std::vector<Package> packages, DeviceKind kind, const std::string& location, Driver& driver,
              ModuleCount& count, LaunchObserver& observer);
  ~KernelTable();
  KernelTable(const KernelTable&) = delete;
  KernelTable& operator=(const KernelTable&) = delete;

  const std::vector<Package>& packages() const { return packages_; }
  /// Of all packages.
  std::size_t size() const { return size_; }

  /// The driver's function of a kernel. One load once it is there. Throws Error(invalid_argument) for an id that no package
  /// has, Error(unsupported) where its package has no code of the kernel's module for the device, Error(device).
  void* function(std::uint32_t id) {
    if (id < size_) [[likely]]
      if (void* function = kernels_[id].function.load(std::memory_order_acquire)) [[likely]]
        return function;
    return load(id);
  }
  /// Bytes of its argument block.
  std::uint32_t argument_bytes(std::uint32_t id) const { return kernels_[id].argument_bytes; }
  std::string_view name(std::uint32_t id) const;
  const kernelgen_resource_record& resources(std::uint32_t id) const;

  std::optional<FoundOperation> find_operation(std::string_view name) const;
  std::optional<std::uint32_t> find_kernel(std::string_view name) const;
  /// Index of the first package's target that was chosen.
  std::uint32_t target() const { return places_.front().target; }
  /// Whether there is code of a kernel with a pointer to such elements, "bf16".
  bool has_kernels_of(std::string_view element) const;

  /// Loads every module that there is for the device, and looks up all kernels.
  void preload();

 private:
  struct Kernel {
    std::atomic<void*> function{nullptr};  ///< until first used
    std::uint32_t argument_bytes = 0;
  };
  /// A package's target for the device, and where its kernels and modules begin.
  struct Place {
    const Package* package;
    std::uint32_t target;
    std::uint32_t first_kernel;
    std::size_t first_module;
  };
  /// A module of a package. Its mutex makes the first use load it once.
  struct LoadedCode {
    std::mutex mutex;
    void* handle = nullptr;
    PackageCode code;  ///< where the driver reads it later
  };

  const Place& place_of(std::uint32_t id) const;
  void* load(std::uint32_t id);
  /// Loads the module's code and looks the kernel up. The module's mutex is held.
  void* find_function(LoadedCode& module, const Place& place, std::uint32_t module_index, std::uint32_t id);

  const std::vector<Package> packages_;
  const std::string location_;
  Driver& driver_;
  ModuleCount& count_;
  LaunchObserver& observer_;
  std::vector<Place> places_;
  std::size_t size_ = 0;
  std::unique_ptr<Kernel[]> kernels_;
  std::unique_ptr<LoadedCode[]> modules_;
  std::size_t module_count_ = 0;
};

}  // namespace kernelgen
