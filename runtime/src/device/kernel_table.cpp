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
      kind_(kind),
      location_(location),
      driver_(driver),
      count_(count),
      observer_(observer) {
  if (packages_.empty())
    throw Error(Code::invalid_argument, formatted("open {}: no package is given", location_));
  std::size_t module_count = 0;
  for (const Package& package : packages_) {
    places_.push_back({&package, select_target(package, kind, driver_.info().architecture, location_),
                       static_cast<std::uint32_t>(size_), nullptr, nullptr});
    size_ += package.kernels().size();
    module_count += package.modules().size();
  }
  kernels_ = std::make_unique<Entry[]>(size_);
  modules_ = std::make_unique<LoadedCode[]>(module_count);
  LoadedCode* modules = modules_.get();
  for (Place& place : places_) {
    place.kernels = kernels_.get() + place.first_kernel;
    place.modules = std::exchange(modules, modules + place.package->modules().size());
    fill(place);
  }
}

KernelTable::~KernelTable() {
  for (const Place& place : places_) unload(place);
  for (const auto& added : added_) unload(added->place);
}

void KernelTable::fill(const Place& place) const {
  for (std::uint32_t i = 0; i < place.package->kernels().size(); ++i) {
    const kernelgen_kernel_record& record = place.package->kernels()[i];
    place.kernels[i].kernel = {nullptr, record.kernarg_bytes, record.block};
  }
}

void KernelTable::unload(const Place& place) const {
  for (std::size_t i = 0; i < place.package->modules().size(); ++i)
    if (place.modules[i].handle != nullptr) driver_.unload_module(place.modules[i].handle);
}

std::size_t KernelTable::size() const {
  const std::shared_lock lock(added_mutex_);
  return end();
}

std::size_t KernelTable::end() const {
  if (added_.empty()) return size_;
  const Place& last = added_.back()->place;
  return last.first_kernel + last.package->kernels().size();
}

std::uint32_t KernelTable::add(const Package& package) {
  const ContentHash hash = content_hash(package.bytes());
  const std::uint32_t target = select_target(package, kind_, driver_.info().architecture, location_);
  for (const auto& record : package.operations())
    for (const Package& opened : packages_)
      if (const std::string_view name = package.text(record.name); opened.find_operation(name) != nullptr)
        throw Error(
            Code::invalid_argument,
            formatted(
                "add {} to {}: operation '{}' is in {}, which the device was opened with; give it another "
                "name, or open the device with your package first",
                package.name(), location_, name, opened.name()));
  const std::lock_guard lock(added_mutex_);
  for (std::size_t i = 0; i < added_.size(); ++i)
    if (added_[i]->hash == hash && added_[i]->package.bytes().size() == package.bytes().size())
      return static_cast<std::uint32_t>(i + 1);
  auto added = std::make_unique<AddedPackage>(
      AddedPackage{package, hash, std::make_unique<Entry[]>(package.kernels().size()),
                   std::make_unique<LoadedCode[]>(package.modules().size()), Place{}});
  added->place = {&added->package, target, static_cast<std::uint32_t>(end()), added->kernels.get(),
                  added->modules.get()};
  fill(added->place);
  added_.push_back(std::move(added));
  return static_cast<std::uint32_t>(added_.size());
}

std::vector<std::string> KernelTable::operation_names() const {
  std::vector<std::string> names;
  const auto add = [&](const Package& package) {
    for (const auto& record : package.operations()) names.emplace_back(package.text(record.name));
  };
  for (const Package& package : packages_) add(package);
  const std::shared_lock lock(added_mutex_);
  for (const auto& added : added_) add(added->package);
  return names;
}

const KernelTable::Place& KernelTable::place_of(std::uint32_t id) const {
  if (id < size_)
    return *std::prev(
        std::ranges::upper_bound(places_, id, {}, [](const Place& place) { return place.first_kernel; }));
  {
    const std::shared_lock lock(added_mutex_);
    const auto next =
        std::ranges::upper_bound(added_, id, {}, [](const auto& added) { return added->place.first_kernel; });
    if (next != added_.begin())
      if (const Place& place = (*std::prev(next))->place;
          id - place.first_kernel < place.package->kernels().size())
        return place;
  }
  throw Error(Code::invalid_argument,
              formatted("kernel id {} on {}: its {} {} kernels", id, location_,
                        packages_.size() == 1 ? "package has" : "packages have", size()));
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
    if (const auto* record = place.package->find_operation(name)) return found(place, record);
  const auto mark = std::min(name.find('@'), name.size());
  const std::string_view number = name.substr(mark);
  const std::shared_lock lock(added_mutex_);
  for (std::size_t i = added_.size(); i-- > 0;)
    if (const Place& place = added_[i]->place; number.empty() || number == formatted("@{}", i + 1))
      if (const auto* record = place.package->find_operation(name.substr(0, mark)))
        return found(place, record);
  return std::nullopt;
}

std::optional<std::uint32_t> KernelTable::find_kernel(std::string_view name) const {
  for (const Place& place : places_)
    if (const auto id = place.package->find_kernel(name)) return place.first_kernel + *id;
  const std::shared_lock lock(added_mutex_);
  for (std::size_t i = added_.size(); i-- > 0;)
    if (const auto id = added_[i]->package.find_kernel(name)) return added_[i]->place.first_kernel + *id;
  return std::nullopt;
}

LoadedKernel& KernelTable::load(std::uint32_t id) {
  const Place& place = place_of(id);
  Entry& entry = place.kernels[id - place.first_kernel];
  if (entry.is_loaded.load(std::memory_order_acquire)) return entry.kernel;
  const std::uint32_t index = place.package->kernels()[id - place.first_kernel].module;
  LoadedCode& module = place.modules[index];
  const std::lock_guard lock(module.mutex);
  // Another thread may have loaded it meanwhile; readers do not lock.
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
  Entry& entry = place.kernels[id - place.first_kernel];
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
  for (const Place& place : places_) preload(place);
  for (std::size_t i = 0;; ++i) {
    const Place* place = nullptr;
    {
      const std::shared_lock lock(added_mutex_);
      if (i == added_.size()) return;
      place = &added_[i]->place;
    }
    preload(*place);
  }
}

void KernelTable::preload(const Place& place) {
  for (std::uint32_t index = 0; index < place.package->modules().size(); ++index) {
    if (place.package->code_size(place.target, index) == 0) continue;
    const kernelgen_module_record& record = place.package->modules()[index];
    LoadedCode& module = place.modules[index];
    const std::lock_guard lock(module.mutex);
    for (std::uint32_t i = 0; i < record.kernel_count; ++i) {
      const std::uint32_t kernel = record.first_kernel + i;
      if (!place.kernels[kernel].is_loaded.load(std::memory_order_relaxed))
        find_function(module, place, index, place.first_kernel + kernel);
    }
  }
}

}  // namespace kernelgen
