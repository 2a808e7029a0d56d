#pragma once
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "kernelgen/device.hpp"

namespace kernelgen {

/// A kernel with typed arguments; the compiler checks the number and types of a launch's arguments:
///
///   const Kernel<const void*, void*, std::uint64_t, float> scale(module, "scale");
///   scale.launch({.grid = {64, 1, 1}, .block = {256, 1, 1}}, x.data(), y.data(), 1000, 0.5f);
///
/// Pass addresses as `void*` or as pointers to the host's element types. Copies share the module.
template <class... Arguments>
class Kernel {
  static_assert((std::is_trivially_copyable_v<Arguments> && ...), "arguments are copied as bytes");

 public:
  /// Throws Error(not_found) with the kernel's name, and Error(invalid_argument) if the code declares another
  /// number of arguments or another size of one (Module::arguments; if the code declares none, nothing is
  /// checked).
  Kernel(const Module& module, std::string_view name)
      : module_(module), function_(module.function(name)), device_(module.device()) {
    module.check_arguments(name, layout);
  }

  /// Enqueues a launch in the stream. Throws as Device::launch.
  void launch(const LaunchShape& shape, const Arguments&... arguments, const Stream& stream = {}) const {
    alignas(16) std::array<std::byte, block_bytes> block{};
    [[maybe_unused]] const KernelArgument* argument = layout.data();
    ((std::memcpy(block.data() + argument->offset, &arguments, sizeof arguments), ++argument), ...);
    device_.launch(function_, shape, block, stream);
  }

  /// Offset and size of each argument in the argument block: arguments follow each other at their natural
  /// alignment.
  static constexpr std::array<KernelArgument, sizeof...(Arguments)> layout = [] {
    std::array<KernelArgument, sizeof...(Arguments)> all{};
    [[maybe_unused]] std::size_t end = 0, i = 0;
    [[maybe_unused]] const auto add = [&](std::size_t size, std::size_t alignment) {
      const std::size_t offset = (end + alignment - 1) / alignment * alignment;
      all[i++] = {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(size)};
      end = offset + size;
    };
    (add(sizeof(Arguments), alignof(Arguments)), ...);
    return all;
  }();
  static constexpr std::size_t block_bytes =
      sizeof...(Arguments) == 0 ? 0 : layout.back().offset + layout.back().size;

 private:
  Module module_;
  Function function_;
  Device device_;
};

}  // namespace kernelgen
