#include "device/module.hpp"

#include <algorithm>

#include "common/format.hpp"
#include "driver/kernel_arguments.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

/// "3 of 8, 8 and 4 bytes", for messages.
std::string describe(std::span<const KernelArgument> arguments) {
  std::string sizes;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    sizes += formatted("{}{}", i == 0 ? "" : i + 1 == arguments.size() ? " and " : ", ", arguments[i].size);
  return arguments.empty() ? "none" : formatted("{} of {} bytes", arguments.size(), sizes);
}

}  // namespace

std::optional<std::vector<KernelArgument>> LoadedModule::arguments(const LoadedKernel& kernel,
                                                                   std::string_view name) const {
  if (auto known = driver_.arguments(handle_, kernel.function, name)) return known;
  return code_object_arguments(code_, name);
}

LoadedKernel* LoadedModule::kernel(std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (const auto known = kernels_.find(name); known != kernels_.end()) return &known->second;
  LoadedKernel kernel{driver_.find_function(handle_, name)};
  if (kernel.function == nullptr) return nullptr;
  if (const auto known = arguments(kernel, name)) {
    kernel.argument_bytes = 0;
    for (const KernelArgument& argument : *known)
      kernel.argument_bytes = std::max(kernel.argument_bytes, argument.offset + argument.size);
  }
  return &kernels_.emplace(name, kernel).first->second;
}

Device Module::device() const { return Device(impl_->state); }

Function Module::function(std::string_view kernel) const {
  LoadedKernel* const loaded = impl_->loaded->kernel(kernel);
  if (loaded == nullptr)
    throw Error(Code::not_found,
                formatted("module {} on {} has no kernel {}", impl_->name, impl_->state->location(), kernel));
  impl_->state->observer().name(loaded->function, kernel);
  return {loaded};
}

std::optional<std::vector<KernelArgument>> Module::arguments(std::string_view kernel) const {
  return impl_->loaded->arguments(*static_cast<const LoadedKernel*>(function(kernel).handle), kernel);
}

void Module::check_arguments(std::string_view kernel, std::span<const KernelArgument> given) const {
  const auto wanted = arguments(kernel);
  if (!wanted || std::ranges::equal(*wanted, given)) return;
  throw Error(Code::invalid_argument,
              formatted("kernel {} of module {} on {}: its arguments are {}, those given {}{}", kernel,
                        impl_->name, impl_->state->location(), describe(*wanted), describe(given),
                        wanted->size() == given.size() ? ", or have other offsets" : ""));
}

const std::string& Module::log() const { return impl_->log; }

ModuleUse Device::module_use() const {
  const ModuleCount& count = state_->module_count();
  return {count.loaded, count.loads};
}

Module Device::load_module(std::span<const std::byte> code, std::string_view name) const {
  return Module(std::make_shared<Module::Impl>(
      Module::Impl{state_, state_->load_module(code, name), std::string(name)}));
}

}  // namespace kernelgen
