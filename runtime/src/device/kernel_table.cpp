#include "device/kernel_table.hpp"

#include <algorithm>
#include <utility>

#include "common/format.hpp"
#include "device/target_select.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {

KernelTable::KernelTable(std::vector<Package> packages, DeviceKind kind, const std::string& location,
                         Driver& driver, ModuleCount& count, LaunchObserver& observer)
    : packages_(std::move(packages)),
      location_(location),
      driver_(driver),
      count_(count),
      observer_(observer) {
  if (packages_.empty())
    throw Error(Code::invalid_argument, formatted("open {}: no package is given", location_));
  for (const Package& package : packages_) {
    places_.push_back({&package, select_target(package, kind, driver_.info().architecture, location_),
                       static_cast<std::uint32_t>(size_), module_count_});
    size_ += package.kernels().size();
    module_count_ += package.modules().size();
  }
  kernels_ = std::make_unique<Entry[]>(size_);
  modules_ = std::make_unique<LoadedCode[]>(module_count_);
  for (const Place& place : places_)
    for (std::uint32_t i = 0; i < place.package->kernels().size(); ++i) {
      const kernelgen_kernel_record& record = place.package->kernels()[i];
      kernels_[place.first_kernel + i].kernel = {nullptr, record.kernarg_bytes, record.block};
    }
}

KernelTable::~KernelTable() {
  for (std::size_t i = 0; i < module_count_; ++i)
    if (modules_[i].handle != nullptr) driver_.unload_module(modules_[i].handle);
}

const KernelTable::Place& KernelTable::place_of(std::uint32_t id) const {
  const auto next =
      std::upper_bound(places_.begin(), places_.end(), id,
                       [](std::uint32_t wanted, const Place& place) { return wanted < place.first_kernel; });
  return *std::prev(next);
}

KernelTable::Origin KernelTable::origin(std::uint32_t id) const {
  const Place& place = place_of(id);
  return {place.package, id - place.first_kernel};
}

std::string_view KernelTable::name(std::uint32_t id) const {
  const Origin kernel = origin(id);
  return kernel.package->text(kernel.package->kernels()[kernel.id].name);
}

const kernelgen_resource_record& KernelTable::resources(std::uint32_t id) const {
  const Place& place = place_of(id);
  return place.package->resources(place.target, id - place.first_kernel);
}

std::optional<FoundOperation> KernelTable::find_operation(std::string_view name) const {
  for (const Place& place : places_)
    if (const auto* record = place.package->find_operation(name))
      return FoundOperation{place.package, record, place.target, place.first_kernel};
  return std::nullopt;
}

std::optional<std::uint32_t> KernelTable::find_kernel(std::string_view name) const {
  for (const Place& place : places_)
    if (const auto id = place.package->find_kernel(name)) return place.first_kernel + *id;
  return std::nullopt;
}

LoadedKernel& KernelTable::load(std::uint32_t id) {
  if (id >= size_)
    throw Error(Code::invalid_argument,
                formatted("kernel id {} on {}: its {} {} kernels", id, location_,
                          packages_.size() == 1 ? "package has" : "packages have", size_));
  const Place& place = place_of(id);
  const std::uint32_t index = place.package->kernels()[id - place.first_kernel].module;
  LoadedCode& module = modules_[place.first_module + index];
  const std::lock_guard lock(module.mutex);
  // Another thread may have loaded it meanwhile; readers do not lock.
  Entry& entry = kernels_[id];
  return entry.is_loaded.load(std::memory_order_relaxed) ? entry.kernel
                                                         : find_function(module, place, index, id);
}

LoadedKernel& KernelTable::find_function(LoadedCode& module, const Place& place, std::uint32_t module_index,
                                         std::uint32_t id) {
  const Package& package = *place.package;
  const std::string_view name = package.text(package.modules()[module_index].name);
  const std::string_view kernel = package.text(package.kernels()[id - place.first_kernel].name);
  const std::string_view target = package.text(package.targets()[place.target].name);
  if (module.handle == nullptr) {
    PackageCode code = package.code(place.target, module_index);
    if (code.empty())
      throw Error(
          Code::unsupported,
          formatted("kernel {} on {}: the package has no code of module {} for {}; build it with `kernel-gen "
                    "build --target {}`",
                    kernel, location_, name, target, target));
    module.handle = driver_.load_module(code, name);
    count_.add();
    observer_.note(formatted("module {} of {} is loaded for {}", name, package.name(), target));
    if (driver_.reads_code_later()) module.code = std::move(code);
  }
  void* function = driver_.find_function(module.handle, kernel);
  if (function == nullptr)
    throw Error(Code::bad_package,
                formatted("the code of module {} for {} has no kernel {}; `kernel-gen verify` says "
                          "what else the package lacks",
                          name, target, kernel));
  observer_.name(function, kernel);
  Entry& entry = kernels_[id];
  entry.kernel.function = function;
  entry.is_loaded.store(true, std::memory_order_release);
  return entry.kernel;
}

bool KernelTable::has_kernels_of(std::string_view element) const {
  return std::ranges::any_of(places_, [&](const Place& place) {
    const Package& package = *place.package;
    const auto points_to_one = [&](const kernelgen_argument_record& argument) {
      std::string_view type = package.text(argument.type);
      if (type.starts_with("const ")) type.remove_prefix(6);
      return argument.is_pointer != 0 && type.ends_with('*') && type.substr(0, type.size() - 1) == element;
    };
    for (std::uint32_t i = 0; i < package.kernels().size(); ++i)
      if (std::ranges::any_of(package.arguments(i), points_to_one) &&
          package.code_size(place.target, package.kernels()[i].module) != 0)
        return true;
    return false;
  });
}

void KernelTable::preload() {
  for (const Place& place : places_)
    for (std::uint32_t index = 0; index < place.package->modules().size(); ++index) {
      if (place.package->code_size(place.target, index) == 0) continue;
      const kernelgen_module_record& record = place.package->modules()[index];
      LoadedCode& module = modules_[place.first_module + index];
      const std::lock_guard lock(module.mutex);
      for (std::uint32_t i = 0; i < record.kernel_count; ++i) {
        const std::uint32_t id = place.first_kernel + record.first_kernel + i;
        if (!kernels_[id].is_loaded.load(std::memory_order_relaxed)) find_function(module, place, index, id);
      }
    }
}

}  // namespace kernelgen
