#pragma once
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "kernelgen/device.hpp"

namespace kernelgen {

/// A kernel with the types of its arguments, so that a launch brings as many, of these types:
///
///   const Kernel<const void*, void*, std::uint64_t, float> scale(module, "scale");
///   scale.launch({.grid = {64, 1, 1}, .block = {256, 1, 1}}, x.data(), y.data(), 1000, 0.5f);
///
/// Addresses of any elements are `void*`, or pointers to what the host calls them. Copies share the module.
template <class... Arguments>
class Kernel {
  static_assert((std::is_trivially_copyable_v<Arguments> && ...), "arguments are copied as bytes");

 public:
  /// Throws Error(not_found) naming the kernel, and Error(invalid_argument) where the code says that it takes another
  /// number of arguments, or one of another size (Module::arguments; where that knows nothing, nothing is checked).
  Kernel(const Module& module, std::string_view name)
      : module_(module), function_(module.function(name)), device_(module.device()) {
    module.check_arguments(name, places);
  }

  /// Puts a launch into the stream. Throws as Device::launch.
  void launch(const LaunchShape& shape, const Arguments&... arguments, const Stream& stream = {}) const {
    alignas(16) std::array<std::byte, block_bytes> block{};
    [[maybe_unused]] const KernelArgument* place = places.data();
    ((std::memcpy(block.data() + place->offset, &arguments, sizeof arguments), ++place), ...);
    device_.launch(function_, shape, block, stream);
  }

  /// Where each argument lies in the argument block: behind the one before, at its natural alignment.
  static constexpr std::array<KernelArgument, sizeof...(Arguments)> places = [] {
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
      sizeof...(Arguments) == 0 ? 0 : places.back().offset + places.back().size;

 private:
  Module module_;
  Function function_;
  Device device_;
};

}  // namespace kernelgen
