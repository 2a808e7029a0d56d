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
#include "device/loaded_kernel.hpp"
#include "driver/driver.hpp"
#include "kernelgen/device_kind.hpp"
#include "kernelgen/package.hpp"

namespace kernelgen {

/// Modules of a device.
struct ModuleCount {
  std::atomic<std::size_t> loaded{0};  ///< currently loaded
  std::atomic<std::size_t> loads{0};   ///< total loads

  void add() {
    ++loaded;
    ++loads;
  }
};

/// An operation of one of a device's packages. Valid while the device is.
struct FoundOperation {
  const Package* package;
  const kernelgen_operation_record* record;
  std::uint32_t target;        ///< index of the package's selected target
  std::uint32_t first_kernel;  ///< id of the package's first kernel on the device
};

/// A device's packages and their kernels, loaded at first use. Kernel ids are consecutive across packages.
/// For kernels and operations of the same name, the first package wins. Thread-safe.
class KernelTable {
 public:
  /// `driver`, `count` and `observer` outlive the table. Throws Error(unsupported) if a package has no target
  /// for the driver's architecture, Error(invalid_argument) without a package.
  KernelTable(std::vector<Package> packages, DeviceKind kind, const std::string& location, Driver& driver,
              ModuleCount& count, LaunchObserver& observer);
  ~KernelTable();
  KernelTable(const KernelTable&) = delete;
  KernelTable& operator=(const KernelTable&) = delete;

  const std::vector<Package>& packages() const { return packages_; }
  /// Number of kernels in all packages.
  std::size_t size() const { return size_; }

  /// A kernel; costs one load once loaded. Throws Error(invalid_argument) for an unknown id,
  /// Error(unsupported) if the package has no code of the kernel's module for the device, Error(device).
  LoadedKernel& kernel(std::uint32_t id) {
    if (id < size_) [[likely]]
      if (Entry& entry = kernels_[id]; entry.is_loaded.load(std::memory_order_acquire)) [[likely]]
        return entry.kernel;
    return load(id);
  }
  /// Size of the argument block in bytes.
  std::uint32_t argument_bytes(std::uint32_t id) const { return kernels_[id].kernel.argument_bytes; }
  /// Maximum number of threads of a block.
  std::uint32_t block(std::uint32_t id) const { return kernels_[id].kernel.most_threads; }
  std::string_view name(std::uint32_t id) const;
  /// A kernel's package, and its id there. Requires an id below size().
  struct Origin {
    const Package* package;
    std::uint32_t id;
  };
  Origin origin(std::uint32_t id) const;
  const kernelgen_resource_record& resources(std::uint32_t id) const;

  std::optional<FoundOperation> find_operation(std::string_view name) const;
  std::optional<std::uint32_t> find_kernel(std::string_view name) const;
  /// Index of the selected target of the first package.
  std::uint32_t target() const { return places_.front().target; }
  /// Whether a kernel with a pointer to such elements ("bf16") has code.
  bool has_kernels_of(std::string_view element) const;

  /// Loads every module for the device and looks up all kernels.
  void preload();

 private:
  struct Entry {
    std::atomic<bool> is_loaded{false};
    LoadedKernel kernel;  ///< no function until loaded
  };
  /// A package's target for the device, and the ids of its first kernel and module.
  struct Place {
    const Package* package;
    std::uint32_t target;
    std::uint32_t first_kernel;
    std::size_t first_module;
  };
  /// A module of a package. Its mutex ensures that it is loaded once.
  struct LoadedCode {
    std::mutex mutex;
    void* handle = nullptr;
    PackageCode code;  ///< kept if the driver reads it later
  };

  const Place& place_of(std::uint32_t id) const;
  LoadedKernel& load(std::uint32_t id);
  /// Loads the module's code and looks up the kernel. Requires the module's mutex.
  LoadedKernel& find_function(LoadedCode& module, const Place& place, std::uint32_t module_index,
                              std::uint32_t id);

  const std::vector<Package> packages_;
  const std::string location_;
  Driver& driver_;
  ModuleCount& count_;
  LaunchObserver& observer_;
  std::vector<Place> places_;
  std::size_t size_ = 0;
  std::unique_ptr<Entry[]> kernels_;
  std::unique_ptr<LoadedCode[]> modules_;
  std::size_t module_count_ = 0;
};

}  // namespace kernelgen
