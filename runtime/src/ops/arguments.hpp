#pragma once
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>

#include "kernelgen/error.hpp"
#include "kernelgen/package_format.h"

namespace kernelgen {

/// A kernel's argument block, built in place: arguments in the order of the manifest, each at its natural alignment.
/// add() throws Error(unsupported) if the block would exceed the size limit of a kernel's arguments.
class Arguments {
 public:
  template <class T>
  Arguments& add(const T& value) {
    return add(&value, sizeof value, alignof(T));
  }
  Arguments& add(const void* value, std::size_t bytes, std::size_t alignment) {
    const std::size_t offset = (size_ + alignment - 1) / alignment * alignment;
    if (offset > block_.size() || bytes > block_.size() - offset) [[unlikely]]
      overflow(offset, bytes);
    std::memcpy(block_.data() + offset, value, bytes);
    size_ = offset + bytes;
    return *this;
  }
  std::span<const std::byte> bytes() const { return {block_.data(), size_}; }

 private:
  [[noreturn]] static void overflow(std::size_t offset, std::size_t bytes) {
    throw Error(Code::unsupported, "an argument of " + std::to_string(bytes) + " bytes at offset " +
                                       std::to_string(offset) + ": a kernel takes at most " +
                                       std::to_string(KERNELGEN_MAX_ARGUMENT_BYTES) + " bytes of arguments");
  }

  alignas(16) std::array<std::byte, KERNELGEN_MAX_ARGUMENT_BYTES> block_;
  std::size_t size_ = 0;
};

}  // namespace kernelgen
