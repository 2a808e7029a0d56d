#pragma once
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

namespace kernelgen {

/// A kernel's argument block, built in place: each argument at its natural alignment.
class Arguments {
 public:
  template <class T>
  Arguments& add(const T& value) {
    return add(&value, sizeof value, alignof(T));
  }
  Arguments& add(const void* value, std::size_t bytes, std::size_t alignment) {
    size_ = (size_ + alignment - 1) / alignment * alignment;
    std::memcpy(block_.data() + size_, value, bytes);
    size_ += bytes;
    return *this;
  }
  std::span<const std::byte> bytes() const { return {block_.data(), size_}; }

 private:
  // The largest kernel takes 4 pointers, 3 scalars and 8 dims of 3 operands: well under this.
  alignas(16) std::array<std::byte, 512> block_;
  std::size_t size_ = 0;
};

}  // namespace kernelgen
