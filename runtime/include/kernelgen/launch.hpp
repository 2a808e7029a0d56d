#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "kernelgen/device.hpp"
#include "kernelgen/tensor.hpp"

/// Launches of a package's kernels with checked arguments: what the headers call that `kernel-gen emit
/// --wrappers` writes.
namespace kernelgen {

/// An argument of a launch. Refers to the tensor or the bytes that it was made from.
struct LaunchArgument {
  const Tensor* tensor = nullptr;         ///< for a pointer; its memory is used in the launch's stream
  std::span<const std::byte> bytes = {};  ///< without a tensor, those of the argument
};

/// Id of the kernel of that name, whose arguments have these types: "f32* y, const f32* x, u64 n" without the
/// names, "f32*, const f32*, u64". Throws Error(not_found), and Error(invalid_argument) for other types.
std::uint32_t find_kernel(const Device& device, std::string_view name, std::string_view types);

/// Launches a package's kernel. Tensors are ordered with other streams as those of operations
/// (Device::follow_streams). Throws as Device::kernel and Device::launch, and Error(invalid_argument), before
/// anything is launched, with the kernel and the argument: for another number of arguments; for a number of
/// another size; for a tensor that is given for a number, has another dtype than the pointer, is not
/// contiguous, is of another device, or is read-only and written. A pointer to a type that is no dtype takes
/// integers of its width, a pointer to a struct any tensor.
void launch(const Device& device, std::uint32_t kernel, const LaunchShape& shape,
            std::span<const LaunchArgument> arguments, const Stream& stream = {});

/// Blocks of a grid, or threads of a block: `256`, `{16, 16}`.
struct Dim3 {
  /// Dims that are not given are 1.
  constexpr Dim3(std::uint32_t along_x = 1, std::uint32_t along_y = 1, std::uint32_t along_z = 1)
      : x(along_x), y(along_y), z(along_z) {}
  std::uint32_t x, y, z;  ///< along each dim
};

/// An argument of type T*: a tensor of T's dtype, which must outlive the call, or the address of memory of the
/// device.
template <class T>
class Pointer {
 public:
  /// From what it takes.
  Pointer(const Tensor& tensor) : tensor_(&tensor) {}
  Pointer(T* address) : address_(address) {}
  /// Refers to the tensor, or to this object.
  LaunchArgument argument() const { return {tensor_, std::as_bytes(std::span(&address_, 1))}; }

 private:
  const Tensor* tensor_ = nullptr;
  T* address_ = nullptr;
};

/// An argument that is a struct: any value of that many bytes.
template <std::size_t size>
class ByValue {
 public:
  /// Copies the value.
  template <class T>
    requires(sizeof(T) == size && std::is_trivially_copyable_v<T>)
  ByValue(const T& value) {
    std::memcpy(bytes_.data(), &value, size);
  }
  /// Refers to this object.
  LaunchArgument argument() const { return {nullptr, bytes_}; }

 private:
  std::array<std::byte, size> bytes_;
};

/// A number as an argument that refers to it.
template <class Number>
  requires std::is_arithmetic_v<Number>
LaunchArgument argument_of(const Number& number) {
  return {nullptr, std::as_bytes(std::span(&number, 1))};
}
/// A Pointer or ByValue as an argument that refers to it.
template <class Argument>
  requires requires(const Argument& argument) { argument.argument(); }
LaunchArgument argument_of(const Argument& argument) {
  return argument.argument();
}

/// A kernel of one of a device's packages. Copies share the device.
class PackageKernel {
 public:
  /// Throws as find_kernel.
  PackageKernel(const Device& device, std::string_view name, std::string_view types)
      : device_(device), kernel_(find_kernel(device, name, types)) {}

  /// Numbers, Pointers and ByValues. Throws as kernelgen::launch.
  template <class... Arguments>
  void launch(const Stream& stream, const Dim3& grid, const Dim3& block, std::uint32_t shared_bytes,
              const Arguments&... arguments) const {
    const std::array<LaunchArgument, sizeof...(Arguments)> given{argument_of(arguments)...};
    kernelgen::launch(device_, kernel_, {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes},
                      given, stream);
  }

 private:
  Device device_;
  std::uint32_t kernel_;
};

}  // namespace kernelgen
