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
    opened_.push_back({&package, select_target(package, kind, driver_.info().architecture, location_),
                       static_cast<std::uint32_t>(size_), nullptr, nullptr});
    size_ += package.kernels().size();
    module_count += package.modules().size();
  }
  kernels_ = std::make_unique<Entry[]>(size_);
  modules_ = std::make_unique<LoadedCode[]>(module_count);
  LoadedCode* modules = modules_.get();
  for (OpenedPackage& opened : opened_) {
    opened.kernels = kernels_.get() + opened.first_kernel;
    opened.modules = std::exchange(modules, modules + opened.package->modules().size());
    fill(opened);
  }
}

KernelTable::~KernelTable() {
  for (const OpenedPackage& opened : opened_) unload(opened);
  for (const auto& added : added_) unload(added->opened);
}

void KernelTable::fill(const OpenedPackage& opened) const {
  for (std::uint32_t i = 0; i < opened.package->kernels().size(); ++i) {
    const kernelgen_kernel_record& record = opened.package->kernels()[i];
    opened.kernels[i].kernel = {nullptr, record.kernarg_bytes, record.block};
  }
}

void KernelTable::unload(const OpenedPackage& opened) const {
  for (std::size_t i = 0; i < opened.package->modules().size(); ++i)
    if (opened.modules[i].handle != nullptr) driver_.unload_module(opened.modules[i].handle);
}

std::size_t KernelTable::size() const {
  const std::shared_lock lock(added_mutex_);
  return end();
}

std::size_t KernelTable::end() const {
  if (added_.empty()) return size_;
  const OpenedPackage& last = added_.back()->opened;
  return last.first_kernel + last.package->kernels().size();
}

