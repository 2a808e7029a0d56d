#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "common/content_hash.hpp"
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

/// A device's packages and their kernels, loaded at first use. Kernel ids are consecutive across packages. Names are looked up in
/// the packages that the device was opened with, in order, then in those added later, the last one first. Thread-safe.
class KernelTable {
 public:
  /// `driver`, `count` and `observer` outlive the table. Throws Error(unsupported) if a package has no target
  /// for the driver's architecture, Error(invalid_argument) without a package.
  KernelTable(std::vector<Package> packages, DeviceKind kind, const std::string& location, Driver& driver,
              ModuleCount& count, LaunchObserver& observer);
  ~KernelTable();
  KernelTable(const KernelTable&) = delete;
  KernelTable& operator=(const KernelTable&) = delete;

  /// The packages that the device was opened with.
  const std::vector<Package>& packages() const { return packages_; }
  /// Number of kernels in all packages, with those added.
  std::size_t size() const;

  /// Adds a package, or finds one of the same bytes; gives its number, from 1. Throws Error(unsupported) if it has no
  /// target for the device, Error(invalid_argument) if it has an operation of a package that the device was opened with.
  std::uint32_t add(const Package& package);
  /// Names of all operations, for messages.
  std::vector<std::string> operation_names() const;

  /// A kernel. The first call for a module loads its code. Later ones cost an atomic load, and a shared lock for a kernel of an
  /// added package. Throws Error(invalid_argument) for an unknown id, Error(unsupported) if the package has no code of the kernel's
  /// module for the device, Error(device).
  LoadedKernel& kernel(std::uint32_t id) {
    if (id < size_) [[likely]]
      if (Entry& entry = kernels_[id]; entry.is_loaded.load(std::memory_order_acquire)) [[likely]]
        return entry.kernel;
    return load(id);
  }
  /// Size of the argument block in bytes.
  std::uint32_t argument_bytes(std::uint32_t id) const { return entry(id).kernel.argument_bytes; }
  /// Maximum number of threads of a block.
  std::uint32_t block(std::uint32_t id) const { return entry(id).kernel.most_threads; }
  std::string_view name(std::uint32_t id) const;
  /// A kernel's package, and its id there. Requires an id below size().
  struct Origin {
    const Package* package;
    std::uint32_t id;
  };
  Origin origin(std::uint32_t id) const;
  const kernelgen_resource_record& resources(std::uint32_t id) const;

  /// nullopt if no package has the operation. "cube@2" is that of the package added as number 2.
  std::optional<FoundOperation> find_operation(std::string_view name) const;
  std::optional<std::uint32_t> find_kernel(std::string_view name) const;
  /// Index of the selected target of the first package.
  std::uint32_t target() const { return opened_.front().target; }
  /// Whether a kernel with a pointer to such elements ("bf16") has code.
  bool has_kernels_of(std::string_view element) const;

  /// Loads every module for the device and looks up all kernels.
  void preload();

 private:
  struct Entry {
    std::atomic<bool> is_loaded{false};
    LoadedKernel kernel;  ///< no function until loaded
  };
  /// A module of a package. Its mutex ensures that it is loaded once.
  struct LoadedCode {
    std::mutex mutex;
    void* handle = nullptr;
    PackageCode code;  ///< kept if the driver reads it later
  };
  /// A package on the device: its selected target, the device's id of its first kernel, and its kernels and modules, which the
  /// table owns.
  struct OpenedPackage {
    const Package* package;
    std::uint32_t target;
    std::uint32_t first_kernel;
    Entry* kernels;
    LoadedCode* modules;
  };
  struct AddedPackage {
    Package package;
    ContentHash hash;
    std::unique_ptr<Entry[]> kernels;
    std::unique_ptr<LoadedCode[]> modules;
    OpenedPackage opened;
  };

  Entry& entry(std::uint32_t id) const {
    const OpenedPackage& opened = package_of(id);
    return opened.kernels[id - opened.first_kernel];
  }
  /// The id after the last kernel's. Requires the lock of added_.
  std::size_t end() const;
  void fill(const OpenedPackage& opened) const;
  void unload(const OpenedPackage& opened) const;
  void preload(const OpenedPackage& opened);
  FoundOperation found(const OpenedPackage& opened, const kernelgen_operation_record* record) const {
    return {opened.package, record, opened.target, opened.first_kernel};
  }
  /// Throws Error(invalid_argument) for an unknown id.
  const OpenedPackage& package_of(std::uint32_t id) const;
  LoadedKernel& load(std::uint32_t id);
  /// Loads the module's code and looks up the kernel. Requires the module's mutex.
  LoadedKernel& find_function(LoadedCode& module, const OpenedPackage& opened, std::uint32_t module_index,
                              std::uint32_t id);

  const std::vector<Package> packages_;
  const DeviceKind kind_;
  const std::string location_;
  Driver& driver_;
  ModuleCount& count_;
  LaunchObserver& observer_;
  std::vector<OpenedPackage> opened_;
  std::size_t size_ = 0;  ///< of the packages that the device was opened with
  std::unique_ptr<Entry[]> kernels_;
  std::unique_ptr<LoadedCode[]> modules_;
  mutable std::shared_mutex added_mutex_;
  std::vector<std::unique_ptr<AddedPackage>> added_;  ///< by pointer: addresses stay valid as more are added
};

}  // namespace kernelgen