std::uint32_t KernelTable::add(const Package& package) {
  const ContentHash hash = content_hash(package.bytes());
  const std::uint32_t target = select_target(package, kind_, driver_.info().architecture, location_);
  for (const auto& record : package.operations())
    for (const Package& existing : packages_)
      if (const std::string_view name = package.text(record.name); existing.find_operation(name) != nullptr)
        throw Error(
            Code::invalid_argument,
            formatted(
                "add {} to {}: operation '{}' is in {}, which the device was opened with; give it another "
                "name, or open the device with your package first",
                package.name(), location_, name, existing.name()));
  const std::lock_guard lock(added_mutex_);
  for (std::size_t i = 0; i < added_.size(); ++i)
    if (added_[i]->hash == hash && added_[i]->package.bytes().size() == package.bytes().size())
      return static_cast<std::uint32_t>(i + 1);
  auto added = std::make_unique<AddedPackage>(
      AddedPackage{package, hash, std::make_unique<Entry[]>(package.kernels().size()),
                   std::make_unique<LoadedCode[]>(package.modules().size()), OpenedPackage{}});
  added->opened = {&added->package, target, static_cast<std::uint32_t>(end()), added->kernels.get(),
                   added->modules.get()};
  fill(added->opened);
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

const KernelTable::OpenedPackage& KernelTable::package_of(std::uint32_t id) const {
  if (id < size_)
    return *std::prev(std::ranges::upper_bound(
        opened_, id, {}, [](const OpenedPackage& opened) { return opened.first_kernel; }));
  {
    const std::shared_lock lock(added_mutex_);
    const auto next = std::ranges::upper_bound(added_, id, {},
                                               [](const auto& added) { return added->opened.first_kernel; });
    if (next != added_.begin())
      if (const OpenedPackage& opened = (*std::prev(next))->opened;
          id - opened.first_kernel < opened.package->kernels().size())
        return opened;
  }
  throw Error(Code::invalid_argument,
              formatted("kernel id {} on {}: its {} {} kernels", id, location_,
                        packages_.size() == 1 ? "package has" : "packages have", size()));
}

KernelTable::Origin KernelTable::origin(std::uint32_t id) const {
  const OpenedPackage& opened = package_of(id);
  return {opened.package, id - opened.first_kernel};
}

std::string_view KernelTable::name(std::uint32_t id) const {
  const Origin kernel = origin(id);
  return kernel.package->text(kernel.package->kernels()[kernel.id].name);
}

const kernelgen_resource_record& KernelTable::resources(std::uint32_t id) const {
  const OpenedPackage& opened = package_of(id);
  return opened.package->resources(opened.target, id - opened.first_kernel);
}

std::optional<FoundOperation> KernelTable::find_operation(std::string_view name) const {
  for (const OpenedPackage& opened : opened_)
    if (const auto* record = opened.package->find_operation(name)) return found(opened, record);
  const auto mark = std::min(name.find('@'), name.size());
  const std::string_view number = name.substr(mark);
  const std::shared_lock lock(added_mutex_);
  for (std::size_t i = added_.size(); i-- > 0;)
    if (const OpenedPackage& opened = added_[i]->opened; number.empty() || number == formatted("@{}", i + 1))
      if (const auto* record = opened.package->find_operation(name.substr(0, mark)))
        return found(opened, record);
  return std::nullopt;
}

std::optional<std::uint32_t> KernelTable::find_kernel(std::string_view name) const {
  for (const OpenedPackage& opened : opened_)
    if (const auto id = opened.package->find_kernel(name)) return opened.first_kernel + *id;
  const std::shared_lock lock(added_mutex_);
  for (std::size_t i = added_.size(); i-- > 0;)
    if (const auto id = added_[i]->package.find_kernel(name)) return added_[i]->opened.first_kernel + *id;
  return std::nullopt;
}

LoadedKernel& KernelTable::load(std::uint32_t id) {
  const OpenedPackage& opened = package_of(id);
  Entry& entry = opened.kernels[id - opened.first_kernel];
  if (entry.is_loaded.load(std::memory_order_acquire)) return entry.kernel;
  const std::uint32_t index = opened.package->kernels()[id - opened.first_kernel].module;
  LoadedCode& module = opened.modules[index];
  const std::lock_guard lock(module.mutex);
  // Another thread may have loaded it meanwhile; readers do not lock.
  return entry.is_loaded.load(std::memory_order_relaxed) ? entry.kernel
                                                         : find_function(module, opened, index, id);
}

LoadedKernel& KernelTable::find_function(LoadedCode& module, const OpenedPackage& opened,
                                         std::uint32_t module_index, std::uint32_t id) {
  const Package& package = *opened.package;
  const std::string_view name = package.text(package.modules()[module_index].name);
  const std::string_view kernel = package.text(package.kernels()[id - opened.first_kernel].name);
  const std::string_view target = package.text(package.targets()[opened.target].name);
  if (module.handle == nullptr) {
    PackageCode code = package.code(opened.target, module_index);
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
  Entry& entry = opened.kernels[id - opened.first_kernel];
  entry.kernel.function = function;
  entry.is_loaded.store(true, std::memory_order_release);
  return entry.kernel;
}

bool KernelTable::has_kernels_of(std::string_view element) const {
  return std::ranges::any_of(opened_, [&](const OpenedPackage& opened) {
    const Package& package = *opened.package;
    const auto points_to_one = [&](const kernelgen_argument_record& argument) {
      std::string_view type = package.text(argument.type);
      if (type.starts_with("const ")) type.remove_prefix(6);
      return argument.is_pointer != 0 && type.ends_with('*') && type.substr(0, type.size() - 1) == element;
    };
    for (std::uint32_t i = 0; i < package.kernels().size(); ++i)
      if (std::ranges::any_of(package.arguments(i), points_to_one) &&
          package.code_size(opened.target, package.kernels()[i].module) != 0)
        return true;
    return false;
  });
}

void KernelTable::preload() {
  for (const OpenedPackage& opened : opened_) preload(opened);
  for (std::size_t i = 0;; ++i) {
    const OpenedPackage* opened = nullptr;
    {
      const std::shared_lock lock(added_mutex_);
      if (i == added_.size()) return;
      opened = &added_[i]->opened;
    }
    preload(*opened);
  }
}

void KernelTable::preload(const OpenedPackage& opened) {
  for (std::uint32_t index = 0; index < opened.package->modules().size(); ++index) {
    if (opened.package->code_size(opened.target, index) == 0) continue;
    const kernelgen_module_record& record = opened.package->modules()[index];
    LoadedCode& module = opened.modules[index];
    const std::lock_guard lock(module.mutex);
    for (std::uint32_t i = 0; i < record.kernel_count; ++i) {
      const std::uint32_t kernel = record.first_kernel + i;
      if (!opened.kernels[kernel].is_loaded.load(std::memory_order_relaxed))
        find_function(module, opened, index, opened.first_kernel + kernel);
    }
  }
}

}  // namespace kernelgen
